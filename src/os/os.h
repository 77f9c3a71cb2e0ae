/* SPDX-License-Identifier: MIT */
/*
 * The room os/ (this header is its door).
 *
 * What the kernel and a libc give: memory, threads, CPUs, the clock, eventfds, epoll, membarrier,
 * the number of the process. hosted/ implements it on a libc, bare/ implements it without one, and
 * linux/ is what both have in common. Nothing here knows of workers or pools, except as an address
 * that is passed on.
 *
 * Typically a function makes one system call and returns 0 or a negative errno. No function changes
 * the variable errno.
 *
 * From outside: the functions of os.h, futex.h and happens.h; linux/cpus.h for the room thread/.
 * Nothing else in src/ knows of pthreads, mmap or /proc.
 *
 * Open: bare/bare.h futex.h happens.h linux/cpus.h linux/epoll.h
 */
/*
 * The seam to the system. src/os/hosted/ implements it on a libc, src/os/bare/ without one; what
 * both have in common is in src/os/linux/. Nothing else in src/ knows about pthreads, mmap or
 * /proc; of system calls only the futex, src/os/futex.c. Every function that can fail returns a
 * negative errno; none of them changes the variable errno, and so no public function does.
 */
#ifndef NAP_OS_H
#define NAP_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nap_pool;
struct nap_worker;

/*
 * The calling thread has something of nap's on its stack for the first time. If it ends there, by
 * other means than return, the system sees to it: src/worker/leaving.h.
 */
void nap__os_thread_inside(void);

/* Whether @address lies on the calling thread's own stack. May allocate. */
bool nap__os_on_stack(uintptr_t address);

/*
 * The address in the middle of the calling thread's stack, or of what there is of it at least.
 * May allocate.
 */
uintptr_t nap__os_stack_half(void);

/* The least stack of a worker, in bytes: nap_pool_init() takes no less, the rest is raised to it. */
#define STACK_MIN ((size_t)16384)

/*
 * Start a thread that runs nap__os_thread_setup() and nap__worker_main() of @worker, on @stack_size
 * bytes of stack (0: the system's default). The handle is kept in @worker; the caller publishes it.
 */
int nap__os_thread_start(struct nap_worker *worker, size_t stack_size);

/* What that thread runs: src/sched/loop.c. */
void nap__worker_main(struct nap_worker *worker);

/* The new thread, first of all: what its configuration says, whichever thread started it. */
void nap__os_thread_setup(struct nap_worker *worker);

/*
 * The calling worker: its CPUs anew, as the configuration and the main thread have them now; with
 * NAP_ONE_CPU_EACH the one whose rank is @rank.
 */
void nap__os_thread_take_cpus(struct nap_worker *worker, uint32_t rank);

/* The calling thread is to block these signals, bit n - 1 for signal n, as far as it may. */
void nap__os_block_signals(uint64_t blocked);

/*
 * Wait until that thread has ended and its stack is released. 0, or -ETIMEDOUT at the @deadline
 * (ns; UINT64_MAX: for ever): then it is still to be joined.
 *
 * The one wait of nap's in which a thread may be cancelled. A thread that is tells
 * nap__join_canceled() before it goes.
 */
int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline);

/*
 * The same for a thread that is about to end, or has: no longer than that takes, and never
 * cancelled.
 */
void nap__os_thread_reap(struct nap_worker *worker);

/* No call of this thread is a cancellation point, until it is as it was: what the first said. */
int nap__os_cancel_off(void);
void nap__os_cancel_back(int before);

/* The calling thread is cancelled while it waits for a thread of @pool's: src/life/pool_join.c. */
void nap__join_canceled(struct nap_pool *pool);

/*
 * In the child of a fork, where that thread is not: unmap what it had, as far as the system does
 * not do that, or use it again, by itself.
 */
void nap__os_thread_lost(struct nap_worker *worker);

/* Zeroed, page-aligned memory; touched pages only cost. NULL when there is none. */
void *nap__os_map(size_t size);
void nap__os_unmap(void *mem, size_t size);

/*
 * As nap__os_map(), but in large pages where the system has some to give. Of 160 MB in small ones
 * most of the time of a sort went into their 40,000 faults.
 */
void *nap__map_large(size_t size);

/*
 * CPUs that workers may use: those of @mask that are there, @size bytes of it, or with NULL the
 * main thread's; and the main thread's cgroup quota. Never 0.
 */
