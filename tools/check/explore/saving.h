/* SPDX-License-Identifier: MIT */
/*
 * A search that is saved, and goes on elsewhere (--save, --resume). What is saved is a sequence of
 * pieces, in the order in which one process would come to them: what is done, as counts and what
 * was found, and paths to what is left (path.h). A state is taken between two graphs. When a number
 * that all processes share has grown, each part (parts.h) saves its state, and notes the number.
 * The parts that it starts afterwards begin with this number, because their work is in the state
 * already.
 */
#ifndef NAP_CHECK_SAVING_H
#define NAP_CHECK_SAVING_H

#include <stdbool.h>
#include <stdio.h>

#include "explore/search.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

struct saving {
	double interval;		/* in seconds */
	/* Keeps what is saved in a safe place, or says why not. */
	void (*keep)(const char *text, size_t size);
	/*
	 * Write and read what the search has learnt of the program. Without it the runs would be
	 * different.
	 */
	void (*knowledge_write)(FILE *out);
	bool (*knowledge_read)(FILE *in);
	/*
	 * Returns a sum of the states of the last run, if what was learnt depends on them; else 0.
	 */
	unsigned long (*states)(void);
	bool is_open;			/* out: the search has ended with something left */
	const char *resumed;		/* what an earlier process has saved; NULL: nothing */
	size_t resumed_size;
	void (*is_wrong)(const char *why) __attribute__((noreturn));	/* this cannot be resumed */
};

/* Called between two graphs, and by a part that waits or ends: takes its state, if that is due. */
void saving_look(void);

/* Ends all parts when their states are taken, because of @why: a bound, or a signal. */
void saving_ends(const char *why);

/* Whether saving_ends() brings the search to its end; then @result.why is set. */
bool saving_has_ended(void);

/* Takes the search to the alternatives of a part that was saved: parts_take_waiting(). */
enum ran saving_go(const char *path, bool *first);

/* A part has learnt something: the whole search begins anew, and nothing is saved until then. */
void saving_learns(void);

/*
 * In the process that goes on: if saving_ends() has ended the parts, keeps what they have left, and
 * returns true.
 */
bool saving_keep_last(void);

#define SIGNALLED "a signal"

/* Whether the run that began last was counted. */
extern bool saving_counted;

#pragma GCC visibility pop

#endif /* NAP_CHECK_SAVING_H */
