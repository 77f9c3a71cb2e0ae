/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_spawn - fibers: functions that wait without a thread
 *
 * A fiber is a function with a stack of its own that waits without a thread.
 *
 *	struct nap_fiber *fiber;
 *	intptr_t result;
 *
 *	nap_spawn(&pool, &fiber, work, arg);
 *	...
 *	nap_await(fiber, &result);
 *
 * A fiber runs on the workers of a pool, as tasks do; to the pool each stretch of a fiber, from one
 * wait to the next, is a task. When the fiber waits, its worker runs something else, and the fiber
 * goes on later, perhaps on another worker. The calls that wait in this way are nap_await(),
 * nap_group_wait(), and the calls of nap/sync.h, nap/channel.h and nap/timer.h. A thread that is no
 * fiber may call each of these, too; then the thread waits.
 *
 * Where a fiber waits as a thread. The worker has frames of its own on the fiber's stack inside a
 * job, a forked loop, the function of a nap_call(), a blocking section, or a task that a join or
 * nap_pool_help() runs there. So a wait in such a place blocks the worker, as a task's wait does,
 * and a cancellation of the fiber does not end the wait. nap_submit_wait() is such a wait anywhere.
 *
 * What belongs to the thread. After a wait a fiber may continue on another thread. errno and the
 * exceptions that are being handled move with the fiber (if the shared C++ runtime was loaded
 * before the pool's first fiber, or before nap_fibers_init()). Thread-local variables,
 * nap_worker_self(), a lock of pthreads, the signal mask and the like stay with the thread: a value
 * that was read before a wait must not be used after the wait. A compiler may keep the address of a
 * thread-local variable across a call. So if a function uses such a variable before and after a
 * wait, it has to call another function, which is not inlined, for each access. The rounding mode
 * and the other control bits of floating point are a fiber's own. A fiber begins with those of the
 * thread that begins to run it, as a task does, whatever other fibers have set.
 *
 * Ways out. A fiber's function is left by return only, as a task's is (nap/task.h). An exception
 * out of it, pthread_exit(), a cancellation of the thread, or a jump off its stack ends the
 * process, with one line that says so.
 *
 * Ends. A drain (nap_pool_shutdown(), nap_pool_join()) runs every fiber to its end, however long it
 * waits, and lets fibers of the pool spawn others. A stop ends the waits: the join cancels each
 * fiber that has begun, and runs it on the joining thread; each of its waits returns -ECANCELED at
 * once. A fiber that has not begun does not run, and its result is -ECANCELED
 * (nap_fibers_config.unbegun is called). When the join has returned no handle is valid. In the
 * child of a fork(2) no fiber of the parent goes on. A fiber that forks is a thread in the child,
 * and no worker. No thread of the parent would end its waits, so each returns -ESHUTDOWN, except
 * nap_io_wait(), and waits for a pool of the child's (nap_await(), nap_group_wait(), nap_run()):
 * these wait as a thread does.
 *
 * The model of joining and detaching is that of Zap's async layer (kprotty/zap,
 * benchmarks/zig/async.zig); here each fiber has a stack of its own.
 */
#ifndef NAP_FIBER_H
#define NAP_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** struct nap_fiber - a fiber, as its handle knows it; private in every field */
struct nap_fiber;

/**
 * typedef nap_fiber_fn - what a fiber does
 * @arg: as given to nap_spawn()
 *
 * Returns the result for nap_await(): a number, a pointer, or by convention a negative errno.
 */
typedef intptr_t (*nap_fiber_fn)(void *arg);

/**
 * nap_spawn() - have a fiber run on a pool
 * @pool:  the pool on which the fiber runs until it ends
 * @fiber: set to the fiber's handle, which the program gives up once, by nap_await() or
 *         nap_detach(). NULL: the fiber is detached at once
 * @fn:    the fiber's function
 * @arg:   handed to @fn
 *
 * Any thread, tasks and fibers included. The fiber begins like a task that this call schedules.
 * What the caller wrote before is visible to the fiber. Nothing is allocated, except that a pool's
 * first spawn maps the pool's stacks; a stack that was used before is used again.
 *
 * A fiber counts until it has ended and its handle, if any, is given up. Returns 0; -EAGAIN when at
 * some time during the call the pool had as many fibers as it can have, or, under ThreadSanitizer,
 * the process had 7,000 (the tool counts each fiber as a thread, and has room for 8,128); -ENOMEM
 * when the stacks cannot be mapped; -ESHUTDOWN as nap_schedule(); -EINVAL when @pool or @fn is
 * NULL.
 */
int nap_spawn(struct nap_pool *pool, struct nap_fiber **fiber, nap_fiber_fn fn, void *arg);