uint32_t nap__os_cpu_count(const unsigned long *mask, size_t size);

/* The CPUs that are online, whether or not they may be used; 0 when nobody says. */
uint32_t nap__os_cpus_online(void);

/* As nap__os_cpu_count() without a look into files: no quota, and all of @mask, there or not. */
uint32_t nap__os_cpus_allowed(const unsigned long *mask, size_t size);

/*
 * How far down the first thread's stack may grow, which the kernel lets grow: RLIMIT_STACK, but
 * 64 MiB at most. 0: that is not known.
 */
size_t nap__os_stack_limit(void);

/* Let another thread have the CPU, if one wants it. */
void nap__os_yield(void);

/*
 * How late the calling thread may be when a time has come, in ns; 0 changes nothing. Returns what
 * it was, to be set back; 0 when nothing was changed, as where a sandbox forbids it, or on a
 * real-time thread.
 */
uint64_t nap__os_timer_slack(uint64_t ns);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t nap__os_now(void);

/*
 * eventfd(2), non-blocking and close-on-exec. A read says how much was written since the last one;
 * the wait ends early when something is; false: @fd is no longer open.
 */
int nap__os_eventfd_open(void);
void nap__os_eventfd_close(int fd);
int nap__os_eventfd_write(int fd);
uint64_t nap__os_eventfd_read(int fd);
bool nap__os_eventfd_wait(int fd, uint64_t ns);

/*
 * Make nap__os_membarrier() work in this process. Called when the program or library is loaded:
 * later, in a process of several threads, it takes the kernel milliseconds, because it waits until
 * each CPU has been through its scheduler.
 */
void nap__os_membarrier_register(void);

/* Whether it does; false: the kernel, or a sandbox, has none. Cheap. */
bool nap__os_membarrier_works(void);

/*
 * A full fence on the calling thread and on every other thread of the process, wherever each is.
 * False: none was made. What has worked once does, unless a filter was installed since.
 */
bool nap__os_membarrier(void);

/*
 * What a thread has that goes with a fiber to the next one: errno, and the exceptions that are
 * being handled. Exchanges the calling thread's with @state, of which all zero is none.
 */
struct nap__os_thread_state {
	void *caught;
	unsigned int uncaught;
	int err;
};

void nap__os_thread_state_swap(struct nap__os_thread_state *state);

/* Before a pool's first fiber: where they are kept, if that was loaded since the program began. */
void nap__os_thread_state_look(void);

/* Give the memory of these pages back; they stay mapped, and are zero when they are read next. */
void nap__os_forget(void *mem, size_t size);

/*
 * Nobody is to touch @size bytes at @mem, of nap__os_map(): that cannot be had, is so, or takes a
 * mapping of its own. A process has a bounded number of these; a caller that has unmapped @n of
 * them says so.
 */
enum nap__guard { GUARD_NONE, GUARD_PAGES, GUARD_MAPPING };
enum nap__guard nap__os_guard(void *mem, size_t size);
void nap__os_unguarded(uint32_t n);

/* What is touched of these pages is to be there, and nothing around it (transparent huge pages). */
void nap__os_small_pages(void *mem, size_t size);

/* Bytes between @mem and @mem + @size that are in memory, from the lowest such page on. */
size_t nap__os_touched(void *mem, size_t size);

/*
 * Which process this is: a number that no process above it had, never 0. A child of a fork that
 * nobody has told anything may read 0 until its first nap__os_init() or nap__self(). Counts from
 * the first call of nap__os_init() on, which is cheap to repeat. src/os/linux/process.c
 */
void nap__os_init(void);
extern uint32_t nap__fork_gen __attribute__((visibility("hidden")));	/* A */
extern uint32_t nap__fork_last;		/* A: the last that was given, here or above */

/*
 * Say that this is a child of the process @parent, by its only thread: needed where the system does
 * not show it. If the child has a number of its own already, it stays.
 */
void nap__os_forked(uint32_t parent);

/*
 * By nap__os_init(): have @before called by a thread that is about to fork, and @child in the
 * child, as far as a libc can do that: @child runs after handlers that were registered before.
 */
void nap__os_watch_forks(void (*before)(void), void (*child)(void));

/* One line to stderr: what, and where it was called from, unless that is NULL; then abort. */
_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* NAP_OS_H */
