/* SPDX-License-Identifier: MIT */
/*
 * Loops, a row each: how many iterations, and what an iteration does. A peer defines how it runs a
 * loop,
 *
 *	#define LOOP(name, turns, turn)		static void name(void) { for ... turn(i); }
 *	LOOPS(LOOP)
 *	const struct row loop_rows[] = { LOOPS(LOOP_ROW) ROWS_END };
 *
 * and includes this file for the rest. n loops back to back are a sample. If HOW is "pause", each
 * loop is a sample, and main is busy for a millisecond before it. If HOW is "idle", main sleeps for
 * a millisecond before each loop, and the sample is the CPU time. If HOW is "alone", a plain loop
 * runs on one thread, n times, which shows how long an iteration is.
 */
#ifndef NAP_BENCH_LOOPS_H
#define NAP_BENCH_LOOPS_H

#include <string.h>

#include "common/row.h"

#define LOOP_PAUSE_NS 1000000u

static inline void turn_short(uint64_t i)
{
	(void)i;
	row_work(400);
}

static inline void turn_long(uint64_t i)
{
	(void)i;
	row_work(40000);
}

/* About 10 ns. Each iteration needs the result of the thread's last one, so they do not overlap. */
static __thread uint64_t turn_last __attribute__((unused));

static inline void turn_tiny(uint64_t i)
{
	i ^= turn_last;
	for (int k = 0; k < 6; k++)
		i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9u;
	turn_last = i;
}

static inline void turn_by_index(uint64_t i)
{
	row_work(i * 20);
}

static inline void turn_by_chance(uint64_t i)
{
	row_work((i * 0x9e3779b97f4a7c15u >> 40) % 20000);
}

static inline void turn_heavy(uint64_t i)
{
	row_work(i == 500 ? 5000000 : 1000);
}

#define LOOPS(X)						\
	X(for_short, "for-short", 16, turn_short)		\
	X(for_long, "for-long", 16, turn_long)			\
	X(for_many, "for-many", 1000000, turn_tiny)		\
	X(for_index, "for-index", 1000, turn_by_index)		\
	X(for_chance, "for-chance", 1000, turn_by_chance)	\
	X(for_heavy, "for-heavy", 1000, turn_heavy)

/* Runs a row as HOW says. */
static inline void loops_row(const struct size *size, row_fn *back_to_back, row_fn *once,
			     row_fn *after_sleep)
{
	if (!strcmp(size->how, "pause"))
		row_time_each(size, LOOP_PAUSE_NS, once);
	else
		row_time(size, strcmp(size->how, "idle") ? back_to_back : after_sleep);
}

/* Defines NAME_alone_row(), which measures iterations by themselves. */
#define LOOP_ALONE(name, text, turns, turn)				\
static void name##_alone(const struct size *size)			\
{									\
	for (uint64_t n = 0; n < size->n; n++)				\
		for (uint64_t i = 0; i < turns; i++)			\
			turn(i);					\
}									\
static inline void name##_alone_row(const struct size *size)		\
{									\
	row_time_n(size, size->n * turns, name##_alone);		\
}
LOOPS(LOOP_ALONE)

#define LOOP_ROW(name, text, turns, turn) ROW(text, name##_row),

/* Makes a row of a loop of LOOP(): @begin comes before the rounds, @end after them. */
#define LOOP_AS_ROW(name, begin, end)					\
static void name##_once(const struct size *size)			\
{									\
	(void)size;							\
	name();								\
}									\
static void name##_often(const struct size *size)			\
{									\
	for (uint64_t i = 0; i < size->n; i++)				\
		name();							\
}									\
static void name##_asleep(const struct size *size)			\
{									\
	for (uint64_t i = 0; i < size->n; i++) {			\
		row_sleep(LOOP_PAUSE_NS);				\
		name();							\
	}								\
}									\
static void name##_row(const struct size *size)				\
{									\
	if (!strcmp(size->how, "alone")) {				\
		name##_alone_row(size);					\
		return;							\
	}								\
	begin(size);							\
	loops_row(size, name##_often, name##_once, name##_asleep);	\
	end();								\
}

#endif /* NAP_BENCH_LOOPS_H */