/**
 * nap_await() - wait until a fiber has ended, and give up its handle
 * @fiber:  its handle
 * @result: set to what the fiber's function has returned; or NULL
 *
 * Any thread or fiber except @fiber itself; only one at a time awaits @fiber, and none after a call
 * has returned 0. What @fiber wrote is visible to the caller. When the call has returned 0 the
 * handle is invalid; after an error the handle is the caller's as before. If @fiber ends while a
 * call awaits it, the handle is invalid from then on, though that call may not have returned yet:
 * the memory may be used again at once, by a new fiber. Until @fiber ends a second call returns
 * -EBUSY, or -ETIMEDOUT if its deadline has passed. A debug build reports an invalid handle in one
 * line, and aborts. But if a later fiber has the same handle, the debug build cannot distinguish
 * the two, and reports only the next call that gives this handle up. Returns 0; -ECANCELED when the
 * calling fiber was canceled, or when its pool or the pool of @fiber was stopped; -ESHUTDOWN in the
 * child of a fork, or when the join of @fiber's pool is about to return (after the join the handle
 * is invalid, and may not be passed to any call); -EDEADLK for the calling fiber's own handle, also
 * in what a worker runs on the fiber's stack (see above), or as nap_group_wait(); -EBUSY when
 * another thread or fiber awaits @fiber; -EINVAL when @fiber is NULL.
 */
int nap_await(struct nap_fiber *fiber, intptr_t *result);

/** nap_await_for() - nap_await() within @timeout_ns (see nap_group_wait_for), or -ETIMEDOUT */
int nap_await_for(struct nap_fiber *fiber, intptr_t *result, uint64_t timeout_ns);

/**
 * nap_await_until() - nap_await() until @deadline, or -ETIMEDOUT
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER. 0, or a time in the past: do
 *            not wait
 */
int nap_await_until(struct nap_fiber *fiber, intptr_t *result, uint64_t deadline);

/**
 * nap_detach() - give up the handle of a fiber; the fiber still runs to its end
 *
 * Any thread; instead of nap_await(). The handle becomes invalid. Returns 0; -EBUSY when a thread
 * or fiber awaits @fiber, which has not ended (see nap_await()); -ESHUTDOWN as nap_await(); -EINVAL
 * when @fiber is NULL.
 */
int nap_detach(struct nap_fiber *fiber);

/** DOC: nap_fiber_start_init - fibers that take a stack when they begin */

/**
 * struct nap_fiber_start - a fiber that takes its stack when it begins
 * @task:  for nap_schedule() and nap_schedule_batch() on the pool of nap_fiber_start_init()
 * @fn:    what the fiber does
 * @arg:   handed to @fn
 * @pool:  nap's
 * @stack: nap's
 *
 * nap_spawn() takes the stack at once, so a million fibers that have not begun take a million
 * stacks. With a struct nap_fiber_start the beginning is a task in the caller's memory. The worker
 * that takes the task begins the fiber, typically on a stack that another fiber has just left, and
 * that is still in the cache:
 *
 *	struct request {
 *		struct nap_fiber_start start;
 *		...
 *	};
 *
 *	nap_fiber_start_init(&request->start, &pool, serve, request);
 *	nap_schedule(&pool, &request->start.task);
 *
 * The memory is nap's from the schedule until @fn begins. Then the memory is the caller's: @fn may
 * free it, or schedule the start again. A start is prepared once, and may be scheduled any number
 * of times, one after the other, until its pool is joined. The join unmaps the stacks: after a
 * later nap_pool_init(), and after nap_pool_init_child(), the start is prepared again.
 *
 * If no stack is free when a worker takes the task (nap_fibers_config.most), the start waits until
 * there is one, and no worker waits with it. A stack that is given back goes to the start that has
 * waited longest, not to a start that no worker has taken yet. The start that gets the stack is
 * then queued like a newly scheduled task. nap_pool_remaining() counts it as queued.
 *
 * A drain waits for such a start, because the fibers that have the stacks will end, and give them
 * back. But if all stacks belong to ended fibers whose handles no thread gives up (nap_await(),
 * nap_detach()), no stack comes back. Then nap_pool_quiesce() and a drain do not wait for the
 * start, and nap_pool_join() hands it out (nap_fiber_start_of()); after a stop the join hands out
 * every start that has not begun. (nap_fibers_config.unbegun is not called for starts: it is for
 * the fibers of nap_spawn().) If a thread awaits or detaches an ended fiber during the join, the
 * fiber's stack may come too late for a start that waits. A start that is handed out is the
 * caller's memory, and its task has not been called; to begin on another pool the start is prepared
 * again.
 *
 * The fiber is detached, and in no scope. To wait for the fiber's end, count the fiber in a group
 * (nap/group.h) before the schedule; @fn calls nap_group_done() last of all. A fiber that has not
 * begun cannot be canceled; @fn may hand out its nap_fiber_id().
 */
