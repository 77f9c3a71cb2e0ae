/* SPDX-License-Identifier: MIT */
/*
 * Fibers F0 and F1 wait for a mutex, a semaphore, a condition or an event (src/async/fiber/sem.c,
 * mutex.c, cond.c, event.c), while other threads release, signal or set it, and a canceler may
 * cancel F0. Invariants: nothing that is handed over is lost, whichever waiter leaves at that
 * time; a waiter sees what was done before its wait ended.
 */
#include <errno.h>

#include "fiber_setup.h"

#include <nap/sync.h>

#include "sync/lock_word.h"

/* the bit of src/async/fiber/mutex.c which says that a fiber is listed */
#define MUTEX_AWAITED (2 * LOCK_STATE)

static struct nap_mutex mutex;
static struct nap_sem sem;
static struct nap_cond cond;
static struct nap_event event;
static int guarded, ready, results[2];

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	for (unsigned i = 0; i < 2; i++)
		fiber_is(i);
	nap_mutex_init(&mutex);
	nap_sem_init(&sem, 0);
	cond = (struct nap_cond)NAP_COND_INIT;
	event = (struct nap_event)NAP_EVENT_INIT;
	check_name(&mutex.state, sizeof(mutex.state), "mutex");
	check_name(&sem.state, sizeof(sem.state), "sem");
	check_name(&cond.lock, sizeof(cond.lock), "cond.lock");
	check_name(&event.state, sizeof(event.state), "event");
	guarded = ready = 0;
	results[0] = results[1] = 0;
}

static int *result(void)
{
	return &results[check_self()];
}

static void cancel(void *number)
{
	CHECK(nap_fiber_cancel(&fibers[(uintptr_t)number].fiber) == 0);
}

/* ---- a mutex */

static void lock_and_add(void *unused)
{
	(void)unused;
	*result() = nap_mutex_lock(&mutex);
	if (*result())
		return;
	guarded++;
	nap_mutex_unlock(&mutex);
}

static void both_have_added(void)
{
	CHECK(!results[0] && !results[1] && guarded == 2);
	CHECK(nap_mutex_trylock(&mutex));
}

CHECK_SCENARIO(fiber_mutex, .about = "two fibers add one each under a mutex",
	.setup = begin, .finally = both_have_added,
	.threads = { { lock_and_add, NULL, "F0" }, { lock_and_add, NULL, "F1" } });

static void locked(void)
{
	begin();
	CHECK(nap_mutex_trylock(&mutex));
}

static uint32_t overtaken;

static void locked_alone(void)
{
	locked();
	overtaken = 0;
}

static void unlock(void *unused)
{
	(void)unused;
	nap_mutex_unlock(&mutex);
}

CHECK_SCENARIO(fiber_mutex_handed_on,
	.about = "a mutex is handed to who waits as another one comes",
	.random = 20000,
	.setup = locked, .finally = both_have_added,
	.threads = { { lock_and_add, NULL, "F0" }, { lock_and_add, NULL, "F1" },
		     { unlock, NULL, "owner" } });

static void one_may_have_added(void)
{
	CHECK(results[0] == 0 || results[0] == -ECANCELED);
	CHECK(guarded == !results[0]);
	CHECK(nap_mutex_trylock(&mutex));
}

CHECK_SCENARIO(fiber_mutex_canceled,
	.about = "who waits for a mutex is canceled as that is unlocked",
	.setup = locked, .finally = one_may_have_added,
	.threads = { { lock_and_add, NULL, "F0" }, [2] = { unlock, NULL, "owner" },
		     { cancel, (void *)0, "canceler" } });

static void the_other_has_added(void)
{
	CHECK(results[1] == 0);
	CHECK(guarded == 1 + !results[0]);
	CHECK(nap_mutex_trylock(&mutex));
}

CHECK_SCENARIO(fiber_mutex_canceled_2,
	.about = "of two that wait for a mutex one is canceled as that is unlocked",
	.random = 20000,
	.setup = locked, .finally = the_other_has_added,
	.threads = { { lock_and_add, NULL, "F0" }, { lock_and_add, NULL, "F1" },
		     { unlock, NULL, "owner" },
		{ cancel, (void *)0, "canceler" } });

/*
 * Unlocks once F0 waits, and then tries to lock twice. F0 may be overtaken at most
 * NAP_MUTEX_OVERTAKES times, which is 1 here.
 */
static void unlock_and_try(void *unused)
{
	(void)unused;
	check_assume(nap_load_relaxed(&mutex.state) & MUTEX_AWAITED);
	nap_mutex_unlock(&mutex);
	for (int i = 0; i < 2; i++) {
		if (!nap_mutex_trylock(&mutex))
			continue;
		overtaken += !guarded;
		CHECK(overtaken <= NAP_MUTEX_OVERTAKES);
		nap_mutex_unlock(&mutex);
	}
}

static void has_added(void)
{
	CHECK(results[0] == 0 && guarded == 1);
	CHECK(nap_mutex_trylock(&mutex));
}

CHECK_SCENARIO(fiber_mutex_overtaken, .about = "who waits for a mutex is not overtaken for ever",
	.random = 20000,
	.setup = locked_alone, .finally = has_added,
	.threads = { { lock_and_add, NULL, "F0" }, [2] = { unlock_and_try, NULL, "owner" } });

/*
 * Unlocks, which notifies a waiter; locks again before the waiter; and cancels F0. If F0 was the
 * notified waiter, F1 is notified instead.
 */
