/* SPDX-License-Identifier: MIT */
/*
 * The program that runs a litmus test. nap-litmus contains the text of this program, and not its
 * code. TEST is the test, which nap-litmus has written.
 *
 *	lab KEY=VALUE...		how.h
 *
 * The test's threads are shared among workers, one for each CPU, or one for each thread if threads
 * are fewer or wait in loops; if there are CPUs for it, more such teams run at the same time. A
 * batch is an array of instances of the locations, laid out in one of several ways. The workers go
 * through the batch in one order. To run an instance together, they meet before some of the
 * instances, or start each by the clock. Before they start they prefetch or flush lines, and they
 * start some steps late. A worker with several threads runs them one after the other, with a fence
 * between, as a kernel that schedules them on one CPU. After the batch the workers count its
 * results, and so it is learned which of these choices are worth most (knobs.h).
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TEST
#define TEST "test.h"
#endif
#include TEST		/* ROLES, LOCATIONS, VALUES, SLOTS, LOOPS, layouts, source, ... */
#include "machine.h"
/* The code up to pop_options runs once, and is not worth the compiler's time. */
#pragma GCC push_options
#pragma GCC optimize("O0")
#include "how.h"
#include "cpus.h"
#pragma GCC pop_options
#include "table.h"
#include "knobs.h"
#include "team.h"
#include "plan.h"
#pragma GCC push_options
#pragma GCC optimize("O0")
#include "say.h"
#include "begin.h"
#pragma GCC pop_options

/* Returns the value of a register or location. An address in this program becomes the test's. */
static inline uint64_t shown(const char *lab, const unsigned *place, uint64_t value)
{
	if (value < 1 << 16)
		return value;
	for (unsigned i = 0; i < LOCATIONS; i++)
		if (value - (uint64_t)(uintptr_t)(lab + place[i]) < 8)
			return address[i] + value - (uint64_t)(uintptr_t)(lab + place[i]);
	return value;
}

static inline char *instance(const struct team *team, const struct batch *batch, unsigned i,
			     unsigned *index)
{
	*index = (batch->start + i * batch->step) & batch->mask;
	return team->instances + (size_t)*index * batch->layout->stride;
}

static inline uint64_t *slots(const struct team *team, unsigned role, unsigned index)
{
	return team->out + ((size_t)role * how.size + index) * SLOTS;
}

/* Waits until the @i-th instance is due. */
static inline void await_turn(struct worker *w, const struct batch *batch, unsigned i)
{
	if (batch->interval)
		while ((int64_t)(ticks() - batch->begin - i * batch->interval) < 0)
			;
	else if (!(i & batch->apart))
		meet(w);
}

static inline void touch_some(const struct batch *batch, unsigned r, const char *lab)
{
	for (unsigned k = 0; k < batch->nr_touching[r]; k++)
		touch(lab + batch->touching[r][k].place, batch->touching[r][k].how);
}

/* Runs the worker's roles one after the other, from a random one on. */
static inline void run_roles(struct worker *w, const struct batch *batch, const unsigned *mine,
			     unsigned nr, char *lab, unsigned index)
{
	uint64_t random = batch->late || nr > 1 ? draw(w) : 0;
	unsigned first = nr > 1 ? (unsigned)(random >> 32) % nr : 0;

	for (unsigned k = 0; k < nr; k++) {
		unsigned r = mine[(first + k) % nr];

		if (k)
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
		be_late(batch->delay[r] + ((unsigned)(random >> k) & batch->late));
		batch->layout->role[r](lab, slots(w->team, r, index));
	}
}

static void run_batch(struct worker *w, const struct batch *batch)
{
	unsigned mine[ROLES], nr = 0, index, touching = 0;

	for (unsigned i = w->number; i < ROLES; i += nr_workers) {
		mine[nr++] = batch->role[i];
		touching += batch->nr_touching[batch->role[i]];
	}
	for (unsigned i = 0; i < batch->nr; i++) {
		char *lab;

		if (touching)
			for (unsigned k = 0; k < nr; k++)
				touch_some(batch, mine[k], instance(w->team, batch,
								    i + batch->ahead, &index));
		lab = instance(w->team, batch, i, &index);
		await_turn(w, batch, i);
		run_roles(w, batch, mine, nr, lab, index);
	}
}

/* Makes this worker's share of the instances new. */
static void prepare_share(struct worker *w, const struct batch *batch)
{
	unsigned index;

	for (unsigned i = (w->number + batch->turn) % nr_workers; i < batch->nr; i += nr_workers)
		batch->layout->prepare(instance(w->team, batch, i, &index));
}

/* Counts this worker's share of the batch's results. */
static void count_share(struct worker *w, const struct batch *batch, unsigned turn)
{
	uint64_t value[VALUES], *out[ROLES];
	double worth = 0, weight;
	unsigned index;

	for (unsigned i = w->number; i < batch->nr; i += nr_workers) {
		char *lab = instance(w->team, batch, i, &index);

		for (unsigned r = 0; r < ROLES; r++)
			out[r] = slots(w->team, r, index);
		batch->layout->observe(lab, out, value);
		weight = add(w->table, value, 1);
		worth += wanted(value) ? weight * w->table->states : weight;
	}
	w->worth[turn] = worth;
}

/* Moves the worker to its CPU in this order of the CPUs. */
static void pin(struct worker *w, unsigned order)
{
	cpu_set_t set;

	w->order = order;
	if (how.affinity == UNPINNED)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpus.order[order][(w->team->number * nr_workers + w->number) % cpus.nr], &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct team *team = w->team;
	struct batch batch;

	pin(w, 0);
	for (unsigned turn = 1;; turn++) {
		if (!w->number)
			plan(w);
		meet(w);
		batch = team->next;
		if (batch.over)
			return NULL;
		if (batch.order != w->order)
			pin(w, batch.order);
		prepare_share(w, &batch);
		if (!w->number)
			team->begin = ticks() + (uint64_t)(1000 * ticks_a_ns);
		meet(w);
		batch.begin = team->begin;
		run_batch(w, &batch);
		meet(w);
		count_share(w, &batch, turn & 1);
	}
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	for (unsigned i = 1; i < how.copies * nr_workers; i++)
		if (pthread_create(&worker_at(i)->thread, NULL, work, worker_at(i)))
			fail("no thread");
	work(worker_at(0));
	for (unsigned i = 1; i < how.copies * nr_workers; i++)
		pthread_join(worker_at(i)->thread, NULL);
	say();
	return 0;
}
