/* SPDX-License-Identifier: MIT */
/* Loops that wait, and iterations of these loops that make no difference: awaits.c. */
#ifndef NAP_CHECK_AWAITS_H
#define NAP_CHECK_AWAITS_H

#include "program/threads.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* A plain write outside of the thread's stack. */
struct await_wrote {
	uintptr_t address;
	size_t size;
};
#define AWAIT_WROTE 8		/* how many are noted from one operation to the next */

/* Where a thread was in its history when it came to a place. */
struct await_mark {
	uint64_t history;
	unsigned done, since;		/* events done; operations begun since the last event */
	unsigned unclear;
};

extern bool awaits_known;		/* a loop that waits was met in this program */

/* What earlier executions have taught. knowledge.c hands it to another process. */
#define AWAIT_LOOPS 64
#define AWAIT_FUTURES (1u << 16)
extern struct await_table {
	uint64_t searches;		/* how many searches there were */
	/* The places at which iterations that only read have ended. Nothing is noted for others. */
	unsigned nr_loops;
	uintptr_t loop[AWAIT_LOOPS];
	/*
	 * A state in which a thread with this history began its next operation; and a hash of its
	 * writes on the way.
	 */
	struct await_future { uint64_t history, state, writes; } future[AWAIT_FUTURES];
} await_table;

extern uint64_t await_states;		/* a sum of the states at operations of this execution */

void awaits_search(void);		/* when a search begins */
void awaits_begin(void);		/* when an execution begins */

/* Notes that @e, the running thread's next event, is executed. */
void await_executed(const struct event *e);

/* Returns where the running thread is now. */
struct await_mark await_here(void);

/*
 * Notes that the thread begins an operation in @state, a hash of its place and its stack. If it
 * could have come here without an iteration that it has made, it goes no further.
 */
void await_arrives(uintptr_t pc, uint64_t state);

/*
 * Notes that the thread is again at @pc with its stack as deep as it was at @was, and has written
 * nothing plainly in between. After await_arrives().
 */
void await_again(uintptr_t pc, const struct await_mark *was);

/* ---- await_table.c */

/* Notes the state of the running thread, which is at @mark, and its writes on the way. */
void await_note(const struct await_mark *mark, uint64_t state, uint64_t writes);

/* Compares with the thread that was met at @mark. UNKNOWN: none was, or it wrote otherwise. */
enum await_found { DIFFERS, UNKNOWN, IS_SAME };
enum await_found await_look_up(const struct await_mark *mark, uint64_t state, uint64_t writes);

bool await_is_loop(uintptr_t pc);

/* Notes that a loop's turns end at @pc. If this is new, the search begins anew. */
void await_loop_at(uintptr_t pc);

/* ---- for retries.c */

/* Returns the running thread's history up to its event number @n; 0: before the first one. */
uint64_t await_history(unsigned n);

/* Returns the history after @e, if @e is a read then as if it had read @rf. */
uint64_t await_longer(uint64_t past, const struct event *e, unsigned rf);

/*
 * Whether a thread with the history @past was met that, @since operations after its last event, was
 * in this state, and had written this on the way. If it was in another state, the running thread is
 * compared with it from now on.
 */
bool await_could_be(uint64_t past, unsigned since, uint64_t state, uint64_t writes);

#pragma GCC visibility pop

#endif /* NAP_CHECK_AWAITS_H */