struct nap_fiber_start {
	struct nap_task task;
	nap_fiber_fn fn;
	void *arg;
	struct nap_pool *pool;
	struct nap_fiber *stack;
};

/**
 * nap_fiber_start_init() - prepare @start, which is new memory or has begun
 *
 * Any thread. The first call for a pool maps the stacks, so that a later schedule cannot fail for
 * lack of them. Returns 0; -ENOMEM when the stacks cannot be mapped; -ESHUTDOWN as nap_schedule();
 * -EINVAL when a pointer is NULL, except @arg. On an error @start is not to be scheduled.
 */
int nap_fiber_start_init(struct nap_fiber_start *start, struct nap_pool *pool, nap_fiber_fn fn,
			 void *arg);

/** nap_fiber_start_of() - the start whose task @task is, or NULL when it is another task */
struct nap_fiber_start *nap_fiber_start_of(struct nap_task *task);

/** DOC: nap_fiber_cancel - ask a fiber to end */

/**
 * nap_fiber_cancel() - ask a fiber to end
 * @fiber: a handle that is neither awaited nor detached during the call
 *
 * Any thread. The fiber's present wait, or else its next one, and every later wait returns
 * -ECANCELED, unless the wait is over at once (which nap_io_wait() asks the kernel only for a
 * deadline that has passed), or the fiber is shielded (nap_fiber_shield()).
 * Whether the fiber then ends is up to its function. A second call for the same fiber changes
 * nothing. Returns 0, or -EINVAL when @fiber is NULL.
 */
int nap_fiber_cancel(struct nap_fiber *fiber);

/**
 * nap_fiber_id() - a number by which a fiber can be canceled when it may have ended
 * @fiber: a handle, or nap_fiber_self()
 *
 * The number is not used again before 2^32 other fibers have had the same stack; after a join, or
 * in the child of a fork, not before the process has had 2^32 other fibers. The number may be
 * copied, kept and handed on; nothing has to be given back. Returns 0, which is no fiber's number,
 * for NULL.
 */
uint64_t nap_fiber_id(const struct nap_fiber *fiber);

/**
 * nap_fiber_cancel_id() - nap_fiber_cancel() without a handle
 * @pool: the pool where the fiber runs, or ran; the pool's memory is valid
 * @id:   of nap_fiber_id()
 *
 * Any thread or fiber, at any time. The fiber may be awaited by another thread, be detached, or
 * have ended long ago. If another fiber has the stack now, that fiber is not touched. Returns 0:
 * the fiber was asked; -ESRCH: the fiber has ended; -ESHUTDOWN: its pool was joined, or in the
 * child of a fork; -EINVAL: @pool is NULL, or @id 0.
 */
int nap_fiber_cancel_id(struct nap_pool *pool, uint64_t id);

/**
 * nap_fiber_canceled() - whether the calling fiber was asked to end, or its pool is stopped
 *
 * The answer is the same for a shielded fiber. A fiber that computes for long calls this now and
 * then, because a stop has to wait until the fiber waits, yields or ends. Returns false where no
 * fiber calls.
 */
bool nap_fiber_canceled(void);

/**
 * nap_fiber_shield() - choose whether the calling fiber's waits ignore a cancellation
 *
 * This is for clean-up that has to be done before the fiber ends. A stop of the pool ends the waits
 * of a shielded fiber, too. Returns whether the fiber was
 * shielded before; false where no fiber calls.
 */
bool nap_fiber_shield(bool shielded);

/** DOC: nap_fiber_self - the calling fiber */

/**
 * nap_fiber_self() - the calling fiber's handle; its owner stays the same. NULL: no fiber calls
 *
 * No fiber calls in a task that a wait runs on a fiber's stack, nor in the function of a
 * nap_call().
 */
struct nap_fiber *nap_fiber_self(void);

