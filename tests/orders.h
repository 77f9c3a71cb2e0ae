/* SPDX-License-Identifier: MIT */
/*
 * The parts that tests of orders share. The headers promise that what a thread did before one call
 * is visible to the thread that another call returns to, or runs on; and the library tells race
 * detectors so. Stand-ins for ThreadSanitizer's functions keep a clock for each thread. They know
 * only the orders that the library tells: neither that of pthread_join(), nor that of an atomic
 * operation. So each order has to be told by the way that a test takes. If a call returns that
 * something has not happened, there is no order.
 */
#ifndef NAP_TESTS_ORDERS_H
#define NAP_TESTS_ORDERS_H

#include <pthread.h>

#include <nap/async.h>
#include <nap/end.h>

#include "pool_fixture.h"
#include "watchdog.h"

/* ---- clocks */

void __tsan_acquire(void *at);
void __tsan_release(void *at);

enum { THREADS = 128, PLACES = 1024 };

struct clock {
	uint32_t of[THREADS];
};

static struct {
	void *at;
	struct clock clock;
} places[PLACES];
static struct clock clocks[THREADS];
static uint32_t nr_threads, lock;
static __thread uint32_t number;	/* the thread's, from 1 on */

static void take(void)
{
	while (nap_xchg_acquire(&lock, 1))
		sched_yield();
}

static void give(void)
{
	nap_store_release(&lock, 0);
}

/* Not inlined, because a fiber may go on in another thread. */
static __attribute__((noinline)) uint32_t me(void)
{
	if (!number)
		number = nap_fetch_add_relaxed(&nr_threads, 1) + 1;
	if (number >= THREADS)
		abort();
	return number;
}

static struct clock *place_of(void *at)
{
	size_t i = ((uintptr_t)at >> 2) * 2654435761u % PLACES;

	for (size_t n = 0; n < PLACES; n++, i = (i + 1) % PLACES)
		if (!places[i].at || places[i].at == at) {
			places[i].at = at;
			return &places[i].clock;
		}
	abort();
}

static void join_clocks(struct clock *to, const struct clock *from)
{
	for (int i = 0; i < THREADS; i++)
		if (to->of[i] < from->of[i])
			to->of[i] = from->of[i];
}

void __tsan_acquire(void *at)
{
	take();
	join_clocks(&clocks[me()], place_of(at));
	give();
}

void __tsan_release(void *at)
{
	take();
	join_clocks(place_of(at), &clocks[me()]);
	clocks[me()].of[me()]++;
	give();
}

/* What the first thread does, at one time by its clock, and how much of it the second one sees. */
static uint32_t acted_by, acted_at;

static void act(void)
{
	take();
	acted_by = me();
	acted_at = ++clocks[acted_by].of[acted_by];
	give();
}

static bool sees(void)
{
	bool does;

	take();
	does = acted_by && clocks[me()].of[acted_by] >= acted_at;
	give();
	return does;
}

/* ---- two threads */

static struct nap_pool pool;
static uint32_t second_sleeps;
static __thread bool is_second;

struct order {
	const char *name;
	void (*prepare)(void);	/* on a third thread */
	void (*first)(void);	/* after act() */
	int (*second)(void);	/* 0: sees what was done; 1: must not see it; else a failure */
};

static const struct order *order;
static int result;
static bool has_seen;

static void *be_first(void *unused)
{
	act();
	order->first();
	return unused;
}

static void *be_second(void *unused)
{
	is_second = true;
	result = order->second();
	has_seen = sees();
	return unused;
}

static void begin(void)
{
	take();
	memset(places, 0, sizeof(places));
	give();
	second_sleeps = 0;
	acted_by = 0;
	if (order->prepare)
		order->prepare();
}

static bool is_right(void)
{
	return result ? result == 1 && !has_seen : has_seen;
}

static void expect_orders(struct __test_metadata *_metadata, const struct order *orders, size_t n,
			  bool (*run)(void))
{
	watchdog(&pool, 0);
	for (order = orders; order < orders + n; order++) {
		EXPECT_TRUE(run()) {
			TH_LOG("%s", order->name);
		}
	}
}

#define EXPECT_ORDERS(run, ...) do {							\
	static const struct order orders[] = { __VA_ARGS__ };				\
	expect_orders(_metadata, orders, sizeof(orders) / sizeof(*orders), run);	\
} while (0)

static void check(int err)
{
	if (err)
		abort();
}
#endif /* NAP_TESTS_ORDERS_H */
