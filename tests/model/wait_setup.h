/* SPDX-License-Identifier: MIT */
/*
 * A worker that waits for a group inside a task, and then never leaves the task, beside a worker
 * that sleeps. To be included once.
 */
#ifndef MODEL_WAIT_SETUP_H
#define MODEL_WAIT_SETUP_H

#include "pool_setup.h"

static struct nap_group group;

static void wait_and_block(struct nap_task *task)
{
	job_begin(task);
	CHECK(nap_group_wait(&group) == 0);
	block_for_ever();
}

static struct job waiting = JOB_INIT(wait_and_block);

/* Setup: the first worker is about to begin the task. */
static void pool_waits(unsigned first_worker)
{
	pool_add_worker(first_worker);
	pool_set_idle(pool_add_worker(first_worker));
	pool_signal(registry_at(pool, 0));
	job_queue(&waiting);
	nap_group_init(&group, pool);
	CHECK(nap_group_add(&group, 1) == 0);
	check_name(&group, sizeof(group), "group");
}

static void done(void *unused)
{
	(void)unused;
	CHECK(nap_group_done(&group) == 0);
}

#endif /* MODEL_WAIT_SETUP_H */
