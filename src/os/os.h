/* SPDX-License-Identifier: MIT */
/*
 * The room os/ (this header is its door).
 *
 * What the kernel and a libc give: memory, threads, CPUs, the clock, eventfds, epoll, membarrier,
 * the number of the process. hosted/ implements it on a libc, bare/ without one; linux/ is common
 * to both. In this room workers and pools are only addresses that are passed on. The functions for
 * threads (nap__os_thread_...(), nap__os_cancel_...()) are declared here, and defined in thread/:
 * hosted/workers.c, bare/workers.c, linux/thread_setup.c.
 *
 * Typically a function makes one system call and returns 0 or a negative errno. No function changes
 * the variable errno, so no public function of nap changes it.
 *
 * Where futex(2) is called: futex.c, in both builds; for the end of a thread also bare/thread.c.
 * Which race detector watches: ask() in hosted/happens.c. Which number tells the child of a fork
 * from its parent: linux/process.c. In which kernels membarrier(2) is a full fence: is_full_fence()
 * in linux/membarrier.c.
 *
 * From outside: the functions of os.h, futex.h and happens.h; linux/cpus.h for the room thread/. No
 * other room uses mmap or /proc; pthreads are used also in hosted/ of thread/ and of worker/.
 *
 * Open: bare/bare.h futex.h happens.h linux/cpus.h linux/epoll.h linux/text.h
 */
/* The interface to the system. */
#ifndef NAP_OS_H
#define NAP_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nap_pool;
struct nap_worker;

/*
 * Called when the calling thread has a frame of nap's on its stack for the first time. From then on
 * an end of the thread other than by return is noticed (src/worker/leaving.h).
 */
void nap__os_thread_inside(void);

/* Whether @address lies on the calling thread's own stack. May allocate. */
bool nap__os_on_stack(uintptr_t address);

/*
 * Returns the address of the middle of the calling thread's stack, or of the known part of it. May
 * allocate.
 */
uintptr_t nap__os_stack_half(void);

/*
 * As nap__os_stack_half(), for a worker's thread that has not ended, by the thread's handle; 0:
 * unknown. Hosted only. May allocate, from the caller's malloc arena; if the new thread called
 * nap__os_stack_half(), it would take an arena of its own.
 */
uintptr_t nap__os_stack_half_of(uintptr_t handle);

/*
 * The least stack of a worker, in bytes. nap_pool_init() refuses a smaller size. A static
 * initialiser may ask for a smaller size, which the start of a worker raises to this one.
 */
#define STACK_MIN ((size_t)16384)

/*
 * Starts a thread that runs nap__os_thread_setup() and nap__worker_main() of @worker, on
 * @stack_size bytes of stack (0: the system's default). Keeps the handle in @worker; the caller
 * publishes it.
 */
int nap__os_thread_start(struct nap_worker *worker, size_t stack_size);

/* The function that the new thread runs: src/sched/loop.c. */
void nap__worker_main(struct nap_worker *worker);

/*
 * The first call in a new thread: sets the configured attributes, whichever thread started the new
 * one.
 */
void nap__os_thread_setup(struct nap_worker *worker);

/*
 * Called by a worker: takes its CPUs anew, from the configuration and the main thread; with
 * NAP_ONE_CPU_EACH the CPU of rank @rank.
 */
void nap__os_thread_take_cpus(struct nap_worker *worker, uint32_t rank);

/*
 * Blocks the signals of @blocked (bit n - 1: signal n) in the calling thread, as far as the kernel
 * allows.
 */
void nap__os_block_signals(uint64_t blocked);

/*
 * Waits until the worker's thread has ended and its stack is released. Returns 0, or -ETIMEDOUT at
 * the @deadline (ns; UINT64_MAX: for ever): then the thread still has to be joined.
 *
 * This is the only wait of nap's in which a thread may be cancelled. A cancelled thread calls
 * nap__join_canceled() first.
 */
int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline);

/*
 * As nap__os_thread_join(), for a thread that has ended or is about to end: waits only until the
 * end, and is never cancelled.
 */
void nap__os_thread_reap(struct nap_worker *worker);

