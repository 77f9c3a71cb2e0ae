/* SPDX-License-Identifier: MIT */
/*
 * A condition with a lock that is no mutex, here a semaphore of one (src/async/fiber/cond.c). F0
 * waits until F1 makes the condition true; a third thread may cancel F0. Invariants: a signal
 * after the lock was given up is not lost; F0 has the lock again, whatever has ended its wait.
 */
#include <errno.h>

#include "fiber_setup.h"

#include <nap/sync.h>

static struct nap_sem sem;
static struct nap_cond cond;
/* guarded by the semaphore; not atomic, so a missing order is a race */
static int guarded, ready, result;

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	for (unsigned i = 0; i < 2; i++)
		fiber_is(i);
	nap_sem_init(&sem, 1);
	cond = (struct nap_cond)NAP_COND_INIT;
	check_name(&sem.state, sizeof(sem.state), "sem");
	check_name(&cond.lock, sizeof(cond.lock), "cond.lock");
	guarded = ready = result = 0;
}

static void unlock_sem(void *lock)
{
	nap_sem_release(lock, 1);
}

/* The acquire can only succeed, because the wait is shielded and the pool is not stopped. */
static void lock_sem(void *lock)
{
	CHECK(nap_sem_acquire(lock) == 0);
}

static const struct nap_lock_ops of_sem = { .unlock = unlock_sem, .lock = lock_sem };

static void wait_until_ready(void *unused)
{
	int err = nap_sem_acquire(&sem);

	(void)unused;
	result = err;
	if (err)
		return;
	while (!err && !ready)
		err = nap_cond_wait_with(&cond, &sem, &of_sem, NAP_FOREVER);
	guarded++;
	result = ready ? 0 : err;
	nap_sem_release(&sem, 1);
}

static void make_ready(void *unused)
{
	(void)unused;
	CHECK(nap_sem_acquire(&sem) == 0);
	guarded++;
	ready = 1;
	nap_sem_release(&sem, 1);
	nap_cond_signal(&cond);
}

static void cancel(void *number)
{
	CHECK(nap_fiber_cancel(&fibers[(uintptr_t)number].fiber) == 0);
}

static CHECK_OUTSIDE void sem_is_one(void)
{
	CHECK(nap_sem_try(&sem) && !nap_sem_try(&sem));
}

static void was_told(void)
{
	CHECK(result == 0 && guarded == 2);
	sem_is_one();
}

CHECK_SCENARIO(cond_with_told,
	.about = "a condition is signalled as a fiber goes to wait for it with a semaphore",
	.setup = begin, .finally = was_told,
	.threads = { { wait_until_ready, NULL, "F0" }, { make_ready, NULL, "F1" } });

static void told_or_canceled(void)
{
	CHECK(result == 0 || result == -ECANCELED);
	sem_is_one();
}

CHECK_SCENARIO(cond_with_canceled, .about = "the same as that fiber is canceled",
	.random = 20000,
	.setup = begin, .finally = told_or_canceled,
	.threads = { { wait_until_ready, NULL, "F0" }, { make_ready, NULL, "F1" },
		[3] = { cancel, (void *)0, "canceler" } });
