/* SPDX-License-Identifier: MIT */
/*
 * nap/pool.h: scheduling. A task that was accepted runs once, some time, on some worker, and sees
 * what was written before it was scheduled. A pool has max_workers workers; if max_workers is 0, it
 * has as many as --nap-workers says.
 */
#include "spec.h"

#include <pthread.h>

/* --nap-workers, as an address that the linker is told. 0: each run has a worker of its own. */
extern char nap_check_workers[];
#define default_workers ((unsigned)(uintptr_t)nap_check_workers)
#define SPEC_RUNS 16u	/* of one thread */

_Static_assert(sizeof(struct spec_pool) <= sizeof(struct nap_pool) - offsetof(struct nap_pool, inject),
	       "fits into what is private");

/* The runs that each thread has made. Static, so that any thread that has the address may look. */
static struct run runs[CHECK_THREADS + 1][SPEC_RUNS];
static __thread unsigned nr_runs;
__thread struct run *spec_self;

/* ---- workers */

/* Begins on @worker if it is idle, or above the run that waits there. */
static bool take(struct run *run, uintptr_t *worker)
{
	uintptr_t top = 0;

	while (!try_acquire(worker, &top, (uintptr_t)run | RUNS))
		if (top & RUNS)
			return false;
	run->worker = worker;
	run->below = top;
	return true;
}

/*
 * Begins on any worker, each in some execution. The run waits until this worker is idle, or has a
 * run that waits. An execution in which it waits while another worker could run it is given up:
 * another execution begins in the same way. All workers are alike, so main()'s first run has only
 * the first worker to choose from, its second run the first two.
 */
static void take_worker(struct run *run)
{
	uintptr_t *worker = spec_of(run->pool)->worker;
	unsigned nr = run->pool->config.max_workers ? run->pool->config.max_workers : default_workers;
	unsigned mine = run->nth < nr ? run->nth + 1 : nr;

	if (!default_workers) {
		run->worker = &run->below;
		return;
	}
	mine = mine > 1 ? check_choose(mine) : 0;
	while (!take(run, &worker[mine]))
		for (unsigned w = 0; w < nr; w++)
			check_assume(w == mine || relaxed(&worker[w]) & RUNS);
}

static void leave_worker(struct run *run)
{
	if (default_workers)
		store_release(run->worker, run->below);
}

void spec_waits(void)
{
	struct run *run = spec_self;

	if (run && run->fiber)
		leave_worker(run);
	else if (run && default_workers)
		store_release(run->worker, (uintptr_t)run);
}

void spec_goes_on(void)
{
	struct run *run = spec_self;

	if (run && run->fiber)
		take_worker(run);
	else if (run)
		while (default_workers && !cas_acquire(run->worker, (uintptr_t)run, (uintptr_t)run | RUNS))
			;
}

/* ---- runs */

struct run *spec_run(struct nap_pool *pool)
{
	const struct nap_config *config = &pool->config;
	struct run *run = &runs[check_self()][nr_runs++];

	if (config->worker_start || config->worker_stop || config->classes || config->flags & NAP_NO_WORKERS)
		check_fail("the specification has no worker_start, worker_stop, classes, NAP_NO_WORKERS");
	if (config->max_workers > SPEC_WORKERS || nr_runs > SPEC_RUNS)
		check_fail("the specification has at most %u workers of a pool and %u runs of a thread",
			   SPEC_WORKERS, SPEC_RUNS);
	run->pool = pool;
	run->nth = check_self() ? SPEC_WORKERS : spec_of(pool)->by_main++;
	return run;
}

static void *thread_of(void *arg)
{
	struct run *run = spec_self = arg;

	if (relaxed(&run->timer) && !cas_relaxed(&run->timer, ARMED, FIRED))
		return NULL;
	while (run->before && !acquire(&run->before->ended))
		;
	take_worker(run);
	if (cas_relaxed(&run->state, QUEUED, BEGUN)) {
		if (run->fiber)
			run->result = run->fiber(run->arg);
		else
			run->task->run(run->task);
	}
	leave_worker(run);
	store_release(&run->ended, 1);
	return NULL;
}

/* Lists @run among what its pool has accepted. A pool that ends takes no more from outside. */
static int list(struct run *run)
{
	struct spec_pool *pool = spec_of(run->pool);
	uintptr_t last;

	if (is_stopped(run->pool))
		return -ESHUTDOWN;
	if (is_inside(run->pool)) {
		run->next = spec_self->scheduled;
		spec_self->scheduled = run;
		return 0;
	}
	do {
		last = relaxed(&pool->outside);
		if (last & CLOSED)
			return -ESHUTDOWN;
		run->next = (struct run *)last;
	} while (!cas_release(&pool->outside, last, (uintptr_t)run));
	return 0;
}

int spec_begin(struct run *run)
{
	pthread_t thread;
	int err = list(run);

	if (err)
		return err;
	if (run->task)
		run->task->next = NULL;		/* the pool's from here on */
	pthread_create(&thread, NULL, thread_of, run);
	return 0;
}

int nap_schedule(struct nap_pool *pool, struct nap_task *task)
{
	struct run *run = spec_run(pool);

	run->task = task;
	return spec_begin(run);
}

/* Accepted or refused as a whole: only its first task can be refused. */
int nap_schedule_batch(struct nap_pool *pool, struct nap_batch *batch)
{
	struct nap_task *task;
	int err;

	if (!batch->head)
		return 0;
	if ((is_inside(pool) ? is_stopped(pool) : acquire(&spec_of(pool)->outside) & CLOSED))
		return -ESHUTDOWN;
	while ((task = nap_batch_pop(batch))) {
		err = nap_schedule(pool, task);
		check_assume(!err);	/* a batch is whole: no end comes within it */
	}
	return 0;
}

/* ---- the beginning */

int nap_pool_init(struct nap_pool *pool, const struct nap_config *config)
{
	if (!pool || (uintptr_t)pool % NAP__CACHE_LINE)
		return -EINVAL;
	*pool = (struct nap_pool){ .config = config ? *config : (struct nap_config){ 0 } };
	return 0;
}

/* Whether a worker could be started: always. */
int nap_pool_prewarm(struct nap_pool *pool, uint32_t n)
{
	(void)n;
	if (!pool)
		return -EINVAL;
	return acquire(&spec_of(pool)->outside) & CLOSED ? -ESHUTDOWN : 0;
}

/* Time stands still; a deadline may come at any time. */
uint64_t nap_deadline(uint64_t timeout_ns)
{
	return timeout_ns < NAP_FOREVER - 1 ? timeout_ns + 1 : NAP_FOREVER;
}
