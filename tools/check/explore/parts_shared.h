/* SPDX-License-Identifier: MIT */
/* What the processes of a search share: parts.c, parts_sums.c. */
#ifndef NAP_CHECK_PARTS_SHARED_H
#define NAP_CHECK_PARTS_SHARED_H

#include <sched.h>

#include "explore/parts.h"
#include "explore/processes.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define MOST_PARTS 65536

/* The state of a part between two graphs. */
struct taken {
	unsigned in;			/* parts->saving, when the state was taken */
	struct result result;
	size_t at, found_size, path_size;	/* in the file @taken */
	bool is_last;			/* its next graph ends the search */
};

struct part {
	unsigned next;			/* in the order of the parts; 0: none */
	bool ended, is_void;		/* void: a part before it ends the search */
	bool ends_search;
	bool waits;			/* saved, not begun by a process yet: its path is kept */
	bool is_resumed;		/* its counts are an earlier process's */
	struct result result;
	double cpu_seconds, left;	/* left: how many graphs, about */
	size_t kept_at, kept_size;	/* what search.part_ends() has written, in the file @kept */
	unsigned saved_in;		/* saving.c: parts->saving at its last save */
	struct taken taken;		/* the state of that save, unless the part began later */
};

struct parts {
	bool locked;
	unsigned nr, nr_not_ended, nr_waiting;
	unsigned nr_free;		/* processes that may be started */
	int kept;
	size_t kept_end;
	double last_line;
	unsigned saving;		/* the number for which states are taken */
	bool saved;			/* the states for this number are complete, and written */
	const char *why;		/* all parts come to an end, because of this; or NULL */
	bool learns;			/* the search begins anew */
	double last_saved;
	int taken;
	size_t taken_end;
	struct part part[MOST_PARTS];
};
extern struct parts *parts;

extern struct part *mine;

struct part *new_part(struct part *after);	/* under the lock */
extern double cpu_before;	/* of this process, before its part began */

/* Add to, and read from, a file that the parts share. */
void parts_put(int file, const char *text, size_t size, size_t *end);
char *parts_get(int file, size_t size, size_t at);	/* to be freed; 0 follows the last byte */

/* parts_end.c: writes what the caller's part has come to. Under the lock. */
void part_is_over(void);

static inline void parts_lock(void)
{
	while (__atomic_exchange_n(&parts->locked, true, __ATOMIC_ACQUIRE)) {
		process_look_around();	/* the process that has the lock may have been killed */
		sched_yield();
	}
}

static inline void parts_unlock(void)
{
	__atomic_store_n(&parts->locked, false, __ATOMIC_RELEASE);
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_PARTS_SHARED_H */
