/* SPDX-License-Identifier: MIT */
/* The part that tests of forked jobs share: a function on a worker of a pool. */
#ifndef NAP_TESTS_JOBS_FIXTURE_H
#define NAP_TESTS_JOBS_FIXTURE_H

#include "pool_fixture.h"
#include "watchdog.h"

struct on_worker {
	struct nap_task task;
	struct nap_group group;
	void (*run)(struct nap_worker *worker);
};

static inline void run_here(struct nap_task *task)
{
	struct on_worker *on = nap_container_of(task, struct on_worker, task);

	on->run(nap_worker_self());
	nap_group_done(&on->group);
}

/*
 * Runs @run on a worker of @where, and returns the result of the wait for its end. If the result is
 * not 0, @run may still be running.
 */
static inline int run_on_worker(struct nap_pool *where, void (*run)(struct nap_worker *worker))
{
	static struct on_worker on;

	on = (struct on_worker){ NAP_TASK_INIT(run_here), NAP_GROUP_INIT(where), run };
	nap_group_add(&on.group, 1);
	if (nap_schedule(where, &on.task))
		abort();
	return nap_group_wait(&on.group);
}

#endif /* NAP_TESTS_JOBS_FIXTURE_H */
