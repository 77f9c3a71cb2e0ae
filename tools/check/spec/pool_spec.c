/* SPDX-License-Identifier: MIT */
/*
 * nap/pool.h: scheduling. A task that was accepted runs once, some time, on some worker, and sees
 * what was written before it was scheduled. A pool has max_workers workers; if max_workers is 0, it
 * has as many as --nap-workers says.
 */
#include "spec.h"

#include <pthread.h>

#define SPEC_RUNS 16u	/* of one thread */

_Static_assert(sizeof(struct spec_pool) <=
	       sizeof(struct nap_pool) - offsetof(struct nap_pool, inject),
	       "fits into what is private");

/* The runs that each thread has made. Static, so that any thread that has the address may look. */
static struct run runs[CHECK_THREADS + 1][SPEC_RUNS];
static __thread unsigned nr_runs;
__thread struct run *spec_self;

/* ---- runs */

struct run *spec_run(struct nap_pool *pool)
{
	const struct nap_config *config = &pool->config;
	struct run *run = &runs[check_self()][nr_runs++];

	if (config->worker_start || config->worker_stop || config->flags & NAP_NO_WORKERS)
		check_fail("the specification has no worker_start, worker_stop, NAP_NO_WORKERS");
	if (config->max_workers > SPEC_WORKERS || nr_runs > SPEC_RUNS)
		check_fail("the specification has at most %u workers of a pool "
			   "and %u runs of a thread",
			   SPEC_WORKERS, SPEC_RUNS);
	run->pool = pool;
	run->nth = check_self() ? SPEC_WORKERS : spec_of(pool)->by_main++;
	return run;
}

static void run_once(struct run *run)
{
	if (run->before)
		spec_waits_for_end(run->before);
	while (run->before && !acquire(&run->before->ended))
		;
	waits_no_more();
	if (run->turn)
		run->turn(run);
	if (run->class)
		spec_permit_take(run);
	spec_take_worker(run);
	if (run->begins)
		run->begins(run);
	if (run->job)
		spec_run_job(run);
	else if (!cas_relaxed(&run->state, QUEUED, BEGUN))
		;
	else if (run->fiber)
		run->result = run->fiber(run->arg);
	else
		run->task->run(run->task);
	spec_worker_ends();
	if (run->over)
		run->over(run);
	if (run->class)
		spec_permit_give(run);
	spec_leave_worker(run);
}

static void *thread_of(void *arg)
{
	struct run *run = spec_self = arg;

	spec_is_thread(run);
	if (run->job && relaxed(&run->state) == LEFT) {
		store_release(&run->ended, 1);
		return NULL;
	}
	for (unsigned fires = 0; fires < (run->periodic ? SPEC_FIRES : 1); fires++) {
		if (relaxed(&run->timer) && !cas_relaxed(&run->timer, ARMED, FIRED))
			return NULL;
		run_once(run);
		if (!run->periodic || !spec_rearms(run)) {
			store_release(&run->ended, 1);
			return NULL;
		}
	}
	return NULL;
}

/* A pool that ends takes no more from outside. */
int spec_list(struct run *run)
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

static void start(struct run *run)
{
	pthread_t thread;

	if (run->task)
		run->task->next = NULL;		/* the pool's from here on */
	pthread_create(&thread, NULL, thread_of, run);
}

int spec_begin(struct run *run)
{
	int err = spec_list(run);

	if (!err)
		start(run);
	return err;
}

void spec_begin_inside(struct run *run)
{
	run->next = spec_self->scheduled;
	spec_self->scheduled = run;
	start(run);
}

int nap_schedule(struct nap_pool *pool, struct nap_task *task)
{
	struct run *run = spec_run(pool);

	run->task = task;
	return spec_begin(run);
}

/*
 * A batch is accepted or refused as a whole. An execution in which the pool ends between two of the
 * batch's tasks is given up.
 */
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
		check_assume(!err);
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
