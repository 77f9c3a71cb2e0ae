/* SPDX-License-Identifier: MIT */
/* Workers' threads, by pthreads. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "os/futex.h"
#include "os/happens.h"
#include "os/linux/cpus.h"
#include "os/os.h"
#include "thread/hosted/overflow.h"
#include "thread/linux/place.h"
#include "worker/self.h"
#include "worker/worker.h"

_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a worker has room for the handle");

#define LEAST_DEFAULT_STACK ((size_t)1 << 20)	/* the same as without a libc */

#ifndef JOIN_BY_CLOCK
#define JOIN_BY_CLOCK 1
#endif

/*
 * The loader calls this before other constructors, which may fork jobs. The child of a fork
 * inherits the registration.
 */
__attribute__((constructor(101))) static void register_membarrier(void)
{
	nap__os_membarrier_register();
}

/*
 * Sets worker->gone. Of the functions that join a thread, race detectors know only pthread_join(),
 * which has no deadline. So under a detector a joiner with a deadline first waits for worker->gone.
 */
static void say_gone(struct nap_worker *worker)
{
	if (!is_detected())
		return;
	nap_store_relaxed(&worker->gone, true);
	nap__futex_wake(&worker->gone, 1);
}

static int join_gone(struct nap_worker *worker, pthread_t thread, uint64_t deadline)
{
	while (!nap_load_relaxed(&worker->gone))
		if (nap__futex_wait(&worker->gone, false, deadline) == -ETIMEDOUT)
			return ETIMEDOUT;
	return pthread_join(thread, NULL);
}

uint32_t nap__overflow_is_reported;

#define ALTERNATE_STACK	((size_t)16 << 10)

/* The thread's first frame holds its stack for signals: src/async/fiber/hosted/overflow.c. */
static __attribute__((noinline)) void main_with_alternate_stack(struct nap_worker *worker)
{
	char bytes[ALTERNATE_STACK];
	stack_t stack = { .ss_sp = bytes, .ss_size = sizeof(bytes) }, now;

	sigaltstack(&stack, NULL);
	nap__worker_main(worker);
	/* The program may have set another signal stack. */
	if (!sigaltstack(NULL, &now) && now.ss_sp == bytes)
		sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
}

static void *thread_main(void *arg)
{
	struct nap_worker *worker = arg;

	unseen_begin();
	nap__os_thread_setup(worker);
	/* Relaxed: a thread that reads 0 here computes the value at its first wait. */
	nap__self()->stack_half = nap_load_relaxed(&worker->stack_half);
	thread_inside(nap__self());
	if (nap_load_relaxed(&nap__overflow_is_reported))
		main_with_alternate_stack(worker);
	else
		nap__worker_main(worker);
	say_gone(worker);
	unseen_end();
	return NULL;
}

/*
 * Returns a stack size that suffices. The libc's minimum differs between machines (glibc: 128 KiB
 * on some AArch64), and is not always enough for a worker (musl: 2 KiB). A pool that was
 * initialised statically may ask for any size.
 */
static size_t enough_stack(size_t size)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);

	/*
	 * Not noticed in tests when dropped: glibc's minimum is as large; the tests with musl
	 * notice.
	 */
	if (size < STACK_MIN)
		size = STACK_MIN;
	return least > 0 && size < (size_t)least ? (size_t)least : size;
}

/*
 * Sets the stack size. The libc's default may be too small (musl: 128 KiB), because waiting tasks
 * run other tasks on the same stack.
 */
static int set_stack_size(pthread_attr_t *attr, size_t wanted)
{
	size_t usual;

	if (wanted)
		return pthread_attr_setstacksize(attr, enough_stack(wanted));
	if (!pthread_attr_getstacksize(attr, &usual) && usual >= LEAST_DEFAULT_STACK)
		return 0;
	return pthread_attr_setstacksize(attr, enough_stack(LEAST_DEFAULT_STACK));
}

static int set_guard_size(pthread_attr_t *attr, size_t wanted)
{
	if (!wanted)
		return 0;
	return pthread_attr_setguardsize(attr, wanted == NAP_NO_GUARD ? 0 : wanted);
}

