/* SPDX-License-Identifier: MIT */
/*
 * F0 waits for a semaphore, an event or a condition, while several threads end its wait
 * (ended_setup.h; src/async/fiber/sem.c, event.c, cond.c). fiber_sync.c cancels waits, too.
 */
#include "ended_setup.h"

#include <nap/sync.h>

#include "async/fiber/waiters.h"

/* written before the release, the set or the signal; not atomic, so a missing order is a race */
static int given;

/* ---- a semaphore */

static struct nap_sem sem;

static void sem_begin(void)
{
	ended_begin();
	nap_sem_init(&sem, 0);
	check_name(&sem.state, sizeof(sem.state), "sem");
	given = 0;
}

static void acquire(void *deadline)
{
	int err = nap_sem_acquire_until(&sem, deadline_in(deadline));

	CHECK(err || given == 1);
	call_over(err);
}

static void release(void *unused)
{
	(void)unused;
	given = 1;
	nap_sem_release(&sem, 1);
}

ENDED_GIVES(release, release)

static void sem_is_not_lost(void)
{
	CHECK(nap_sem_try(&sem) == (result != 0));
	CHECK(!nap_sem_try(&sem));
}

ENDED_FINALLY(sem, sem_is_not_lost)

CHECK_SCENARIO(ended_sem_withdrawn,
	.about = "a semaphore is released as who begins to wait is canceled: some have both",
	.setup = sem_begin, .finally = sem_or_canceled, .exists = withdrawn, .allowed = CHECK_RC11,
	.threads = WITHDRAWN(acquire, release_and_cancel));

CHECK_SCENARIO(ended_sem_timed, .about = "a semaphore is released as a wait for it is too late",
	.random = 20000,
	.setup = sem_begin, .finally = sem_or_late,
	.threads = TIMED(acquire, release));

CHECK_SCENARIO(ended_sem_stopped,
	.about = "a semaphore is released as the pool of who waits is stopped",
	.setup = sem_begin, .finally = sem_or_canceled,
	.threads = STOPPED(acquire, release));

/* ---- an event */

static struct nap_event event;

static void event_begin(void)
{
	ended_begin();
	event = (struct nap_event)NAP_EVENT_INIT;
	check_name(&event.state, sizeof(event.state), "event");
	given = 0;
}

static void await_event(void *deadline)
{
	int err = nap_event_wait_until(&event, deadline_in(deadline));

	CHECK(err || given == 1);
	call_over(err);
}

static void set_event(void *unused)
{
	(void)unused;
	given = 1;
	nap_event_set(&event);
}

ENDED_GIVES(set, set_event)

static void nobody_is_listed(void)
{
	CHECK(nap_event_is_set(&event) && !event.waiters.first && !event.waiters.last);
}

ENDED_FINALLY(event, nobody_is_listed)

CHECK_SCENARIO(ended_event_withdrawn,
	.about = "an event is set as who begins to wait is canceled: some have both",
	.setup = event_begin, .finally = event_or_canceled, .exists = withdrawn,
	.allowed = CHECK_RC11,
	.threads = WITHDRAWN(await_event, set_and_cancel));

CHECK_SCENARIO(ended_event_canceled, .about = "an event is set as who waits for it is canceled",
	.random = 20000,
	.setup = event_begin, .finally = event_or_canceled,
	.threads = CANCELED(await_event, set_event));

CHECK_SCENARIO(ended_event_timed, .about = "an event is set as a wait for it is too late",
	.random = 20000,
	.setup = event_begin, .finally = event_or_late,
	.threads = TIMED(await_event, set_event));

CHECK_SCENARIO(ended_event_stopped, .about = "an event is set as the pool of who waits is stopped",
	.setup = event_begin, .finally = event_or_canceled,
	.threads = STOPPED(await_event, set_event));

/*
 * ---- a condition: F0 is listed first, and then another fiber. No waiter checks a second time,
 * so none withdraws.
 */

static struct nap_cond cond;
static struct listed {
	struct nap__sleeper sleeper;
	struct nap__fiber_waiter waiter;
} listed[2];

static void list(struct listed *l, struct nap_fiber *fiber)
{
	fiber->wait.state = WAIT_NUMBER | WAIT_OPEN;
	l->sleeper = (struct nap__sleeper){ .wait = &fiber->wait,
					    .number = WAIT_NUMBER | WAIT_OPEN };
	l->waiter = (struct nap__fiber_waiter){ .what = NULL };
	waiters_add(&cond.waiters, &l->waiter, &l->sleeper);
}

#define OTHER (&fibers[CHECK_THREADS - 1].fiber)

static void cond_begin(void)
{
	ended_begin();
	fiber_is(CHECK_THREADS - 1);
	cond = (struct nap_cond)NAP_COND_INIT;
	check_name(&cond.lock, sizeof(cond.lock), "cond.lock");
	list(&listed[0], &fibers[0].fiber);
	list(&listed[1], OTHER);
	given = 0;
}

static void sleep_for_signal(void *deadline)
{
	int err = waiter_sleep(&cond.waiters, &cond.lock, &listed[0].waiter, &listed[0].sleeper,
			       deadline_in(deadline));

	CHECK(err || given == 1);
	call_over(err);
}

static void signal_one(void *unused)
{
	(void)unused;
	given = 1;
	nap_cond_signal(&cond);
}

/* The fiber that was not signaled is still listed. */
static CHECK_OUTSIDE void one_is_told(void)
{
	bool other = OTHER->wait.state & WAIT_READY;

	CHECK(other == (result != 0));
	CHECK(cond.waiters.first == (other ? NULL : &listed[1].waiter));
	CHECK(!listed[0].waiter.listed && listed[1].waiter.listed == !other);
}

ENDED_FINALLY(signal, one_is_told)

CHECK_SCENARIO(ended_cond_canceled,
	.about = "of two that wait the first is canceled as one is signalled",
	.setup = cond_begin, .finally = signal_or_canceled,
	.threads = CANCELED(sleep_for_signal, signal_one));

CHECK_SCENARIO(ended_cond_timed,
	.about = "of two that wait the first is too late as one is signalled",
	.setup = cond_begin, .finally = signal_or_late,
	.threads = TIMED(sleep_for_signal, signal_one));

CHECK_SCENARIO(ended_cond_stopped,
	.about = "of two that wait the first is ended by a stop as one is signalled",
	.setup = cond_begin, .finally = signal_or_canceled,
	.threads = STOPPED(sleep_for_signal, signal_one));
