/* SPDX-License-Identifier: MIT */
/*
 * Compares the idle protocols on the shapes of work in which they differ: how much work comes at
 * a time, and how often. Prints for each shape the time from a burst's beginning until its last
 * task has run, and the CPU time of the whole process. Both are divided by those of the Sync
 * protocol in the same run. Each burst goes to one protocol after the other, so that other load of
 * the machine falls on all. Below each shape of tasks it prints what the workers did for each 1,000
 * tasks.
 */
#include <nap/nap.h>

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "counts.h"

#define PROTOCOLS 3
#define BATCH 64u
#define PAUSE_NS 1000000u

static const char *const names[PROTOCOLS] = { "  Sync", "  Go", "  JEC" };
static struct nap_pool pools[PROTOCOLS];
static struct nap_task tasks[BATCH];
static struct nap_group group;
static uint64_t loops;

/* ---- bursts; each returns when all its tasks have run */

static void run(struct nap_task *unused)
{
	(void)unused;
	work(loops);
	nap_group_done(&group);
}

static void begin(struct nap_pool *pool, uint32_t n)
{
	nap_group_init(&group, pool);
	nap_group_add(&group, n);
}

static void wait_all(void)
{
	if (nap_group_wait(&group))
		abort();
}

static void one_task(struct nap_pool *pool)
{
	begin(pool, 1);
	if (nap_schedule(pool, &tasks[0]))
		abort();
	wait_all();
}

static void batch(struct nap_pool *pool)
{
	struct nap_batch all = NAP_BATCH_INIT;

	begin(pool, BATCH);
	for (unsigned i = 0; i < BATCH; i++)
		nap_batch_push(&all, &tasks[i]);
	if (nap_schedule_batch(pool, &all))
		abort();
	wait_all();
}

static void one_by_one(struct nap_pool *pool)
{
	begin(pool, BATCH);
	for (unsigned i = 0; i < BATCH; i++)
		if (nap_schedule(pool, &tasks[i]))
			abort();
	wait_all();
}

static unsigned fib(struct nap_worker *worker, struct nap_frame *top, unsigned n);
NAP_JOB(fib, unsigned, unsigned)

static unsigned fib(struct nap_worker *worker, struct nap_frame *top, unsigned n)
{
	struct nap_frame *next;
	unsigned other;

	if (n < 2) {
		work(loops);
		return n;
	}
	next = fib_fork(worker, top, n - 1);
	other = fib(worker, next, n - 2);
	return other + fib_join(worker, top, n - 1);
}

static void tree_call(struct nap_worker *worker, void *unused)
{
	(void)unused;
	if (fib(worker, nap_top(worker), 14) != 377)
		abort();
}

static void tree(struct nap_pool *pool)
{
	if (nap_call(pool, tree_call, NULL))
		abort();
}

/* ---- shapes */

static const struct shape {
	const char *name;
	void (*burst)(struct nap_pool *pool);
	uint64_t work_ns;	/* the length of a task, or of a leaf */
	long pause_ns;
	unsigned per_round;
} shapes[] = {
	{ "a task of 10 us, waited for, and a pause of 1 ms", one_task, 10000, PAUSE_NS, 100 },
	{ "a task of 10 us, waited for, and the next at once", one_task, 10000, 0, 1000 },
	{ "a batch of 64 of 10 us, and a pause of 1 ms", batch, 10000, PAUSE_NS, 50 },
	{ "a batch of 64 of 10 us, and the next at once", batch, 10000, 0, 100 },
	{ "64 of 1 us one by one, and the next at once", one_by_one, 1000, 0, 500 },
	{ "a tree of 610 leaves of 1 us, and a pause of 1 ms", tree, 1000, PAUSE_NS, 50 },
	{ "a tree of 610 leaves of 1 us, and the next at once", tree, 1000, 0, 100 },
};

struct cost {
	uint64_t wall, cpu;
};

static void round_of(const struct shape *shape, struct nap_pool *pool, struct cost *cost)
{
	uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct timespec pause = { 0, shape->pause_ns };

	for (unsigned i = 0; i < shape->per_round; i++) {
		uint64_t begin;

		if (shape->pause_ns)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		begin = clock_ns(CLOCK_MONOTONIC);
		shape->burst(pool);
		cost->wall += clock_ns(CLOCK_MONOTONIC) - begin;
	}
	nap_pool_quiesce(pool);
	cost->cpu += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

static void compare(const struct shape *shape, unsigned long rounds)
{
	struct cost costs[PROTOCOLS] = { 0 }, warm_up = { 0 };
	struct nap_worker_stats from[PROTOCOLS];
	double bursts = (double)rounds * shape->per_round;

	loops = loops_of(shape->work_ns);
	for (unsigned i = 0; i < PROTOCOLS; i++)
		round_of(shape, &pools[i], &warm_up);
	for (unsigned i = 0; i < PROTOCOLS; i++)
		from[i] = counts_of(&pools[i]);
	for (unsigned long r = 0; r < rounds; r++)
		for (unsigned i = 0; i < PROTOCOLS; i++)
			round_of(shape, &pools[i], &costs[i]);
	printf("%-50s %8.1f us %5.2f %5.2f  %8.1f us %5.2f %5.2f\n", shape->name,
	       (double)costs[0].wall / bursts / 1e3,
	       (double)costs[1].wall / (double)costs[0].wall,
	       (double)costs[2].wall / (double)costs[0].wall,
	       (double)costs[0].cpu / bursts / 1e3,
	       (double)costs[1].cpu / (double)costs[0].cpu,
	       (double)costs[2].cpu / (double)costs[0].cpu);
	for (unsigned i = 0; i < PROTOCOLS && shape->burst != tree; i++)
		counts_print(names[i], from[i], counts_of(&pools[i]));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *end = "";
	unsigned long rounds = argc > 1 ? strtoul(argv[1], &end, 10) : 10;

	if (argc > 2 || *end || rounds < 1 || rounds > 1000) {
		fprintf(stderr, "usage: %s [ROUNDS]\n"
			"the idle protocols on shapes of work, 1 to 1000 ROUNDS (10) each\n",
			argv[0]);
		return 2;
	}
	for (unsigned i = 0; i < BATCH; i++)
		nap_task_init(&tasks[i], run);
	for (uint32_t i = 0; i < PROTOCOLS; i++) {
		int err = nap_pool_init(&pools[i], &(struct nap_config){ .idle = i });

		if (err) {
			fprintf(stderr, "protocols: nap_pool_init: error %d\n", -err);
			return 1;
		}
	}
	printf("%u CPUs, %lu rounds\n%-50s %11s %5s %5s  %11s %5s %5s\n", nap_cpu_count(), rounds,
	       "", "wall: Sync", "Go", "JEC", "CPU: Sync", "Go", "JEC");
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		compare(&shapes[i], rounds);
	for (unsigned i = 0; i < PROTOCOLS; i++)
		nap_pool_join(&pools[i], NULL);
	return 0;
}