/**
 * NAP_FIBER_BUDGET - a fiber gives way after this many calls in a row that did not have to wait
 *
 * A fiber whose waits are always over at once would never leave its worker: what it waits for is
 * there, or it was canceled, or its pool was stopped. So after this many calls that could have
 * waited and did not, the fiber gives way to others, as in nap_yield(). The calls that count are
 * nap_await(), nap_group_wait(), nap_scope_end(), nap_run(), nap_sleep(), nap_timer_cancel_wait(),
 * nap_io_wait(), nap_io_again() where it waits, those of nap/sync.h and nap/channel.h, and the
 * forms of all these with a timeout or a deadline, also one that has passed. The fiber gives way
 * before the call has taken anything; what the fiber has locked before stays locked, except that a
 * wait for a condition gives way without the lock.
 *
 * A call that cannot wait (a timeout or deadline of 0 except in a sleep, nap_mutex_trylock(),
 * nap_mutex_unlock(), nap_sem_release()) neither gives way nor counts; nor does nap_group_wait()
 * for a group that is complete, nor nap_timer_cancel_wait() for a timer whose task neither is
 * scheduled nor runs. Calls also count where the fiber waits as a thread (see above), but there the
 * fiber cannot give way: it does so in its first counted call afterwards. A fiber that computes, or
 * reads from files without such a call, calls nap_yield() itself.
 */
#define NAP_FIBER_BUDGET 128u

/**
 * nap_fiber_set_local() - have a pointer go with the calling fiber
 * @local: the program's pointer: to a request, a context for logging. nap neither reads nor frees
 *         what is there
 *
 * A fiber uses this instead of a thread-local variable, which would stay with the thread. A fiber
 * begins with NULL, whichever fiber spawned it. Where no fiber calls (nap_fiber_self()) this
 * returns false, and nothing is set.
 */
bool nap_fiber_set_local(void *local);

/** nap_fiber_local() - what the calling fiber has set, or NULL; NULL where no fiber calls */
void *nap_fiber_local(void);

/**
 * nap_yield() - let other tasks and fibers of the pool run first
 *
 * A fiber goes to the end of its worker's queue; if that is empty, the fiber goes on at once,
 * except that other queues have their turn now and then. The call does not say whether the fiber is
 * canceled. In a stopped pool the fiber leaves its worker, and goes on in the join, in order with
 * the pool's other fibers. A thread that is no fiber gives way to others (sched_yield(2)).
 */
void nap_yield(void);

/**
 * nap_fiber_set_name() - name the calling fiber for reports and debuggers
 * @name: copied, cut to 15 bytes; NULL for none
 */
void nap_fiber_set_name(const char *name);

/** nap_fiber_name() - the name of @fiber, or ""; the string is valid as long as the handle */
const char *nap_fiber_name(const struct nap_fiber *fiber);

/** DOC: nap_fibers_init - the stacks of fibers */

/** NAP_FIBER_STACK - bytes of stack that a fiber has, if nap_fibers_init() does not say */
#define NAP_FIBER_STACK	((size_t)64 << 10)

/** NAP_FIBER_GUARD - bytes of the guard below a stack, if nap_fibers_init() does not say */
#define NAP_FIBER_GUARD	((size_t)64 << 10)

/** NAP_FIBERS - how many fibers a pool can have at once, if nap_fibers_init() does not say */
#define NAP_FIBERS	32768u

/**
 * struct nap_fibers_config - the fibers of a pool; all zero is a good start
 * @stack_size: bytes of each fiber's stack, of which nap uses less than 512; rounded up to pages.
 *              0: NAP_FIBER_STACK. A page costs memory only once it is touched
 * @most:       how many fibers there can be at once. Each takes @stack_size and @guard_size of
 *              address space. 0: NAP_FIBERS
 * @flags:      NAP_FIBER_NO_GUARD or 0
 * @guard_size: bytes below each stack that no thread may touch: address space only. Rounded up to
 *              pages; a page may be added, so that the tops of the stacks lie in different sets of
 *              a cache. 0: NAP_FIBER_GUARD
 * @unbegun:    called for each fiber, detached or not, that has not begun when the pool is stopped.
 *              Gets what nap_spawn() or nap_scope_spawn() was given, so that the program can give
 *              back what the argument owns. The thread that joins the pool makes the call, before
 *              it continues any fiber, and before it notifies a thread or fiber that awaits this
 *              fiber. The function may not wait for the pool, and is left by return only. NULL: no
 *              call
 */
struct nap_fibers_config {
	size_t stack_size nap__zero;
	uint32_t most nap__zero;
	uint32_t flags nap__zero;
	size_t guard_size nap__zero;
	void (*unbegun)(nap_fiber_fn fn, void *arg) nap__zero;
	uint64_t reserved nap__zero;
};

