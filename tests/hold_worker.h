/* SPDX-License-Identifier: MIT */
/* A worker that a task keeps busy until the test lets it go. */
#ifndef NAP_TESTS_HOLD_WORKER_H
#define NAP_TESTS_HOLD_WORKER_H

#include <unistd.h>

#include <nap/pool.h>

#include "arch/atomic.h"

static uint32_t busy, let_go;

/* The task that holds the worker calls this function. */
static inline void stay_busy(void)
{
	nap_store_release(&busy, true);
	while (!nap_load_acquire(&let_go))
		usleep(100);
	nap_store_release(&busy, false);
}

/* Schedules @task, which calls stay_busy(), and waits until the call has begun. */
static inline void hold_worker(struct nap_pool *pool, struct nap_task *task)
{
	nap_store_relaxed(&let_go, false);
	nap_schedule(pool, task);
	while (!nap_load_acquire(&busy))
		usleep(100);
}

static inline void let_worker_go(void)
{
	nap_store_release(&let_go, true);
	while (nap_load_acquire(&busy))
		usleep(100);
}

#endif /* NAP_TESTS_HOLD_WORKER_H */
