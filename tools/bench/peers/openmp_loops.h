/* SPDX-License-Identifier: MIT */
/*
 * OpenMP's loops and sums. Loops with even iterations have the static schedule, equal parts. Uneven
 * loops have the guided schedule, and the loop with one heavy iteration has the dynamic schedule.
 */
#ifndef NAP_BENCH_OPENMP_LOOPS_H
#define NAP_BENCH_OPENMP_LOOPS_H

#include "common/loops.h"
#include "common/numbers.h"

static int loop_team;

static void team_start(const struct size *size)
{
	loop_team = (int)size->workers;
}

static void team_end(void)
{
}

#define OMP(what) _Pragma(#what)
#define FOR(name, turns, turn, how)						\
static void name(void)								\
{										\
	OMP(omp parallel for num_threads(loop_team) schedule(how))		\
	for (uint64_t i = 0; i < turns; i++)					\
		turn(i);							\
}										\
LOOP_AS_ROW(name, team_start, team_end)

FOR(for_short, 16, turn_short, static)
FOR(for_long, 16, turn_long, static)
FOR(for_many, 1000000, turn_tiny, static)
FOR(for_index, 1000, turn_by_index, guided)
FOR(for_chance, 1000, turn_by_chance, guided)
FOR(for_heavy, 1000, turn_heavy, dynamic)

static double sum(const double *numbers, uint64_t n)
{
	double all = 0;

	#pragma omp parallel for reduction(+ : all) num_threads(loop_team)
	for (uint64_t i = 0; i < n; i++)
		all += numbers[i];
	return all;
}

static void sum_row(const struct size *size)
{
	team_start(size);
	sum_time(size, sum);
}

#endif /* NAP_BENCH_OPENMP_LOOPS_H */