/**
 * NAP_FIBER_NO_GUARD - no guard below a fiber's stack
 *
 * Without this flag there is a guard: memory that no thread may touch. A function whose frame is
 * larger than the guard may step over it into another fiber's stack, unless the compiler touches
 * each page on the way (-fstack-clash-protection of gcc and clang, which Linux distributions build
 * with).
 *
 * Where the kernel has MADV_GUARD_INSTALL (Linux 6.13) a guard costs nothing except a system call
 * when the stack is used first. Elsewhere a guard takes two of the process's mappings, of which
 * there are 65,530 by default. So at most NAP_FIBER_GUARDS stacks of a process have a guard at
 * once; further stacks have none until their pool is joined, and nap_fiber_stats.unguarded counts
 * them.
 */
#define NAP_FIBER_NO_GUARD 1u
#define NAP_FIBER_GUARDS 16384u

/**
 * nap_fibers_init() - size the stacks of @pool's fibers
 * @pool:   initialised, by nap_pool_init() or statically
 * @config: copied
 *
 * Before the first fiber of the pool; without this call the stacks have the default sizes. Any
 * thread. Returns 0; -EBUSY when the pool's stacks exist already; -ENOMEM when there is not enough
 * address space (as under RLIMIT_AS); -EINVAL when an argument is NULL, stack_size is not 0 and
 * under 16 KiB, or over 1 GiB, most is over 2^31 - 1, guard_size is over 1 GiB, or is not 0 with
 * NAP_FIBER_NO_GUARD, flags has an unknown bit, or reserved is not 0; -ESHUTDOWN after a shutdown
 * and in the child of a fork.
 */
int nap_fibers_init(struct nap_pool *pool, const struct nap_fibers_config *config);

/**
 * nap_fiber_stack_used() - how deep a fiber's stack was ever used, in bytes
 * @fiber: a handle, or nap_fiber_self()
 *
 * These are the bytes from the deepest page that is in memory to the top of the stack: a stack of
 * this size would have sufficed. Pages in between count also if no thread has touched them, and
 * therefore take no memory. Earlier fibers may have touched the deepest page
 * (nap_fibers_trim() gives pages back that no fiber has). Makes system calls. Returns 0 for NULL,
 * or when the kernel does not say.
 */
size_t nap_fiber_stack_used(const struct nap_fiber *fiber);

/**
 * nap_fibers_report_overflow() - have the process report which fiber's stack has overflowed
 *
 * A fiber that runs into its guard ends the process by SIGSEGV. After this call one line on
 * standard error says first which fiber it is:
 *
 *	nap: the stack of fiber "parser" has overflowed: number 3,
 *	function 0x55d0c1a2, 65536 bytes, at 0x7f12fff8
 *
 * (in one line).
 *
 * Any thread; once for the whole process, before the first pool starts workers: workers that have
 * started already have no stack for a handler. A thread from outside that runs fibers (in
 * nap_run() or nap_pool_help(), or because it joins a stopped pool) has such a stack only if the
 * program has given it one (sigaltstack(2)): without one there is no line. The call installs a
 * handler of SIGSEGV and SIGBUS. The handler that was installed before is called after the line,
 * and for every fault that is no overflow, on the same stack, which has 16 KiB on a worker. A
 * handler that is set later replaces this one. The overflow of a stack without a guard
 * (nap_fiber_get_stats()) is not reported. The bare library does not have this call.
 *
 * Returns 0, or a negative errno of sigaction(2).
 */
int nap_fibers_report_overflow(void);

/**
 * nap_fibers_trim() - give back the memory of stacks that no fiber uses
 *
 * Any thread; spawns may run at the same time, and do not fail because of it. The next fibers touch
 * new memory. Returns the size of the stacks that were given back, in bytes, untouched pages
 * included; -EINVAL when @pool is NULL; -ESHUTDOWN after a join and in the child of a fork.
 */
long nap_fibers_trim(struct nap_pool *pool);

/**
 * struct nap_fiber_stats - the fibers of a pool
 * @live:       fibers that were spawned and have not ended
 * @spawned:    fibers that were ever spawned
 * @stacks:     stacks that were ever used; a spawn may use a new one while workers keep free ones
 * @stack_size: bytes of each stack, without the guard
 * @unguarded:  stacks that have no guard, because the kernel refused one
 * @free:       those of @stacks that no fiber has; an ended fiber keeps its stack until its handle
 *              is given up
 */
struct nap_fiber_stats {
	uint64_t live;
	uint64_t spawned;
	uint32_t stacks;
	uint32_t unguarded;
	uint64_t stack_size;
	uint32_t free;
	uint32_t reserved;
	uint64_t reserved_too[2];
};

/**
 * nap_fiber_get_stats() - read @pool's counters; any thread; returns 0, -EINVAL, or -ESHUTDOWN
 * after a join and in the child of a fork
 */
int nap_fiber_get_stats(struct nap_pool *pool, struct nap_fiber_stats *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_FIBER_H */
