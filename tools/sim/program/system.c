/* SPDX-License-Identifier: MIT */
/*
 * The simulated system for nap, in place of src/os/hosted/, src/os/linux/ and src/os/futex.c. This
 * file is not instrumented, because the topology file says what a call costs.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/files.h"
#include "kernel/futex.h"
#include "kernel/threads.h"
#include "os/futex.h"
#include "os/os.h"
#include "program/access.h"
#include "program/sim.h"
#include "program/tasks.h"
#include "program/workers.h"
#include "worker/self.h"
#include "worker/worker.h"

#define CLOCK_START	NS_PER_S	/* ns; 0 would be "no time" for src/ */

uint32_t nap__fork_gen = 1;

/* Each thread's record is on lines of its own, as thread-local storage is. */
static struct own {
	struct nap__self self __attribute__((aligned(64)));
} own[MAX_THREADS];

struct nap__self *nap__self(void)
{
	return &own[current->number].self;
}

uintptr_t nap__os_stack_half(void)
{
	return current->stack + (current->stack_top - current->stack) / 2;
}

bool nap__os_on_stack(uintptr_t address)
{
	return address - current->stack < current->stack_top - current->stack;
}

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
	return nr_cpus;
}

uint32_t nap__os_cpus_allowed(const unsigned long *mask, size_t size)
{
	return nap__os_cpu_count(mask, size);
}

uint32_t nap__os_cpus_online(void)
{
	return nr_cpus;
}

uint64_t nap__os_now(void)
{
	pay(CAUSE_CODE, machine.clock);
	return CLOCK_START + sim_now();
}

static uint32_t of_worker[MAX_THREADS];

uint32_t thread_of_worker(uint32_t index)
{
	return index < MAX_THREADS ? of_worker[index] : 0;
}

static void worker_thread(void *worker)
{
	nap__worker_main(worker);
}

int nap__os_thread_start(struct nap_worker *worker, size_t stack_size)
{
	(void)stack_size;
	worker->thread = sim_thread_start(worker_thread, worker, true);
	if (worker->index < MAX_THREADS)
		of_worker[worker->index] = (uint32_t)worker->thread;
	return 0;
}

int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline)
{
	if (deadline != UINT64_MAX)
		sim_fail("a join with a deadline is not modelled");
	sim_thread_join((uint32_t)worker->thread);
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
	sim_thread_join((uint32_t)worker->thread);
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

void *nap__os_map(size_t size)
{
	pay(CAUSE_KERNEL, machine.syscall);
	return sim_alloc(size, size % sizeof(struct nap_worker) ? "a mapping of nap's" :
								  "struct nap_worker");
}

/* Does nothing: unmapped memory is not used again. */
void nap__os_unmap(void *mem, size_t size)
{
	(void)mem;
	(void)size;
	pay(CAUSE_KERNEL, machine.syscall);
}

void *nap__map_large(size_t size)
{
	return nap__os_map(size);
}

bool nap__os_membarrier_works(void)
{
	return true;
}

/* The kernel interrupts each CPU that runs a thread of the process, and waits for all of them. */
bool nap__os_membarrier(void)
{
	unsigned n;

	access_fence();
	n = threads_interrupt(machine.interrupted);
	pay(CAUSE_KERNEL, machine.syscall + (n ? machine.membarrier + n * machine.ipi : 0));
	turn();
	return true;
}

enum nap__guard nap__os_guard(void *low, size_t size)
{
	(void)low;
	(void)size;
	return GUARD_PAGES;
}

void nap__os_thread_state_look(void)
{
}

/* The code of works and of nap has no errno and no exceptions here. */
void nap__os_thread_find(struct nap__os_thread *thread)
{
	*thread = (struct nap__os_thread){ .err = &thread->none };
}

void nap__os_unguarded(uint32_t n)
{
	(void)n;
}

void nap__os_small_pages(void *low, size_t size)
{
	(void)low;
	(void)size;
}

void nap__os_forget(void *low, size_t size)
{
	(void)low;
	(void)size;
}

size_t nap__os_touched(void *low, size_t size)
{
	(void)low;
	(void)size;
	return 0;
}

uint64_t nap__os_timer_slack(uint64_t ns)
{
	pay(CAUSE_KERNEL, machine.syscall);
	return ns;
}

void nap__os_yield(void)
{
	thread_yields();
}

int nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	uint64_t ns = deadline <= CLOCK_START ? 0 : deadline - CLOCK_START;

	return sim_futex_wait(word, expected, deadline == UINT64_MAX ? UINT64_MAX : ns);
}

void nap__futex_wake(uint32_t *word, uint32_t n)
{
	sim_futex_wake(word, n);
}

int nap__os_eventfd_open(void)
{
	return file_open();
}

int nap__os_eventfd_write(int fd)
{
	return file_write(fd);
}

uint64_t nap__os_eventfd_read(int fd)
{
	return file_read(fd);
}

void nap__os_eventfd_close(int fd)
{
	file_close(fd);
}

/* Needs no timeout: the thread that waits here knows that a write is under way. */
bool nap__os_eventfd_wait(int fd, uint64_t ns)
{
	(void)ns;
	file_poll(fd);
	return true;
}

_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
{
	char what[256];
	va_list args;

	(void)caller;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	sim_fail("nap: %s", what);
}
