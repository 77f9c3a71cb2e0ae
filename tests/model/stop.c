/* SPDX-License-Identifier: MIT */
/*
 * A task that knows that its pool is stopped is refused when it schedules, although workers read
 * one word only, pool->plain, before they schedule (src/worker/phase.h). A second thread stops
 * the pool.
 */
#include "pool_setup.h"

static struct job job = JOB_INIT(job_run);
static struct nap_group group;

/* Setup: worker 0, which is thread 1, is in the middle of a task. */
static void one_busy(void)
{
	pool_new(1, 1);
	pool_add_worker(1);
	nap_group_init(&group, pool);
	nap_group_add(&group, 1);
}

static void stopper(void *unused)
{
	(void)unused;
	nap_pool_shutdown(pool, NAP_STOP);
}

static void stop_and_schedule(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 0));
	/* This thread or the stopper has stopped the pool. */
	nap_pool_shutdown(pool, NAP_STOP);
	CHECK(job_schedule(&job) == -ESHUTDOWN);
}

static void wait_and_schedule(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 0));
	if (nap_group_wait_for(&group, 0) == -ECANCELED)
		CHECK(job_schedule(&job) == -ESHUTDOWN);
}

CHECK_SCENARIO(stop_stopped_twice, .about = "a task that has stopped the pool is refused",
	.setup = one_busy,
	.threads = { { stopper, .name = "stopper" }, { stop_and_schedule, .name = "task" } });

CHECK_SCENARIO(stop_canceled, .about = "a task whose wait was canceled by a stop is refused",
	.setup = one_busy, .random = 10000,
	.threads = { { stopper, .name = "stopper" }, { wait_and_schedule, .name = "task" } });
