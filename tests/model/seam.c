/* SPDX-License-Identifier: MIT */
/*
 * The system as the model checker has it. This file is compiled without instrumentation: what it
 * does takes no time, and is no access of the program. Each thread has its own state here, apart
 * from what setup has set: when the checker repeats an execution, each thread does the same again,
 * but the threads may take turns in another order. All state is static, because the checker
 * resets static variables.
 */
#include "seam.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <nap/check.h>

#include "os/futex.h"
#include "os/os.h"
#include "worker/self.h"
#include "worker/worker.h"
#include "../../tools/check/nap/no_stacks.h"

#define CLOCK_START 1000u	/* not 0, which src/ takes for "no time" */

/* Plain accesses that the checker is to see, although this file is not instrumented. */
void __tsan_read8(void *p);
void __tsan_write8(void *p);

uint32_t nap__fork_gen = 1;

/* A bit in a record's handle: the thread was waited for. */
#define REAPED ((uintptr_t)1 << 31)

static unsigned first_worker, seam_restarted;
static bool flat, unbarred, timeless;
static struct seam_thread {
	struct nap__self self;
	uint64_t elapsed;
	unsigned timeouts;
} threads[CHECK_THREADS + 1];	/* the last entry is for setup and .finally */

void seam_workers(unsigned first)
{
	first_worker = first;
}

void seam_restarts(unsigned offset)
{
	seam_restarted = offset;
}

void seam_flat(void)
{
	flat = true;
}

void seam_no_timeouts(void)
{
	timeless = true;
}

void seam_in_fiber(unsigned number, struct nap_fiber *fiber)
{
	threads[number].self.fiber = fiber;
}

void seam_no_membarrier(void)
{
	unbarred = true;
}

struct nap__self *nap__self(void)
{
	return &threads[check_self()].self;
}

/* Returns the bound below which no wait nests: none, or every address if seam_flat() was called. */
uintptr_t nap__os_stack_half(void)
{
	return flat ? UINTPTR_MAX : 0;
}

/* Every address counts as on the caller's stack: no scenario switches stacks. */
bool nap__os_on_stack(uintptr_t address)
{
	(void)address;
	return true;
}

/* Does nothing: threads end by return. */
void nap__os_thread_inside(void)
{
}

void nap__os_init(void)
{
}

uint32_t nap__os_cpu_count(const unsigned long *mask, size_t size)
{
	(void)mask;
	(void)size;
	return 2;
}

uint32_t nap__os_cpus_allowed(const unsigned long *mask, size_t size)
{
	return nap__os_cpu_count(mask, size);
}

uint32_t nap__os_cpus_online(void)
{
	return 2;
}

uint64_t nap__os_now(void)
{
	return CLOCK_START + threads[check_self()].elapsed;
}

static void worker_thread(void *worker)
{
	nap__worker_main(worker);
}

int nap__os_thread_start(struct nap_worker *worker, size_t stack_size)
{
	static const char *const names[] = { "W0", "W1", "W2", "W3" };
	/* The spare records follow the guests' records. */
	unsigned of_pool = worker->index < NAP_GUESTS ? worker->index : worker->index - NAP_GUESTS;
	unsigned number = first_worker + of_pool;
	int err;

	(void)stack_size;
	/* The checker reports a race here if a thread is started twice. */
	__tsan_read8(&worker->thread);
	if (worker->thread & REAPED)
		number = (unsigned)(worker->thread & ~REAPED) + seam_restarted;
	err = check_spawn(number, worker_thread, worker, names[of_pool]);
	/*
	 * The write comes after the start, as in src/os/hosted, and also when the start fails:
	 * what pthread_create() leaves in the handle then is undefined.
	 */
	__tsan_write8(&worker->thread);
	worker->thread = number;
	return err;
}

/* Joins the thread. A deadline may come at any time, also when the thread has ended. */
int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline)
{
	struct seam_thread *thread = &threads[check_self()];

	__tsan_read8(&worker->thread);
	if (deadline != UINT64_MAX && check_choose(2)) {
		check_assume(thread->timeouts++ < SEAM_TIMEOUTS);
		if (nap__os_now() < deadline)
			thread->elapsed = deadline - CLOCK_START;
		return -ETIMEDOUT;
	}
	check_join((unsigned)worker->thread);
	return 0;
}

int nap__os_cancel_off(void)
{
	return 0;
}

void nap__os_cancel_back(int before)
{
	(void)before;
}

void nap__os_thread_reap(struct nap_worker *worker)
{
	__tsan_read8(&worker->thread);
	check_join((unsigned)worker->thread);
	__tsan_write8(&worker->thread);
	worker->thread |= REAPED;
}

void nap__os_thread_take_cpus(struct nap_worker *worker, uint32_t rank)
{
	(void)worker;
	(void)rank;
}

/* Does nothing, because no scenario forks a process. */
void nap__os_thread_lost(struct nap_worker *worker)
{
	(void)worker;
}

/*
 * Maps records. Their zeroes count as writes by the mapper; the first word of each record stands
 * for all its words.
 */
void *nap__os_map(size_t size)
{
	struct nap_worker *records = check_alloc(size);

	for (size_t i = 0; i < size / sizeof(*records); i++)
		__tsan_write8(&records[i]);
	return records;
}

void nap__os_unmap(void *mem, size_t size)
{
	(void)size;
	check_free(mem);
}

bool nap__os_membarrier_works(void)
{
	return !unbarred;
}

bool nap__os_membarrier(void)
{
	check_membarrier();
	return true;
}

uint64_t nap__os_timer_slack(uint64_t ns)
{
	return ns;
}

/* Does nothing: every other thread may run at any time. */
void nap__os_yield(void)
{
}

int nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	struct seam_thread *thread = &threads[check_self()];
	int err = check_futex_wait(word, expected, deadline != UINT64_MAX && !timeless);

	if (err == -ETIMEDOUT) {
		check_assume(thread->timeouts++ < SEAM_TIMEOUTS);
		if (nap__os_now() < deadline)
			thread->elapsed = deadline - CLOCK_START;
	}
	return err;
}

/* Fails when called: programs that have an eventfd define this function themselves. */
__attribute__((weak)) int nap__os_eventfd_write(int fd)
{
	(void)fd;
	CHECK(false);
	return 0;
}

void nap__futex_wake(uint32_t *word, uint32_t n)
{
	check_futex_wake(word, n);
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
