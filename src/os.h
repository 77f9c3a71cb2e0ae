/* SPDX-License-Identifier: MIT */
/*
 * The only seam to the system. src/hosted/ implements it on a libc; nothing else in src/ knows
 * about pthreads, mmap or /proc. Every function that can fail returns a negative errno.
 */
#ifndef NAP_OS_H
#define NAP_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nap_pool;
struct nap_worker;

/* On the stack of a thread that runs tasks of @pool from outside; those may help another pool. */
struct nap__helping {
	struct nap_pool *pool;
	struct nap__helping *outer;
	bool gave_back;		/* the last task could not be run here, and is queued again */
};

/* On the stack of a worker that is another pool's as well, as long as it is called there. */
struct nap__outer {
	struct nap_worker *worker;
	struct nap__outer *outer;
};

/*
 * What the calling thread is: a worker, and/or one that helps. One thread-local object; all zero on
 * a thread that nap has nothing to do with.
 */
struct nap__self {
	struct nap_worker *worker;	/* the innermost: what runs now runs on this one */
	struct nap__outer *outer;	/* the others that it is */
	struct nap__helping *helping;	/* the innermost */
	uintptr_t stack_half;	/* where half of the stack is used up; 0: not asked yet */
};
struct nap__self *nap__self(void);

/*
 * The address in the middle of the calling thread's stack, or of what there is of it at least.
 * May allocate.
 */
uintptr_t nap__os_stack_half(void);

/*
 * Start a thread that runs nap__os_inherit() and nap__worker_main() of @worker, on @stack_size
 * bytes of stack (0: the system's default). Linux's threads take their names themselves, so @name
 * is not for this system. The handle is kept in @worker; the caller publishes it.
 */
int nap__os_thread_start(struct nap_worker *worker, size_t stack_size, const char *name);

/* The new thread, first of all: what its configuration says, whoever started it. */
void nap__os_inherit(struct nap_worker *worker);

/* The calling thread is to block these signals, bit n - 1 for signal n, as far as it may. */
void nap__os_block_signals(uint64_t blocked);

/* Wait until that thread has ended and its stack is released. */
void nap__os_thread_join(struct nap_worker *worker);

/* Zeroed, page-aligned memory; touched pages only cost. NULL when there is none. */
void *nap__os_map(size_t size);
void nap__os_unmap(void *mem, size_t size);

/*
 * CPUs that workers may use: those of @mask that are there, @size bytes of it, or with NULL the
 * main thread's; and the main thread's cgroup quota. Never 0.
 */
uint32_t nap__os_cpu_count(const unsigned long *mask, size_t size);

/* Let another thread have the CPU, if one wants it. */
void nap__os_yield(void);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t nap__os_now(void);

/*
 * Make nap__os_membarrier() work in this process; false: the kernel, or a sandbox, has none. It is
 * a full fence on the calling thread and on every other thread of the process, wherever each is.
 */
bool nap__os_membarrier_init(void);

/* False: none was made. What has worked once does, unless a filter was installed meanwhile. */
bool nap__os_membarrier(void);

/*
 * Which process this is: a number that no process above it had, never 0. A child of a fork that
 * nobody has told anything may read 0 until its first nap__os_init() or nap__self(). Counts from
 * the first call of nap__os_init() on, which is cheap to repeat. src/linux/process.c
 */
void nap__os_init(void);
extern uint32_t nap__fork_gen __attribute__((visibility("hidden")));	/* A */
extern uint32_t nap__fork_last;		/* A: the last that was given, here or above */

/*
 * Say that this is a child of the process @parent, by its only thread: needed where the system does
 * not show it. If the child has a number of its own already, it stays.
 */
void nap__os_forked(uint32_t parent);

/* By nap__os_init(): have nap__os_forked() called in children, as far as a libc can do that. */
void nap__os_watch_forks(void);

/* One line to stderr: what, and where it was called from; then abort. */
_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* NAP_OS_H */