/*
 * Keeps the handle, moves the new thread off the caller's CPU, and lets it go on. If the kernel
 * refuses the move, the thread stays where the kernel has put it.
 */
static void thread_started(struct nap_worker *worker, pthread_t thread)
{
	struct cpu_mask mask;
	size_t size = nap__place_elsewhere(worker->pool, &mask);

	memcpy(&worker->thread, &thread, sizeof(thread));
	nap_store_relaxed(&worker->stack_half, nap__os_stack_half_of(worker->thread));
	if (size)
		pthread_setaffinity_np(thread, size, (cpu_set_t *)(void *)&mask);
	nap__place_done(worker);
}

int nap__os_thread_start(struct nap_worker *worker, size_t stack_size)
{
	int saved = errno, err;
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int state;

	err = pthread_attr_init(&attr);
	if (err) {
		errno = saved;
		return -err;
	}
	err = set_stack_size(&attr, stack_size);
	if (!err)
		err = set_guard_size(&attr, worker->pool->config.guard_size);
	/*
	 * The new thread inherits the mask: all signals are blocked until the worker has set its
	 * own mask.
	 */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	/*
	 * A libc may make pthread_create() a cancellation point. Not noticed in tests when dropped:
	 * the libcs that are tested do not.
	 */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	nap_store_relaxed(&worker->placed, false);
	nap_store_relaxed(&worker->gone, false);
	if (!err)
		err = pthread_create(&thread, &attr, thread_main, worker);
	if (!err)
		thread_started(worker, thread);
	unseen_still();
	pthread_setcancelstate(state, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	errno = saved;
	return -err;
}

static void join_canceled(void *pool)
{
	nap__join_canceled(pool);
}

/*
 * musl lacks this function. ThreadSanitizer does not know it, so a library that is built with that
 * tool does not call it (JOIN_BY_CLOCK is 0). Without this function the join uses CLOCK_REALTIME,
 * although that clock may be set during the wait.
 */
int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
			 const struct timespec *until) __attribute__((weak));

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

/*
 * The longest wait: 31 years, which both clocks can represent. After that time the join waits
 * again.
 */
#define FAR_NS	((uint64_t)NS_PER_S * 1000000000u)

static int join_until(pthread_t thread, uint64_t deadline)
{
	struct timespec until = timespec_of(deadline), now;
	uint64_t remaining;
	int err;

	if (JOIN_BY_CLOCK && pthread_clockjoin_np)
		return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until);
	do {
		remaining = time_until(deadline);
		remaining = remaining < FAR_NS ? remaining : FAR_NS;
		clock_gettime(CLOCK_REALTIME, &now);
		until = timespec_of((uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec +
				    remaining);
		err = pthread_timedjoin_np(thread, NULL, &until);
	} while (err == ETIMEDOUT && remaining);
	return err;
}

int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline)
{
	pthread_t thread;
	int saved = errno, err;

	memcpy(&thread, &worker->thread, sizeof(thread));
	pthread_cleanup_push(join_canceled, worker->pool);
	if (deadline == UINT64_MAX)
		err = pthread_join(thread, NULL);
	else if (is_detected())
		err = join_gone(worker, thread, deadline);
	else
		err = join_until(thread, deadline);
	pthread_cleanup_pop(0);
	unseen_still();
	errno = saved;
	return err == ETIMEDOUT ? -ETIMEDOUT : 0;
}

int nap__os_cancel_off(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

void nap__os_cancel_back(int before)
{
	pthread_setcancelstate(before, NULL);
}

void nap__os_thread_reap(struct nap_worker *worker)
{
	int saved = errno, state = nap__os_cancel_off();
	pthread_t thread;

	memcpy(&thread, &worker->thread, sizeof(thread));
	pthread_join(thread, NULL);
	unseen_still();
	nap__os_cancel_back(state);
	errno = saved;
}

/* Nothing to do: the libc has unmapped the thread's memory, or keeps it for itself. */
void nap__os_thread_lost(struct nap_worker *worker)
{
	(void)worker;
}