static void unlock_try_cancel(void *unused)
{
	bool again;

	(void)unused;
	nap_mutex_unlock(&mutex);
	again = nap_mutex_trylock(&mutex);
	CHECK(nap_fiber_cancel(&fibers[0].fiber) == 0);
	if (again)
		nap_mutex_unlock(&mutex);
}

CHECK_SCENARIO(fiber_mutex_told_and_canceled,
	.about = "who was told that a mutex is free finds it locked, and is canceled",
	.random = 20000,
	.setup = locked, .finally = the_other_has_added,
	.threads = { { lock_and_add, NULL, "F0" }, { lock_and_add, NULL, "F1" },
		     { unlock_try_cancel, NULL, "owner" } });

/* ---- a semaphore */

static void acquire(void *unused)
{
	(void)unused;
	*result() = nap_sem_acquire(&sem);
	if (!*result())
		CHECK(ready == 1);
}

static void release(void *n)
{
	ready = 1;
	nap_sem_release(&sem, (uint32_t)(uintptr_t)n);
}

static void none_is_lost(void)
{
	CHECK(nap_sem_try(&sem) == (results[0] != 0));
	CHECK(!nap_sem_try(&sem));
}

CHECK_SCENARIO(fiber_sem_canceled, .about = "a semaphore is released as who waits is canceled",
	.setup = begin, .finally = none_is_lost,
	.threads = { { acquire, NULL, "F0" }, [2] = { release, (void *)1, "releaser" },
		{ cancel, (void *)0, "canceler" } });

static void one_is_left(void)
{
	CHECK(!results[0] && !results[1]);
	CHECK(nap_sem_try(&sem));
	CHECK(!nap_sem_try(&sem));
}

CHECK_SCENARIO(fiber_sem_three, .about = "three are released at once as two come",
	.random = 20000,
	.setup = begin, .finally = one_is_left,
	.threads = { { acquire, NULL, "F0" }, { acquire, NULL, "F1" },
		     { release, (void *)3, "releaser" } });

/*
 * Releases once. The second releaser may have seen the listed fiber, and find no fiber to wake,
 * because the first releaser has woken it.
 */
static int has_returned[2];

static void release_one(void *who)
{
	has_returned[(uintptr_t)who] = 1;
	nap_sem_release(&sem, 1);
}

static void acquire_both(void *unused)
{
	(void)unused;
	results[0] = nap_sem_acquire(&sem);
	CHECK(!results[0]);
	results[0] = nap_sem_acquire(&sem);
	CHECK(!results[0] && has_returned[0] && has_returned[1]);
}

static void none_yet(void)
{
	begin();
	has_returned[0] = has_returned[1] = 0;
}

static void none_is_left(void)
{
	CHECK(!nap_sem_try(&sem));
}

CHECK_SCENARIO(fiber_sem_two_releases, .about = "two release a semaphore that one waits for",
	.random = 20000,
	.setup = none_yet, .finally = none_is_left,
	.threads = { { acquire_both, NULL, "F0" }, [2] = { release_one, (void *)0, "releaser" },
		{ release_one, (void *)1, "another" } });

/* ---- a condition */

static void wait_until_ready(void *unused)
{
	int err = nap_mutex_lock(&mutex);

	(void)unused;
	*result() = err;
	if (err)
		return;
	while (!err && !ready)
		err = nap_cond_wait(&cond, &mutex);
	guarded++;
	*result() = ready ? 0 : err;
	nap_mutex_unlock(&mutex);
}

static void make_ready(void *unused)
{
	(void)unused;
	CHECK(nap_mutex_lock(&mutex) == 0);
	ready = 1;
	nap_mutex_unlock(&mutex);
	nap_cond_signal(&cond);
}

static void was_told(void)
{
	CHECK(results[0] == 0 && guarded == 1);
	CHECK(nap_mutex_trylock(&mutex));
}

CHECK_SCENARIO(fiber_cond, .about = "a condition is signalled as somebody goes to wait for it",
	.setup = begin, .finally = was_told,
	.threads = { { wait_until_ready, NULL, "F0" }, { make_ready, NULL, "F1" } });

static void told_or_canceled(void)
{
	CHECK(results[0] == 0 || results[0] == -ECANCELED);
	CHECK(nap_mutex_trylock(&mutex));
}

CHECK_SCENARIO(fiber_cond_canceled,
	.about = "who waits for a condition is canceled as that is signalled",
	.random = 20000,
	.setup = begin, .finally = told_or_canceled,
	.threads = { { wait_until_ready, NULL, "F0" }, { make_ready, NULL, "F1" },
		[3] = { cancel, (void *)0, "canceler" } });

/* ---- an event */

static void await_event(void *unused)
{
	(void)unused;
	*result() = nap_event_wait(&event);
	if (!*result())
		CHECK(ready == 1);
}

static void set_event(void *unused)
{
	(void)unused;
	ready = 1;
	nap_event_set(&event);
}

static void both_know(void)
{
	CHECK(!results[0] && !results[1]);
}

CHECK_SCENARIO(fiber_event, .about = "an event is set as somebody comes to wait for it",
	.setup = begin, .finally = both_know,
	.threads = { { await_event, NULL, "F0" }, [2] = { set_event, NULL, "setter" } });

CHECK_SCENARIO(fiber_event_2, .about = "an event is set as two come to wait for it",
	.random = 20000,
	.setup = begin, .finally = both_know,
	.threads = { { await_event, NULL, "F0" }, { await_event, NULL, "F1" },
		     { set_event, NULL, "setter" } });
