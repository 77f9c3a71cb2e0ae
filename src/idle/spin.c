/* SPDX-License-Identifier: MIT */
/*
 * Spinning before sleeping: src/idle/spin.h. Typically a thread that was woken in time spins again.
 */
#include "idle/spin.h"

#include <errno.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "os/os.h"
#include "sync/event.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * The number of sleeps that are measured; the bounds of the result; and the value before there is a
 * result.
 */
#define MEASURES	4
#define LEAST_NS	2000u
#define MOST_NS		50000u
#define USUAL_NS	10000u

/*
 * After a spin in vain a thread does not spin before its next sleeps. The number of these sleeps is
 * the spin's duration, in planned durations (at most COST_MAX). The number is doubled for each
 * earlier spin in vain that no later success has undone. A spin that lasts LATE times as long as
 * planned shows that another program had the CPU for a time slice of milliseconds, and will have it
 * again.
 */
#define FAILS_MAX	10u
#define LATE		8u
#define LATE_FAILS	6u
#define COST_MAX	4u

static uint32_t sleep_ns;	/* atomic: the duration of the shortest sleep */
static uint32_t measures;	/* atomic: how many sleeps were measured */

/* Whether the event has a reason. Relaxed, because event_wait() takes the reason with acquire. */
static bool has_reason(uint32_t *event)
{
	return nap_load_relaxed(event) & EVENT_ANY;
}

/*
 * Measures a sleep whose timeout is over at once: this CPU halts and is woken. The shortest of a
 * few sleeps counts, because longer ones were disturbed.
 */
static void measure(uint32_t *event)
{
	uint64_t slack = nap__os_timer_slack(1), begin = nap__os_now(), took;
	/*
	 * EVENT_ANY is masked out of the expected value: so a reason in the word ends the wait.
	 * Not noticed in tests when 2 for 1 or 0 for 1: that time is over at once, too.
	 */
	int err = nap__futex_wait(event, nap_load_relaxed(event) & ~EVENT_ANY, begin + 1);

	took = nap__os_now() - begin;
	nap__os_timer_slack(slack);
	if (err != -ETIMEDOUT)
		return;
	/* Not noticed in tests when <= for < or >= for >: both are the same number then. */
	took = took < LEAST_NS ? LEAST_NS : took > MOST_NS ? MOST_NS : took;
	/* Not noticed in tests when <= for <: an equal number is stored again. */
	if (!nap_load_relaxed(&sleep_ns) || took < nap_load_relaxed(&sleep_ns))
		nap_store_relaxed(&sleep_ns, (uint32_t)took);
	/* Counted last, or a child that is forked in between would have a count and no result. */
	nap_fetch_add_relaxed(&measures, 1);
}

uint64_t nap__spin_pays_ns(void)
{
	uint32_t ns = nap_load_relaxed(&sleep_ns);

	/* 0: no sleep was measured yet. */
	return 2 * (uint64_t)(ns ? ns : USUAL_NS);
}

/* Returns for how long to spin, ns; 0: no sleep is measured yet. */
static uint64_t spin_time(struct nap_pool *pool, uint32_t *event)
{
	uint32_t us = pool->config.spin_us;

	if (us)
		return us * (uint64_t)1000;
	if (nap_load_relaxed(&measures) < MEASURES)
		measure(event);
	/*
	 * The factor 2: a wake also costs the waker a system call, and the interrupt that it sends.
	 */
	return 2 * nap_load_relaxed(&sleep_ns);
}

/*
 * Counts one more spinning thread; false: it may not spin. (The count of idle workers includes
 * spinning ones, and guests; the count of spawned workers includes no guests.)
 */
static bool enter(struct nap_pool *pool, uint32_t *spinning, bool outside)
{
	uint32_t cpus = nap_load_relaxed(&pool->cpus);
	uint32_t spawned = nap__idle_spawned(pool), idle = nap__idle_count(pool);
	/* Not noticed in tests when >= for >: the difference is 0 then. */
	uint32_t taken = outside ? 1 : spawned > idle ? spawned - idle : 0;

	if (cpus < 2)
		return false;
	if (nap_fetch_add_relaxed(spinning, 1) + taken < cpus)
		return true;
	nap_fetch_sub_relaxed(spinning, 1);
	return false;
}

/* Checks until the event has a reason, or @ns are over. Returns how long that took. */
static uint64_t poll_event(struct nap_worker *worker, uint32_t *event, uint64_t ns)
{
	uint64_t start = nap__os_now(), took;

	do {
		/* Not noticed in tests when 1 for 0 or <= for <: one look less, or more. */
		for (int i = 0; i < NAP_SPIN_LOOKS && !has_reason(event); i++)
			/* Not noticed in tests when dropped: it takes from the other CPU. */
			nap_cpu_relax();
		if (!has_reason(event)) {
			nap__os_yield();
			if (worker)
				stat_add(&worker->stats.yielded, 1);
		}
		took = nap__os_now() - start;
	} while (took < ns && !has_reason(event));
	return took;
}

/*
 * Notes the result of a spin, and when to try again. @cost: the spin's duration, in planned
 * durations.
 */
static void remember(struct nap__self *self, uint64_t cost, bool woken)
{
	bool late = cost >= LATE;

	if (woken && !late) {
		self->spin_fails -= self->spin_fails > 0;
		return;
	}
	if (late)
		self->spin_fails += LATE_FAILS;
	/* Not noticed in tests when >= for >: it is set to the same number. */
	if (self->spin_fails > FAILS_MAX)
		self->spin_fails = FAILS_MAX;
	/* Not noticed in tests when <= for <: both are the same number then. */
	self->spin_skip = (cost < COST_MAX ? (uint32_t)cost : COST_MAX) << self->spin_fails;
	self->spin_fails += self->spin_fails < FAILS_MAX;
}

bool nap__spin_for(struct nap_pool *pool, struct nap_worker *worker, uint32_t *event)
{
	struct nap__self *self = nap__self();
	uint32_t *spinning = &pool->spinning[!worker];
	uint64_t ns, cost;

	if (self->spin_skip) {
		self->spin_skip--;
		return false;
	}
	if (!enter(pool, spinning, !worker))
		return false;
	ns = spin_time(pool, event);
	cost = ns ? poll_event(worker, event, ns) / ns : 0;
	nap_fetch_sub_relaxed(spinning, 1);
	if (ns)
		remember(self, cost, has_reason(event));
	return has_reason(event);
}
