/* SPDX-License-Identifier: MIT */
/* Fibers that wait for a group until a test completes it. */
#ifndef NAP_TESTS_FIBER_FIXTURE_H
#define NAP_TESTS_FIBER_FIXTURE_H

#include <unistd.h>

#include <nap/fiber.h>
#include <nap/group.h>

#include "arch/atomic.h"
#include "sync/lock.h"

#define MS 1000000u

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_group never;	/* complete when the test completes it */
static uint32_t nr_waiting, nr_ended;

static inline intptr_t waits(void *arg)
{
	int err;

	(void)arg;
	nap_fetch_add_relaxed(&nr_waiting, 1);
	err = nap_group_wait(&never);
	nap_fetch_add_relaxed(&nr_ended, 1);
	return err;
}

static inline void begin_waiting(struct nap_pool *of)
{
	nap_group_init(&never, of);
	nap_group_add(&never, 1);
}

/* Waits until @n fibers have begun, and probably sleep. */
static inline void until_waiting(uint32_t n)
{
	while (nap_load_relaxed(&nr_waiting) < n)
		usleep(100);
	usleep(5000);
}

/* Whether fibers of other pools wait for something in the pool @in. */
static inline bool has_foreign_fibers(struct nap_pool *in)
{
	bool has;

	lock_take(&in->foreign_lock);
	has = in->foreign;
	lock_give(&in->foreign_lock);
	return has;
}

static inline intptr_t number(void *arg)
{
	return (intptr_t)arg;
}

#endif /* NAP_TESTS_FIBER_FIXTURE_H */