/*
 * After nap__os_cancel_off() no call of this thread is a cancellation point. nap__os_cancel_back()
 * restores the state from before; @before: the result of nap__os_cancel_off().
 */
int nap__os_cancel_off(void);
void nap__os_cancel_back(int before);

/* Called when the calling thread is cancelled while it joins @pool: src/life/pool_join.c. */
void nap__join_canceled(struct nap_pool *pool);

/*
 * Called in the child of a fork, which does not have the worker's thread: unmaps the thread's
 * memory, unless the libc unmaps or reuses it by itself.
 */
void nap__os_thread_lost(struct nap_worker *worker);

/* Maps zeroed, page-aligned memory, of which only touched pages take memory. NULL: no memory. */
void *nap__os_map(size_t size);
void nap__os_unmap(void *mem, size_t size);

/*
 * As nap__os_map(), but in large pages if the system has some. (In small pages a sort of 160 MB
 * spent most of its time in 40,000 page faults.)
 */
void *nap__map_large(size_t size);

/*
 * Returns how many CPUs workers may use: those of @mask (@size bytes) that are online, or, if @mask
 * is NULL, those of the main thread's mask; at most the main thread's cgroup quota. Never 0.
 */
uint32_t nap__os_cpu_count(const unsigned long *mask, size_t size);

/* Returns how many CPUs are online, usable or not; 0: unknown. */
uint32_t nap__os_cpus_online(void);

/* As nap__os_cpu_count(), but reads no files: no quota, and all of @mask. */
uint32_t nap__os_cpus_allowed(const unsigned long *mask, size_t size);

/*
 * Returns the size to which the first thread's stack may grow: RLIMIT_STACK, but at most 64 MiB. 0:
 * unknown.
 */
size_t nap__os_stack_limit(void);

/* The kernel's numbers of the calling thread, and of the process. */
uint32_t nap__os_thread_number(void);
uint32_t nap__os_process_number(void);

/*
 * Read the path of the executable, and the process's mappings, cut to @size. Return the length, or
 * 0.
 */
size_t nap__os_executable(char *buf, size_t size);
size_t nap__os_mappings(char *buf, size_t size);

/* Creates a new file that only this user may open. Returns a descriptor, or a negative errno. */
int nap__os_create(const char *path);
void nap__os_close(int fd);

/* Writes all @size bytes; repeats interrupted and short writes. Returns 0 or a negative errno. */
int nap__os_write(int fd, const void *data, size_t size);

/*
 * Copies @size bytes, at most a page, from @from, where other threads may write or unmap memory.
 * False: the memory is not mapped. Async-signal-safe.
 */
bool nap__os_peek(const void *from, void *to, size_t size);

/* The function at an address, as far as the mapped file shows it; the strings may be cut. */
struct nap__symbol {
	uintptr_t address;
	uint64_t offset;	/* the address, as the file's symbol table has it */
	uint64_t behind;	/* the distance of the address from the function's beginning */
	char file[24];		/* empty: unknown */
	char name[48];		/* empty: unknown */
};

/* Finds the function at @address. Async-signal-safe; reads files. */
void nap__os_symbol(uintptr_t address, struct nap__symbol *symbol);

/* Lets another thread have the CPU, if one wants it. */
void nap__os_yield(void);

/*
 * Sets the timer slack of the calling thread, in ns; 0 changes nothing. Returns the old value, for
 * a later call that restores it; 0 if nothing was changed, because a sandbox forbids it or the
 * thread is real-time.
 */
uint64_t nap__os_timer_slack(uint64_t ns);

/* Returns CLOCK_MONOTONIC in nanoseconds. */
uint64_t nap__os_now(void);

/* Reads the clock once. Returns the ns from now until @deadline; 0: @deadline has passed. */
static inline uint64_t time_until(uint64_t deadline)
{
	uint64_t now = nap__os_now();

	return deadline > now ? deadline - now : 0;
}

/*
 * eventfd(2), non-blocking and close-on-exec. nap__os_eventfd_read() returns how much was written
 * since the last read. The wait ends early at a write, and returns false if @fd is no longer open.
 */
