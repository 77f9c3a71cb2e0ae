/* SPDX-License-Identifier: MIT */
/*
 * The parts that tests of nap_call() share: a pool under each idle protocol, and threads that call
 * into it.
 */
#ifndef NAP_TESTS_CALL_FIXTURE_H
#define NAP_TESTS_CALL_FIXTURE_H

#include <errno.h>
#include <pthread.h>

#include "fib.h"
#include "fork/call_list.h"
#include "os/futex.h"
#include "sched/guest.h"
#include "idle/idle.h"
#include "worker/phase.h"
#include "pool_fixture.h"
#include "queue/kind.h"
#include "under.h"
#include "watchdog.h"

static struct nap_pool pool, other;

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
	watchdog(&pool, 0);
	watch_pool(&other);
}

static inline void begin_pool(struct nap_pool *p, enum nap_idle idle, uint32_t workers)
{
	if (nap_pool_init(p, &(struct nap_config){ .idle = idle, .max_workers = workers }))
		abort();
}

/* A door at which many threads wait without using a CPU. */
static uint32_t door, at_door;

static inline void wait_at_door(void)
{
	nap_fetch_add_release(&at_door, 1);
	while (!nap_load_acquire(&door))
		nap__futex_wait(&door, 0, UINT64_MAX);
}

static inline void open_door(void)
{
	nap_store_release(&door, 1);
	nap__futex_wake(&door, UINT32_MAX >> 1);
}

static inline void await_at_door(uint32_t n)
{
	while (nap_load_acquire(&at_door) < n)
		usleep(100);
}

/* A thread that calls into the pool. */
struct caller {
	pthread_t thread;
	struct nap_pool *pool;
	nap_call_fn fn;
	uint32_t index;		/* index of the worker on which the call ran */
	uint32_t begun, over;
	int err;
};

static inline void note_and_call(struct nap_worker *worker, void *arg)
{
	struct caller *c = arg;

	c->index = nap_worker_index(worker);
	flag_set(&c->begun);
	if (c->fn)
		c->fn(worker, c);
}

static inline void *call_thread(void *arg)
{
	struct caller *c = arg;

	c->err = nap_call(c->pool, note_and_call, c);
	flag_set(&c->over);
	return NULL;
}

static inline void caller_start(struct caller *c, struct nap_pool *p, nap_call_fn fn)
{
	*c = (struct caller){ .pool = p, .fn = fn, .index = UINT32_MAX, .err = 1 };
	if (pthread_create(&c->thread, NULL, call_thread, c))
		abort();
}

static inline void hold(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	wait_at_door();
}

static inline void hold_task(struct nap_task *task)
{
	(void)task;
	wait_at_door();
	nap_fetch_add_release(&nr_run, 1);
}

/* take_all_places() starts these threads. Each takes a guest record, and waits at the door. */
static struct caller guests[NAP_GUESTS];

static inline void take_all_places(struct nap_pool *p)
{
	uint32_t before = nap_load_relaxed(&at_door);

	for (uint32_t i = 0; i < NAP_GUESTS; i++)
		caller_start(&guests[i], p, hold);
	await_at_door(before + NAP_GUESTS);
}

static inline void join_guests(struct __test_metadata *_metadata)
{
	for (uint32_t i = 0; i < NAP_GUESTS; i++) {
		pthread_join(guests[i].thread, NULL);
		EXPECT_EQ(guests[i].err, 0);
		EXPECT_GE(guests[i].index, pool.limit);
		EXPECT_LT(guests[i].index, pool.limit + NAP_GUESTS);
	}
}

/* Waits until a caller waits for a guest record. */
static inline void await_listed(struct nap_pool *p)
{
	while (!calls_wait(p))
		usleep(100);
}

static inline void call_fib(struct nap_worker *worker, void *arg)
{
	*(long *)arg = fib(worker, nap_top(worker), 15);
}

#define FIB_15 610

#endif /* NAP_TESTS_CALL_FIXTURE_H */
