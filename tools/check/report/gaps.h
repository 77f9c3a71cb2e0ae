/* SPDX-License-Identifier: MIT */
/* A gap: a thread has come to know of another by a read that orders nothing. For why.c. */
#ifndef NAP_CHECK_GAPS_H
#define NAP_CHECK_GAPS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/rows.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* A text that grows. */
struct text {
	char *at;
	size_t left;
};
__attribute__((format(printf, 2, 3))) void say(struct text *text, const char *format, ...);

/* Returns the event's number on the page; 0: it is not there. */
static inline unsigned shown(const struct rows *rows, unsigned event)
{
	return rows->number_of[event];
}

struct gap {
	unsigned write, read;	/* the read is of the write, and does not synchronise with it */
	bool releases, acquires;
};

/* Two accesses: the event @index of the thread @of; and what @thread does last. */
struct pair {
	unsigned thread, of, index;
	bool is_read;		/* true: to forbid the read; false: to order the two */
};

/*
 * Finds the first read on the path that does not make its thread know of the event @index of @of.
 * False: there is none, or the page does not show it.
 */
bool find_gap(const struct rows *rows, const unsigned *path, unsigned length, unsigned of,
	      unsigned index, struct gap *gap);
void say_gap(struct text *text, const struct rows *rows, const struct gap *gap);

/* Says which of the two orders, or both, would have made the gap a synchronisation. */
void say_remedy(struct text *text, const struct rows *rows, const struct gap *gap,
		const struct pair *pair);

#pragma GCC visibility pop

#endif /* NAP_CHECK_GAPS_H */
