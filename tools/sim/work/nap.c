/* SPDX-License-Identifier: MIT */
/* nap itself, under each of its idle protocols. */
#include <nap/nap.h>

#include "program/work.h"

static struct nap_pool pool;

static void start_with(uint32_t idle)
{
	struct nap_config config = { .max_workers = sim_run.workers, .idle = idle };

	sim_name(&pool, sizeof(pool), "struct nap_pool");
	if (nap_pool_init(&pool, &config) || nap_pool_prewarm(&pool, sim_run.workers))
		sim_fail("the pool does not start");
	/* Until all have looked for work, and sleep. */
	sim_sleep_until(sim_now() + 2000000);
}

static void start_sync(void)
{
	start_with(NAP_IDLE_SYNC);
}

static void start_go(void)
{
	start_with(NAP_IDLE_GO);
}

static void start_jec(void)
{
	start_with(NAP_IDLE_JEC);
}

static void schedule(struct nap_task *task)
{
	if (nap_schedule(&pool, task))
		sim_fail("nap_schedule() refuses a task");
}

static void schedule_batch(struct nap_batch *batch)
{
	if (nap_schedule_batch(&pool, batch))
		sim_fail("nap_schedule_batch() refuses a batch");
}

static void wait(void)
{
	if (nap_pool_quiesce(&pool))
		sim_fail("nap_pool_quiesce() fails");
}

static void stop(void)
{
	if (nap_pool_join(&pool, NULL))
		sim_fail("nap_pool_join() fails");
}

static uint64_t steals(void)
{
	struct nap_pool_stats stats;

	nap_pool_get_stats(&pool, &stats);
	return stats.workers.stolen + stats.workers.jobs_stolen;
}

static uint64_t fib_of(struct nap_worker *worker, struct nap_frame *top, unsigned n);
NAP_JOB(fib_of, uint64_t, unsigned)

static uint64_t fib_of(struct nap_worker *worker, struct nap_frame *top, unsigned n)
{
	struct nap_frame *next;
	uint64_t right;

	if (n < 2) {
		work_leaf();
		return n;
	}
	next = fib_of_fork(worker, top, n - 1);
	right = fib_of(worker, next, n - 2);
	return right + fib_of_join(worker, top, n - 1);
}

struct fib_call {
	unsigned n;
	uint64_t result;
};

static void fib_begin(struct nap_worker *worker, void *arg)
{
	struct fib_call *call = arg;

	call->result = fib_of(worker, nap_top(worker), call->n);
}

static uint64_t fib(unsigned n)
{
	struct fib_call call = { n, 0 };

	if (nap_call(&pool, fib_begin, &call))
		sim_fail("nap_call() fails");
	return call.result;
}

static int range(size_t begin, size_t end, void *arg)
{
	(void)arg;
	for (size_t i = begin; i < end; i++)
		loop_body(i);
	return 0;
}

static void loop(uint64_t n)
{
	if (nap_for(&pool, 0, n, range, NULL))
		sim_fail("nap_for() fails");
}

#define NAP_OPS .schedule = schedule, .schedule_batch = schedule_batch, .wait = wait, .fib = fib,	\
	.loop = loop, .stop = stop, .steals = steals
SIM_POOL(nap, .name = "nap", .about = "nap, with its first idle protocol, Sync", .start = start_sync, NAP_OPS);
SIM_POOL(go, .name = "nap-go", .about = "nap with the idle protocol of Go", .start = start_go, NAP_OPS);
SIM_POOL(jec, .name = "nap-jec", .about = "nap with Rayon's idle protocol", .start = start_jec, NAP_OPS);
