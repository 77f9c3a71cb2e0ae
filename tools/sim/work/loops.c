/* SPDX-License-Identifier: MIT */
/*
 * Loops: a single one; many in a row; loops of short and of long iterations; a loop whose
 * iterations differ; and a sum over a loop.
 */
#include "work/common.h"

static void one_loop(uint64_t n, uint64_t ns, bool uneven)
{
	iterations_begin(n, ns, uneven);
	sim_run.pool->loop(n);
	iterations_checked();
}

static void loop(void)
{
	begin();
	one_loop(sim_run.tasks, sim_run.grain_ns, false);
	end();
}

SIM_WORK(loop, .name = "loop", .run = loop, .each = 1000, .grain_ns = 1000,
	 .about = "one loop");

static void regions(void)
{
	unsigned nr = 20;

	begin();
	for (unsigned i = 0; i < nr; i++)
		one_loop(sim_run.tasks / nr, sim_run.grain_ns, false);
	end();
}

SIM_WORK(regions, .name = "regions", .run = regions, .each = 2000, .grain_ns = 1000,
	 .about = "20 loops, one after another, of as many iterations in all");

/* Each loop takes the same time in all: the iterations are the fewer, the longer they are. */
static void grains(void)
{
	static const uint64_t percent[] = { 1, 10, 100, 1000 };

	begin();
	for (unsigned i = 0; i < sizeof(percent) / sizeof(percent[0]); i++)
		one_loop((sim_run.tasks * 100 + percent[i] - 1) / percent[i],
			 sim_run.grain_ns * percent[i] / 100, false);
	end();
}

SIM_WORK(grains, .name = "grains", .run = grains, .each = 100, .grain_ns = 1000,
	 .about = "four loops of iterations a hundredth, a tenth, "
		  "once and ten times as long as --grain");

static void uneven(void)
{
	begin();
	one_loop(sim_run.tasks, sim_run.grain_ns, true);
	end();
}

SIM_WORK(uneven, .name = "uneven", .run = uneven, .each = 1000, .grain_ns = 1000,
	 .about = "one loop, whose iterations are the longer, the later they come");

OF_SIMULATOR static uint64_t right_sum(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += i * i % 1009;
	return sum;
}

static void reduce(void)
{
	uint64_t sum;

	begin();
	iterations_begin(sim_run.tasks, sim_run.grain_ns, false);
	sum = sim_run.pool->reduce(sim_run.tasks);
	end();
	iterations_checked();
	if (sum != right_sum(sim_run.tasks))
		sim_fail("the sum is %llu", (unsigned long long)sum);
}

SIM_WORK(reduce, .name = "reduce", .run = reduce, .each = 1000, .grain_ns = 1000,
	 .about = "the sum over one loop");
