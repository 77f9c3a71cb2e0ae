/* SPDX-License-Identifier: MIT */
/* What the processes of a search share: parts.c, parts_sums.c. */
#ifndef NAP_CHECK_PARTS_SHARED_H
#define NAP_CHECK_PARTS_SHARED_H

#include <sched.h>

#include "explore/parts.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define MOST_PARTS 65536

struct part {
	unsigned next;			/* in the order of the parts; 0: none */
	bool ended, is_void;		/* void: a part before it ends the search */
	bool ends_search;
	struct result result;
	double cpu_seconds, share;
	size_t kept_at, kept_size;	/* what search.part_ends() has written, in the file @kept */
};

struct parts {
	bool locked;
	unsigned nr, nr_not_ended, nr_free;	/* free: processes that may be started */
	int kept;
	size_t kept_end;
	double last_line;
	struct part part[MOST_PARTS];
};
extern struct parts *parts;

extern struct part *mine;
extern double cpu_before;	/* of this process, before its part began */

static inline void parts_lock(void)
{
	while (__atomic_exchange_n(&parts->locked, true, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void parts_unlock(void)
{
	__atomic_store_n(&parts->locked, false, __ATOMIC_RELEASE);
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_PARTS_SHARED_H */
