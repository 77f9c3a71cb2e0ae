/* SPDX-License-Identifier: MIT */
/*
 * Within path/: a walk along one path of a thread (walk.c), where an access is (where.c), what it
 * does (access.c), and its events (parts.c).
 */
#ifndef NAP_LITMUS_WALK_H
#define NAP_LITMUS_WALK_H

#include "path/loops.h"
#include "path/path.h"

#define MAX_CONSTRAINTS	64
#define MAX_ARMS	32
#define MAX_CODE	1024

/* The state of a walk. A fork copies all of it. */
struct walk {
	struct test *test;
	struct paths *paths;
	const struct turns *how;
	const struct loops *loops;	/* NULL: there are no loops, or loops are not looked at */
	const struct arrival *arrival;	/* the last arrival */
	unsigned thread;
	unsigned pc;
	unsigned kept;			/* turns so far that have changed nothing */
	unsigned chances;		/* stores so far that have failed by chance */
	bool by_chance;			/* the present store fails by chance */
	bool done;			/* the path is cut, or impossible */
	unsigned nr, nr_constraints, nr_arms;
	uint64_t ctrl;			/* the reads that the branches so far depend on */
	uint64_t pick_ctrl;
	uint64_t arm[MAX_ARMS][2];	/* @ctrl and @pick_ctrl at each open OP_ARM_BEGIN */
	const struct expr *astray;	/* as struct path has it */
	const struct instruction *strays;
	int reserved;			/* the last exclusive load's first event, or -1 */
	const struct expr *reg[TEST_REGISTERS];
	struct path_event event[PATH_EVENTS];
	struct constraint constraint[MAX_CONSTRAINTS];
	unsigned decisions, steps;	/* number so far */
	struct {
		uint8_t turns;		/* iterations in which something was decided */
		unsigned decisions;	/* as of the last jump */
	} backwards[MAX_CODE];		/* for each instruction that jumps backwards */
};

/* implied.c: whether the decisions so far say whether @expr is not 0: @truth. */
bool walk_implies(const struct walk *walk, const struct expr *expr, bool *truth);

/* What an access reads or writes: at most 8 bytes, or a pair. */
struct value {
	const struct expr *low, *high;	/* @high NULL: no pair */
};

/* where.c: executes the access at walk->pc, and steps on. */
void walk_access(struct walk *walk);
/* access.c: the same for an access that begins with this cell. */
void walk_access_at(struct walk *walk, unsigned cell);

/*
 * parts.c: add a read or a write, an event for each cell. The value is the instruction's. @rmw: the
 * first event of the read of the same operation, or -1.
 */
struct value walk_read(struct walk *walk, unsigned cell, uint64_t tags);
void walk_write(struct walk *walk, unsigned cell, struct value value, int rmw);
/*
 * Returns how many events an access that begins with this cell has; 0: it does not fit the cells.
 */
unsigned walk_parts(const struct walk *walk, unsigned cell);
/* Makes the last @parts events parts of one access. */
void walk_join(struct walk *walk, unsigned first, unsigned parts);

/* Walks another path, too, to its end: @go begins it, with @which. */
void walk_fork(struct walk *walk, void (*go)(struct walk *, unsigned), unsigned which);

/* Walks a path in which the access fails by chance: it could also succeed. */
void walk_chance(struct walk *walk, void (*go)(struct walk *, unsigned), unsigned which);

/* Notes a decision: @expr is not 0, or (!@holds) is 0. */
void walk_constrain(struct walk *walk, const struct expr *expr, bool holds);

/*
 * Notes that a compare-exchange fails: it has not found what it wanted, or it is weak. Where loops
 * are looked at, a weak one fails in two paths: in one it has not found what it wanted, in the
 * other (walk->by_chance) it has.
 */
void walk_fail(struct walk *walk, const struct expr *wanted);

struct path_event *walk_event(struct walk *walk, enum event_kind kind, uint64_t tags);
const struct expr *walk_operand(struct walk *walk, const struct operand *operand);
void walk_set(struct walk *walk, const struct expr *value);	/* of the instruction's register */

static inline const struct instruction *instruction_at(const struct walk *walk)
{
	return &walk->test->thread[walk->thread].code[walk->pc];
}

#endif /* NAP_LITMUS_WALK_H */
