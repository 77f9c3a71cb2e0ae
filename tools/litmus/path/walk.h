/* SPDX-License-Identifier: MIT */
/*
 * Within path/: a walk along one path of a thread (walk.c), and what an access does to it
 * (access.c).
 */
#ifndef NAP_LITMUS_WALK_H
#define NAP_LITMUS_WALK_H

#include "path/path.h"

#define MAX_CONSTRAINTS	64
#define MAX_ARMS	32
#define MAX_CODE	1024

/* The state of a walk. A fork copies all of it. */
struct walk {
	struct test *test;
	struct paths *paths;
	unsigned thread, unroll;
	unsigned pc;
	bool done;			/* cut, or impossible */
	unsigned nr, nr_constraints, nr_arms;
	uint64_t ctrl;			/* the reads that branches so far depend on */
	uint64_t pick_ctrl;
	uint64_t arm[MAX_ARMS][2];	/* both at each OP_ARM_BEGIN that has not ended */
	const struct expr *astray;	/* as the path's */
	const struct instruction *strays;
	int reserved;			/* the last exclusive load, or -1 */
	const struct expr *reg[TEST_REGISTERS];
	struct path_event event[PATH_EVENTS];
	struct constraint constraint[MAX_CONSTRAINTS];
	unsigned decisions, steps;	/* taken so far */
	struct {
		uint8_t turns;		/* in which something was decided */
		unsigned decisions;	/* when it jumped last */
	} backwards[MAX_CODE];		/* of each instruction that jumps so */
};

/* The access at walk->pc; afterwards the walk stands after it. */
void walk_access(struct walk *walk);

/* The walk takes another path, too: @go says which, and that path is walked to its end. */
void walk_fork(struct walk *walk, void (*go)(struct walk *, unsigned), unsigned which);

/* A decision here: @expr is not 0, or (!@holds) is 0. */
void walk_constrain(struct walk *walk, const struct expr *expr, bool holds);

struct path_event *walk_event(struct walk *walk, enum event_kind kind, uint64_t tags);
const struct expr *walk_operand(struct walk *walk, const struct operand *operand);
void walk_set(struct walk *walk, const struct expr *value);	/* the instruction's register */

static inline const struct instruction *instruction_at(const struct walk *walk)
{
	return &walk->test->thread[walk->thread].code[walk->pc];
}

#endif /* NAP_LITMUS_WALK_H */
