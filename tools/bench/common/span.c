/* SPDX-License-Identifier: MIT */
/* Takes and prints samples: clocks, pinned threads, rounds. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/row.h"

uint64_t row_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void row_begin(struct span *span)
{
	span->cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	span->wall = row_now();
}

static void line(const struct size *size, const struct span *took, uint64_t n)
{
	printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", size->row, row_peer, took->wall,
	       took->cpu, n);
}

static struct span since(const struct span *span)
{
	struct span took = { row_now() - span->wall, 0 };

	took.cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - span->cpu;
	return took;
}

void row_end(const struct size *size, const struct span *span, uint64_t n)
{
	struct span took = since(span);

	line(size, &took, n);
}

void row_print(const struct size *size, uint64_t value, uint64_t n)
{
	printf("%s\t%s\t%" PRIu64 "\t-\t%" PRIu64 "\n", size->row, row_peer, value, n);
}

void row_pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		row_die("this row wants two CPUs, 0 and 1");
}

void row_start_apart(const struct size *size)
{
	if (size->apart)
		row_pin(1);
}

void row_go_apart(const struct size *size)
{
	if (size->apart)
		row_pin(0);
}

void row_time(const struct size *size, row_fn *once)
{
	row_time_n(size, size->n, once);
}

void row_time_n(const struct size *size, uint64_t each, row_fn *once)
{
	bool cold = !strcmp(size->how, "cold");
	struct span span;

	if (!cold)
		once(size);
	row_go_apart(size);
	if (!cold)
		once(size);
	row_begin(&span);
	for (unsigned i = 0; i < size->rounds; i++)
		once(size);
	row_end(size, &span, each * size->rounds);
}

void row_sleep(uint64_t ns)
{
	struct timespec pause = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (ns && clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, &pause))
		;
}

void row_busy(uint64_t ns)
{
	uint64_t end = row_now() + ns;

	while (row_now() < end)
		;
}

static void *samples(const struct size *size, size_t bytes)
{
	void *memory = calloc(size->rounds, bytes);

	if (!memory)
		row_die("no memory");
	return memory;
}

/* Samples are printed at the end, because a write in between would be work, too. */
void row_time_each(const struct size *size, uint64_t rest_ns, row_fn *once)
{
	struct span *took = samples(size, sizeof(*took)), begin;

	once(size);
	row_go_apart(size);
	for (unsigned i = 0; i < size->rounds; i++) {
		row_busy(rest_ns);
		row_begin(&begin);
		once(size);
		took[i] = since(&begin);
	}
	for (unsigned i = 0; i < size->rounds; i++)
		line(size, &took[i], size->n);
	free(took);
}

void row_take_each(const struct size *size, uint64_t rest_ns, row_sample_fn *once)
{
	uint64_t *took = samples(size, sizeof(*took));

	once(size);
	row_go_apart(size);
	for (unsigned i = 0; i < size->rounds; i++) {
		row_busy(rest_ns);
		took[i] = once(size);
	}
	for (unsigned i = 0; i < size->rounds; i++)
		row_print(size, took[i], 1);
	free(took);
}

static uint64_t loops_per_us;

void row_calibrate(void)
{
	loops_per_us = loops_of(1000);
}

void row_work(uint64_t ns)
{
	work(loops_per_us * ns / 1000);
}
