/* SPDX-License-Identifier: MIT */
/* The rounds of the soak. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/os.h"
#include "scale.h"
#include "soak.h"

/* How many tasks a round of all shapes has; natively it takes a fraction of a second. */
#define ROUND	1000000

#define FAULTS_PRINTED	20

/* ThreadSanitizer maps memory for each fiber, and takes 2 ms for it. */
#ifdef __SANITIZE_THREAD__
#define FIBERS_SHARE	4
#else
#define FIBERS_SHARE	20
#endif

/*
 * Cheap tasks get the largest shares. A shape that ends pools gets about 100 tasks for each pool.
 */
const struct soak_shape soak_shapes[NR_SHAPES] = {
	[OUTSIDE_ONE] = { "outside, one by one", 130, false, soak_outside_one },
	[OUTSIDE_BATCH] = { "outside, batches", 150, false, soak_outside_batch },
	[INSIDE_ONE] = { "from tasks, one by one", 140, false, soak_inside },
	[INSIDE_BATCH] = { "from tasks, batches", 120, false, soak_inside },
	[AGAIN] = { "a task that goes on", 110, false, soak_again },
	[TREE] = { "trees", 100, false, soak_tree },
	[FLOOD] = { "more than a ring", 100, false, soak_inside },
	[PING_PONG] = { "between two pools", 26, false, soak_ping_pong },
	[GROUP_OUTSIDE] = { "groups, waits outside", 20, false, soak_group_outside },
	[GROUP_INSIDE] = { "groups, waits on workers", 20, false, soak_group_inside },
	[FORKS] = { "forks and joins", 10, false, soak_forks },
	[FIBERS] = { "fibers", FIBERS_SHARE, true, soak_fibers },
	[HELP] = { "helpers", 20, false, soak_help },
	[QUIESCE] = { "quiesce", 5, false, soak_quiesce },
	[BURST] = { "park and wake", 2, false, soak_burst },
	[LIFE_DRAIN] = { "pools drained and joined", 3, true, soak_life },
	[LIFE_STOP] = { "pools stopped and joined", 4, true, soak_life },
	[WALK] = { "waits at random", 20, true, soak_walk },
};

struct nap_pool soak_a, soak_b;

static uint32_t interrupted;

bool soak_interrupted(void)
{
	return nap_load_relaxed(&interrupted);
}

static void interrupt(int number)
{
	(void)number;
	nap_store_relaxed(&interrupted, 1);
}

void soak_fault(const char *what, long value)
{
	if (nap_fetch_add_relaxed(&soak_report.faults, 1) < FAULTS_PRINTED)
		fprintf(stderr, "# FAULT: %s (%ld)\n", what, value);
}

static uint64_t scheduled(void)
{
	struct tally sum;
	uint64_t n = 0;

	tally_sum(&sum);
	for (int i = 0; i < NR_SHAPES; i++)
		n += sum.offered[i];
	return n;
}

static void one_round(unsigned long tasks)
{
	for (unsigned int i = 0; i < NR_SHAPES && !soak_interrupted(); i++)
		soak_shapes[i].run(i, tasks * soak_shapes[i].share / 1000 + 1);
	if (nap_pool_quiesce(&soak_a) || nap_pool_quiesce(&soak_b))
		soak_fault("nap_pool_quiesce() of a running pool failed", 0);
	soak_report.rounds++;
}

static bool enough(const struct soak_options *options, uint64_t began)
{
	if (options->minutes)
		return nap__os_now() - began >= options->minutes * 60 * (uint64_t)1000000000;
	return scheduled() >= options->tasks;
}

static void run_rounds(const struct soak_options *options)
{
	unsigned long round = nap_test_count(ROUND);
	uint64_t began = nap__os_now();

	do {
		uint64_t done = scheduled();
		unsigned long rest = options->tasks > done ? options->tasks - done : 1;

		one_round(!options->minutes && rest < round ? rest : round);
		if (soak_report.rounds == 1)
			process_read(&soak_report.warm);
	} while (!soak_interrupted() && !enough(options, began));
	soak_report.seconds = (double)(nap__os_now() - began) / 1e9;
}

/* Joins the two pools that live for the whole run, and compares their counts with the soak's. */
static void end_pools(void)
{
	struct nap_pool_stats a, b;
	struct tally sum;
	uint64_t run = 0;

	if (nap_pool_join(&soak_a, NULL) || nap_pool_join(&soak_b, NULL))
		soak_fault("nap_pool_join() of a running pool failed", 0);
	nap_pool_get_stats(&soak_a, &a);
	nap_pool_get_stats(&soak_b, &b);
	tally_sum(&sum);
	for (int i = 0; i < NR_SHAPES; i++)
		if (!soak_shapes[i].ends)
			run += sum.run[i];
	/* The racers of the shapes that end pools are tasks of soak_b: two for each pool. */
	run += 2 * soak_report.pools;
	if (a.workers.run + a.helped + b.workers.run + b.helped != run)
		soak_fault("the pools' own counts of what they ran are wrong by",
			   (long)(a.workers.run + a.helped + b.workers.run + b.helped - run));
}

unsigned int soak_idle;

static void init_pool(struct nap_pool *pool, const char *name, unsigned int workers)
{
	struct nap_config config = {
		.max_workers = workers,
		.idle = soak_idle,
		.name = name,
		.worker_start = tally_worker_start,
		.worker_stop = tally_worker_stop,
	};

	if (nap_pool_init(pool, &config))
		abort();
	monitor_watch(pool);
}

int soak_run(const struct soak_options *options)
{
/* Makes glibc use one heap. Otherwise each thread that starts a thread would get 64 MiB more. */
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
	/*
	 * Counters for the workers of both pools and of one short-lived pool, the producers, and
	 * this thread.
	 */
	tally_init(2 * options->workers + 4 + SOAK_PRODUCERS + 1);
	tally_take();
	signal(SIGINT, interrupt);
	soak_idle = options->idle;
	init_pool(&soak_a, "soak-a", options->workers);
	init_pool(&soak_b, "soak-b", options->workers);
	monitor_start();
	process_read(&soak_report.before);
	run_rounds(options);
	end_pools();
	process_settle(&soak_report.after, soak_report.before.threads);
	monitor_stop();
	return report_print(options) ? 0 : 1;
}
