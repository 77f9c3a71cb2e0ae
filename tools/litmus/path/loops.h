/* SPDX-License-Identifier: MIT */
/*
 * Within path/: turns of loops that change nothing.
 *
 * A thread comes to an instruction a second time. In between it has only read, and every register
 * whose value is still needed has the value that it had, made from the same reads. Take an
 * execution, and cut these reads (and fences) out of it. What is left is an execution of the same
 * program: the thread goes from the first arrival where it went from the second, and each read
 * reads from the write that it read from. Nothing has read from what is gone. And there is no order
 * that was not there before, if the model gives no order because something is missing
 * (rules->fewer). So the model allows what is left, and its final state is the same. By repetition:
 * all final states are those of executions without such turns, and a path with one need not be
 * followed.
 *
 * The registers may also have been made from reads that the thread repeats, as in
 *
 *	old = load(x); while (!compare_exchange_weak(x, &old, old + 1)) { }
 *
 * Then compare the last reads before the first arrival with as many last reads before the second
 * arrival; their number is the window. Suppose that the later reads are like the earlier ones, and
 * that the registers have been made from the later reads as they were made from the earlier ones.
 * Then the interval can be cut out that begins with the earlier reads and ends before the later
 * ones.
 *
 * A compare-exchange that does not fail by chance fails only if it finds another value than the
 * last one that it found. Each turn decides this anew. Let u, v, w, z be the values that a thread
 * has found one after the other: v is not u, w is not v, z is not w. If z is not v, the read of w
 * can be cut out. If z is v, the reads of v and w can be cut out, because v is not u. So one of the
 * two intervals can always be cut out (idle->ends), and two failures are enough. Such a loop does
 * not go on for ever: in the end all its reads read the last write, and find the same value.
 *
 * (Kokologiannakis, Ren, Vafeiadis: Dynamic partial order reductions for spinloops, FMCAD 2021.
 * There the turns are found in the program's text, here in the states of the walk.)
 *
 * The turn may also never end, if nobody writes what it waits for: path->stuck. A fair machine
 * shows each write to each thread at some time. So a thread goes round for ever if and only if
 * there is an execution in which all reads of the turn read from the last writes of their locations
 * (Lahav, Namakonov, Oberhauser, Podkopaev, Vafeiadis: Making weak memory models fair, OOPSLA 2021;
 * Oberhauser et al.: VSync, ASPLOS 2021). A store-exclusive that failed by chance does not go on
 * failing.
 */
#ifndef NAP_LITMUS_LOOPS_H
#define NAP_LITMUS_LOOPS_H

#include "path/path.h"

/* A set of registers, and whether there is a reservation for a store-exclusive. */
struct live {
	uint64_t set[TEST_REGISTERS / 64 + 1];
};
#define LIVE_RESERVED TEST_REGISTERS

/* The code of a thread. */
struct loops {
	bool *head;			/* of each instruction: a later one jumps to it */
	struct live *live;		/* of each instruction: the registers needed from it on */
};

/* Where a walk was, when it came to the head of a loop. */
struct arrival {
	const struct arrival *before;
	unsigned pc, nr, nr_constraints, nr_arms, chances;
	uint64_t ctrl, pick_ctrl;
	int reserved;
	const uint64_t (*arm)[2];
	const struct expr *const *reg;
};

struct walk;

/* live.c: returns NULL if there is no jump backwards. */
struct loops *loops_of(struct test *test, unsigned thread);

static inline bool live_has(const struct live *live, unsigned reg)
{
	return live->set[reg / 64] >> reg % 64 & 1;
}

/* An interval of a walk that can be cut out of it. */
struct idle {
	const struct arrival *arrival;	/* the first arrival */
	unsigned from;			/* the first event that is cut out */
	bool ends;			/* one of two intervals, by what is read; such turns end */
};

/*
 * loops.c: whether the walk, which goes to @pc now, was there before, and has changed nothing since
 * then.
 */
bool loops_idle(const struct walk *walk, unsigned pc, struct idle *idle);
/* Notes that the walk is at the head of a loop. */
void loops_arrive(struct walk *walk);

/*
 * same.c: compares expressions that a walk has made before and after an interval of @by events,
 * which begins with event @from. Where the earlier expression has event @from or a later one, the
 * other has to have the event that comes @by events after it.
 */
struct window {
	unsigned from, by;
};
bool same_expr(const struct window *window, const struct expr *a, const struct expr *b);
/* Whether @b has everything that @a has. */
bool same_within(const struct window *window, uint64_t a, uint64_t b);
bool same_event(const struct window *window, const struct path_event *a,
		const struct path_event *b);
/*
 * @a and @b are decisions that two numbers are not equal. Cutting out the interval @near leaves an
 * execution if @a holds again, of a later read: this read does not find the value of an earlier
 * read. If it does find that value, then @b holds again for the later read, because @b held for the
 * earlier one. Then @far can be cut out.
 */
bool same_or_other(const struct window *near, const struct expr *a, const struct window *far,
		   const struct expr *b);

#endif /* NAP_LITMUS_LOOPS_H */
