/* SPDX-License-Identifier: MIT */
/*
 * The paths of one thread of a test. A path has the events of the thread without the values of
 * its reads: a value is an expression of these. Constraints describe the values with which the
 * thread takes the path.
 */
#ifndef NAP_LITMUS_PATH_H
#define NAP_LITMUS_PATH_H

#include "test/test.h"

#define PATH_EVENTS 48	/* of one thread */

/* An expression: a number, the value of a read (by index), or a result computed from two others. */
struct expr {
	enum { EXPR_NUMBER, EXPR_READ, EXPR_ALU } kind;
	enum alu alu;
	unsigned size;
	bool sign;			/* the result is sign-extended to 8 bytes */
	unsigned read;			/* index of the read in the path */
	uint64_t number;
	const struct expr *a, *b;
	/*
	 * @taint: the accesses that the value was made from, by index. Such a dependency is there
	 * even if it cannot change the value. @pick: the accesses that only chose between values
	 * (Arm's pick dependencies), as in a conditional select or a compare-exchange.
	 */
	uint64_t taint, pick;
	uint64_t needs;			/* the reads that have to be known before the value is */
};

enum event_kind { EVENT_READ, EVENT_WRITE, EVENT_FENCE };

struct path_event {
	enum event_kind kind;
	uint64_t tags;
	unsigned location, cell, size;
	/* the access: its first event's index, and how many events it has */
	unsigned first, parts;
	unsigned begin;			/* the first event of the read, or write */
	bool sign;			/* of a read's value */
	bool located;			/* of a fence: it has a location */
	bool pointed;			/* the address depends on a read */
	bool fits;			/* the access ends with the end of a cell */
	bool mixed;			/* through a pointer, so it may not fit into the location */
	const struct expr *address;
	const struct expr *value;	/* of a write */
	uint64_t addr, data, ctrl;	/* the reads that the event depends on, by index */
	uint64_t pick_addr, pick_data, pick_ctrl;
	int rmw;			/* of a write: index of its operation's read, or -1 */
	const struct instruction *from;
};

/*
 * A decision of a path: that @expr is not 0, or, with @holds false, that it is 0. @either: another
 * path differs only in that it makes the opposite decision.
 */
struct constraint {
	const struct expr *expr;
	bool holds, either;
};

struct path {
	struct path *next;
	unsigned nr, nr_constraints;
	struct path_event *event;
	struct constraint *constraint;
	const struct expr **reg;	/* the final values of the thread's registers */
	bool cut;			/* a loop reached the bound, so the path has no end */
	/* The path ended before this access, whose address is no location's; or NULL. */
	const struct expr *astray;
	const struct instruction *strays;
	/* The path ended here, in a turn that may be repeated for ever; or NULL. */
	const struct instruction *stuck;
	unsigned turn;			/* the first event of that turn */
};

struct paths {
	struct path *first;		/* paths that reach the end */
	/* paths that wait for ever, unless a read finds something else */
	struct path *stuck;
	unsigned nr;
	bool cut;			/* other paths were cut: the verdict is bounded */
	bool idle;			/* turns that change nothing were met */
};

/* How the jumps backwards are followed. */
struct turns {
	unsigned unroll;		/* each jump this many times at most */
	bool all;			/* also where a turn has changed nothing (path/loops.h) */
	unsigned kept;			/* not @all: how many such turns a path may have */
};

/*
 * Returns all paths of a thread. Fails by text_fail() at an address that is no location's, or too
 * many events or paths.
 */
struct paths paths_of(struct test *test, unsigned thread, const struct turns *turns);
/* Refuses @instruction: its @address is inside a location, or in none. */
_Noreturn void path_refuse(struct test *test, const struct instruction *instruction,
			   uint64_t address);

/* expr.c: expressions. @value[read] is the value of a read. */
const struct expr *expr_number(struct arena *arena, uint64_t number);
/* @size, @sign: of the read's value, which is extended to 8 bytes. */
const struct expr *expr_read(struct arena *arena, unsigned read, unsigned size, bool sign);
const struct expr *expr_alu(struct arena *arena, enum alu alu, const struct expr *a,
			    const struct expr *b, unsigned size, bool sign);
/* Returns 0 with a dependency on the access of this index. */
const struct expr *expr_after(struct arena *arena, unsigned access);
/* Returns @a, which the reads @by chose. */
const struct expr *expr_picked(struct arena *arena, const struct expr *a, uint64_t by);
uint64_t expr_value(const struct expr *expr, const uint64_t *value);

#endif /* NAP_LITMUS_PATH_H */
