/* SPDX-License-Identifier: MIT */
/*
 * The paths of one thread of a test, each with the events on it, without saying what its reads
 * read: a value is an expression of them. The values with which the thread takes this path are
 * described by constraints.
 */
#ifndef NAP_LITMUS_PATH_H
#define NAP_LITMUS_PATH_H

#include "test/test.h"

#define PATH_EVENTS 48	/* of one thread */

/* A number, what the read of that index reads, or what is computed of two. */
struct expr {
	enum { EXPR_NUMBER, EXPR_READ, EXPR_ALU } kind;
	enum alu alu;
	unsigned size;
	bool sign;			/* the result is sign-extended to 8 bytes */
	unsigned read;			/* index in the path */
	uint64_t number;
	const struct expr *a, *b;
	/*
	 * The accesses that it was made from, by index: dependencies, which are there whatever the
	 * value does with them. And those that only chose between values (the pick dependencies of
	 * Arm), as a conditional select or a compare-exchange does.
	 */
	uint64_t taint, pick;
	uint64_t needs;			/* the reads without which its value is not known */
};

enum event_kind { EVENT_READ, EVENT_WRITE, EVENT_FENCE };

struct path_event {
	enum event_kind kind;
	uint64_t tags;
	unsigned location, size;
	bool sign;			/* of a read's value */
	bool pointed;			/* its address depends on what is read */
	bool mixed;			/* so its size may differ from others of its location */
	const struct expr *value;	/* of a write */
	uint64_t addr, data, ctrl;	/* the reads that it depends on, by index */
	uint64_t pick_addr, pick_data, pick_ctrl;
	int rmw;			/* a write: index of the read of the same operation, or -1 */
	const struct instruction *from;
};

/* @expr, in one byte or more, is 0 or is not. */
struct constraint {
	const struct expr *expr;
	bool holds;
};

struct path {
	struct path *next;
	unsigned nr, nr_constraints;
	struct path_event *event;
	struct constraint *constraint;
	const struct expr **reg;	/* what the thread's registers hold at the end */
	bool cut;			/* a loop went on beyond the bound: the end was not reached */
	/* The path ended before this access, whose address is no location's; NULL: it did not. */
	const struct expr *astray;
	const struct instruction *strays;
};

struct paths {
	struct path *first;		/* paths to the end */
	unsigned nr;
	bool cut;			/* others were cut: the verdict is bounded */
};

/*
 * All paths of a thread, with each jump backwards taken @unroll times at most. Fails by
 * text_fail(): an address that is no location's, too many events or paths.
 */
struct paths paths_of(struct test *test, unsigned thread, unsigned unroll);

/* expr.c. What reads read is @value[read]. */
const struct expr *expr_number(struct arena *arena, uint64_t number);
const struct expr *expr_read(struct arena *arena, unsigned read);
const struct expr *expr_alu(struct arena *arena, enum alu alu, const struct expr *a,
			    const struct expr *b, unsigned size, bool sign);
/* 0, which depends on the access of that index. */
const struct expr *expr_after(struct arena *arena, unsigned access);
/* @a, which @by chose. */
const struct expr *expr_picked(struct arena *arena, const struct expr *a, uint64_t by);
uint64_t expr_value(const struct expr *expr, const uint64_t *value);

#endif /* NAP_LITMUS_PATH_H */