int nap__os_eventfd_open(void);
void nap__os_eventfd_close(int fd);
int nap__os_eventfd_write(int fd);
uint64_t nap__os_eventfd_read(int fd);
bool nap__os_eventfd_wait(int fd, uint64_t ns);

/*
 * Makes nap__os_membarrier() work in this process. Called when the program or library is loaded.
 * Later, in a process of several threads, the call would take milliseconds, because the kernel
 * waits until each CPU has been through its scheduler.
 */
void nap__os_membarrier_register(void);

/*
 * Whether nap__os_membarrier() works; false: the kernel lacks it, or a sandbox forbids it. Cheap.
 */
bool nap__os_membarrier_works(void);

/*
 * Executes a full fence on the calling thread, and on every other thread of the process at that
 * thread's present place. False: there was no fence. After a success the call can fail only if a
 * filter was installed in the meantime.
 */
bool nap__os_membarrier(void);

/*
 * The state of a thread that moves with a fiber: errno, and the exceptions that are being handled
 * ("Itanium C++ ABI: Exception Handling", 2.2.2: a list, and how many are in flight). All zero
 * means none.
 */
struct nap__os_caught {
	void *caught;
	unsigned int uncaught;
};

struct nap__os_thread_state {
	struct nap__os_caught caught;
	int err;
};

/* The addresses of a thread's errno and caught exceptions. */
struct nap__os_thread {
	int *err;
	struct nap__os_caught *caught;	/* NULL: the program has no C++ runtime */
	int none;			/* the target of @err if there is no errno */
};

/* Finds the addresses in @thread for the calling thread. */
void nap__os_thread_find(struct nap__os_thread *thread);

/* Stores the state of the calling @thread in *@save, and gives the thread the state *@load. */
static inline void os_thread_state_switch(const struct nap__os_thread *thread,
					  struct nap__os_thread_state *save,
					  const struct nap__os_thread_state *load)
{
	save->err = *thread->err;
	*thread->err = load->err;
	if (thread->caught) {
		save->caught = *thread->caught;
		*thread->caught = load->caught;
	}
}

/* Called before a pool's first fiber: finds a C++ runtime that was loaded after the start. */
void nap__os_thread_state_look(void);

/* Gives the memory of the pages back; they stay mapped, and read as zero. */
void nap__os_forget(void *mem, size_t size);

/*
 * Makes @size bytes at @mem, of nap__os_map(), inaccessible. Returns GUARD_NONE: impossible;
 * GUARD_PAGES: done, in the same mapping; GUARD_MAPPING: done, as a mapping of its own. A process
 * has a bounded number of such mappings; a caller that has unmapped @n of them has to call
 * nap__os_unguarded().
 */
enum nap__guard { GUARD_NONE, GUARD_PAGES, GUARD_MAPPING };
enum nap__guard nap__os_guard(void *mem, size_t size);
void nap__os_unguarded(uint32_t n);

/* Has the pages take memory one by one when they are touched, without transparent huge pages. */
void nap__os_small_pages(void *mem, size_t size);

/*
 * Finds the lowest page of [@mem, @mem + @size) that is in memory, and returns how many bytes lie
 * from there to the end; 0: no page is in memory.
 */
size_t nap__os_touched(void *mem, size_t size);

/*
 * The number of this process: no ancestor had it, and it is never 0. In a child the number may read
 * as 0 until the first nap__os_init() or nap__self(), unless a handler has noticed the fork. The
 * first nap__os_init() gives the first number; repeated calls are cheap. src/os/linux/process.c
 */
void nap__os_init(void);
extern uint32_t nap__fork_gen __attribute__((visibility("hidden")));	/* atomic */
/* atomic: the last number that was given, here or in an ancestor */
extern uint32_t nap__fork_last;

/*
 * Called by the only thread of a child of the process whose number was @parent, on systems where
 * the fork is not noticed. A child that has a number of its own already keeps it.
 */
void nap__os_forked(uint32_t parent);

/*
 * Called by nap__os_init(): registers @before for threads that are about to fork, and @child for
 * the child. On a libc other handlers in the child may run before @child.
 */
void nap__os_watch_forks(void (*before)(void), void (*child)(void));

/* Prints one line to stderr, the message and the caller (unless NULL), and aborts. */
_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* NAP_OS_H */
