/* SPDX-License-Identifier: MIT */
/*
 * The system under nap, for programs with main() that nap-check --nap=PROTOCOL links with the
 * library. It stands in place of src/os/hosted, src/os/linux and src/os/futex.c, as
 * tests/model/seam.c does for nap's own scenarios; here the workers are threads of
 * pthread_create(), so that their number is the checker's to give.
 *
 * This file is compiled without instrumentation: what it does takes no time, and is no access of
 * the program. All state belongs to one thread each: when the checker repeats an execution, each
 * thread does the same again, but the threads may take turns in another order. All state is
 * static, because the checker resets it.
 *
 * Time is virtual: each thread's clock stands still, and jumps to the deadline of a wait that has
 * timed out. An execution is given up when a thread times out more than NAP_CHECK_TIMEOUTS times.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <nap/check.h>

#include "async/fiber/fiber.h"
#include "os/futex.h"
#include "os/os.h"
#include "worker/self.h"
#include "worker/worker.h"
#include "no_stacks.h"

#ifndef NAP_CHECK_TIMEOUTS
#define NAP_CHECK_TIMEOUTS 1
#endif

#define CLOCK_START 1000u	/* not 0, which src/ takes for "no time" */

/* Plain accesses that the checker is to see, although this file is not instrumented. */
void __tsan_write8(void *p);

uint32_t nap__fork_gen = 1;

static struct seam_thread {
	struct nap__self self;
	uint64_t elapsed;
	unsigned timeouts;
} threads[CHECK_THREADS + 1];	/* the last entry is for what runs before main() and after it */

struct nap__self *nap__self(void)
{
	return &threads[check_self()].self;
}

/* ---- time */

uint64_t nap__os_now(void)
{
	return CLOCK_START + threads[check_self()].elapsed;
}

static void timed_out(uint64_t deadline)
{
	struct seam_thread *thread = &threads[check_self()];

	check_assume(thread->timeouts++ < NAP_CHECK_TIMEOUTS);
	if (nap__os_now() < deadline)
		thread->elapsed = deadline - CLOCK_START;
}

int nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	int err = check_futex_wait(word, expected, deadline != UINT64_MAX);

	if (err == -ETIMEDOUT)
		timed_out(deadline);
	return err;
}

void nap__futex_wake(uint32_t *word, uint32_t n)
{
	check_futex_wake(word, n);
}

uint64_t nap__os_timer_slack(uint64_t ns)
{
	return ns;
}

/* Does nothing: every other thread may run at any time. */
void nap__os_yield(void)
{
}

/* ---- threads */

static void *worker_thread(void *worker)
{
	nap__worker_main(worker);
	return NULL;
}

_Static_assert(sizeof(((struct nap_worker *)0)->thread) == sizeof(pthread_t), "a handle");

int nap__os_thread_start(struct nap_worker *worker, size_t stack_size)
{
	(void)stack_size;
	return -pthread_create((pthread_t *)&worker->thread, NULL, worker_thread, worker);
}

/* Joins the thread. A deadline may come at any time, also when the thread has ended. */
int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline)
{
	if (deadline != UINT64_MAX && check_choose(2)) {
		timed_out(deadline);
		return -ETIMEDOUT;
	}
	pthread_join((pthread_t)worker->thread, NULL);
	return 0;
}

void nap__os_thread_reap(struct nap_worker *worker)
{
	pthread_join((pthread_t)worker->thread, NULL);
}

/* No thread is cancelled, and none has attributes of its own. */
int nap__os_cancel_off(void)
{
	return 0;
}

void nap__os_cancel_back(int before)
{
	(void)before;
}

void nap__os_thread_take_cpus(struct nap_worker *worker, uint32_t rank)
{
	(void)worker;
	(void)rank;
}

void nap__os_thread_lost(struct nap_worker *worker)
{
	(void)worker;
}

void nap__os_thread_inside(void)
{
}

void nap__os_init(void)
{
}

/* 0: there is no nesting limit, however many tasks are nested in a wait. */
uintptr_t nap__os_stack_half(void)
{
	return 0;
}

bool nap__os_on_stack(uintptr_t address)
{
	(void)address;
	return true;
}

/* ---- the machine: it has as many CPUs as the address of the symbol nap_check_workers says */

extern char nap_check_workers[];

uint32_t nap__os_cpu_count(const unsigned long *mask, size_t size)
{
	(void)mask;
	(void)size;
	return (uint32_t)(uintptr_t)nap_check_workers;
}

uint32_t nap__os_cpus_allowed(const unsigned long *mask, size_t size)
{
	return nap__os_cpu_count(mask, size);
}

uint32_t nap__os_cpus_online(void)
{
	return (uint32_t)(uintptr_t)nap_check_workers;
}

bool nap__os_membarrier_works(void)
{
	return true;
}

bool nap__os_membarrier(void)
{
	check_membarrier();
	return true;
}

/* ---- memory */

/*
 * Maps records, or a pool. Their zeroes count as writes by the mapper; the first word of each
 * record stands for all its words.
 */
void *nap__os_map(size_t size)
{
	struct nap_worker *records;
	/* check_alloc() promises no alignment; records and pools are aligned to 64 bytes. */
	char *mem = check_alloc(size + NAP__CACHE_LINE);

	mem += NAP__CACHE_LINE - (uintptr_t)mem % NAP__CACHE_LINE;
	records = (struct nap_worker *)mem;
	for (size_t i = 0; i < size / sizeof(*records); i++)
		__tsan_write8(&records[i]);
	return records;
}

/* What is mapped stays until the execution ends. */
void nap__os_unmap(void *mem, size_t size)
{
	(void)mem;
	(void)size;
}

/* ---- what a completion queue has of the system: a descriptor that nobody polls */

int nap__os_eventfd_open(void)
{
	return 3;
}

void nap__os_eventfd_close(int fd)
{
	(void)fd;
}

int nap__os_eventfd_write(int fd)
{
	(void)fd;
	return 0;
}

uint64_t nap__os_eventfd_read(int fd)
{
	(void)fd;
	return 1;
}

bool nap__os_eventfd_wait(int fd, uint64_t ns)
{
	(void)fd;
	(void)ns;
	return true;
}

/* ---- fibers, which this library lacks: every caller is a thread */

struct nap_fiber *nap__fiber_waiting(void)
{
	return NULL;
}

static _Noreturn void no_fiber(void)
{
	check_fail("the library as nap-check links it has no fibers");
	abort();
}

void nap__fiber_suspend(struct nap_fiber *fiber)
{
	(void)fiber;
	no_fiber();
}

void nap__fiber_ready(struct nap_fiber *fiber)
{
	(void)fiber;
	no_fiber();
}

struct nap_task *nap__fiber_take(struct nap_fiber *fiber)
{
	(void)fiber;
	no_fiber();
}

struct nap_fiber *nap__fiber_enter(struct nap_fiber *fiber, struct nap_task **next)
{
	(void)fiber;
	(void)next;
	no_fiber();
}

void nap__fiber_yield(struct nap_fiber *fiber)
{
	(void)fiber;
	no_fiber();
}

_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
{
	char what[256];
	va_list args;

	(void)caller;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	check_fail("%s", what);
	abort();
}
