/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_group_wait - wait until a number of things have been done
 *
 * A group counts things that are to be done, and threads wait until all are done.
 *
 * A group may live on the stack of a thread that waits for it: the last nap_group_done() does not
 * touch the group after it has released the waiters.
 *
 * No wait in this header is a cancellation point: a cancellation request stays pending until the
 * wait has ended. Tasks that a wait runs must end by return (nap/task.h).
 *
 * nap_group_init(), _add() and _done() with a NULL group are undefined behaviour; a debug build
 * reports it. In the child of a fork a group that other threads waited on has to be initialised
 * again.
 */
#ifndef NAP_GROUP_H
#define NAP_GROUP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_pool;

/**
 * NAP_FOREVER - a timeout that never ends, and a time that never comes
 *
 * Every call that takes a timeout or a deadline takes this value, and nap_deadline(NAP_FOREVER) is
 * NAP_FOREVER. A deadline of 0 has passed, like every time before now: the call does not wait.
 */
#define NAP_FOREVER UINT64_MAX

/**
 * struct nap_group - a counter that threads and tasks can wait on
 *
 * Access letters: I: set at init, A: atomic.
 */
struct nap_group {
	struct nap_pool *pool;	/* I: the pool whose tasks a waiter runs; may be NULL */
	uintptr_t waiters;		/* A: the list of waiters: src/sync/waitlist.h */
	uint64_t state;		/* A: things to be done, and waiters: src/wait/group.h */
};

/** NAP_GROUP_INIT() - static initialiser; an empty group is complete */
#define NAP_GROUP_INIT(pool) { (pool), 0, 0 }

/**
 * nap_group_init() - prepare a group
 * @group: not in use by any thread
 * @pool:  the pool whose tasks the group counts. A waiter on one of its workers runs tasks until
 *         the wait ends. A waiter outside runs tasks when no worker can (none could be started, or
 *         all wait with no room on their stacks). A shutdown in STOP mode ends the wait. The pool
 *         must outlive every wait that begins before the group is complete. Waits of fibers and of
 *         threads from outside are the exception if they sleep when the pool's end begins: they do
 *         not touch the pool once it is joined. NULL: the wait only sleeps, wherever it is called.
 *         Such a wait runs nothing, so a task that holds a lock may use it. It holds up a broadcast
 *         (nap/broadcast.h), and so must not wait for a task that makes one, or calls
 *         nap_pool_reread(). A stop does not end such a wait, except that every wait of a fiber
 *         ends when the fiber's own pool is stopped.
 */
void nap_group_init(struct nap_group *group, struct nap_pool *pool);

/**
 * nap_group_add() - announce @n more things to be done
 *
 * Any thread. The count may rise from zero only while no thread waits: before the first wait, or
 * after all waiters have returned. Other threads may call nap_group_add() and nap_group_done() at
 * the same time. While the count is above zero it may rise at any time, for example by a task of
 * the group. Returns 0, or -EOVERFLOW when the count would pass 2^31 - 1 (and nothing changes).
 */
int nap_group_add(struct nap_group *group, uint32_t n);

/**
 * nap_group_done() - one of the announced things is done
 *
 * Any thread. What the caller wrote before is visible to the waiters whose wait this call ends.
 * After the last nap_group_done() its caller may not touch @group: a waiter may already have freed
 * it. Returns 0, or -EINVAL when nothing was left to be done (and nothing changes).
 */
int nap_group_done(struct nap_group *group);

/**
 * nap_group_wait() - wait until everything is done
 *
 * Any thread. On a worker (of any pool) the wait runs other tasks of that worker's pool, nested in
 * the task that waits. When there are none the worker parks; new work calls it back. Once half of
 * the thread's stack is used the wait is at the nesting limit, and only sleeps. Do not let every
 * level of a recursion wait for a group of its own: tasks are served oldest first, so the waits
 * would nest about as deep as there are tasks. Count the leaves of a recursion in one group
 * instead.
 *
 * A wait at the nesting limit may be for work that no thread would run: the work is queued, all
 * workers of the pool wait at this limit, too, and no worker can be started. When for 100 ms no
 * thread from outside has come to run the work, the wait ends with -EDEADLK. The group may still
 * become complete later.
 *
 * Returns 0; -EDEADLK at the nesting limit, when for 100 ms no other thread could run the queued
 * work; -ECANCELED when the calling fiber was canceled, or its pool stopped, or, if the group has a
 * pool, when that pool or the pool of the worker that waits was shut down in STOP mode; -ESHUTDOWN
 * in the child of a fork, where the group has a pool, or the caller is a fiber of the parent;
 * -EINVAL when @group is NULL.
 */
int nap_group_wait(struct nap_group *group);

/**
 * nap_group_wait_for() - nap_group_wait() within a time
 * @group:      as above
 * @timeout_ns: nanoseconds on CLOCK_MONOTONIC; 0 polls; NAP_FOREVER waits for ever
 *
 * A task that the wait has begun is run to its end, so the wait may last longer by one task. On a
 * worker a wait with a timeout of 0 runs no task: so a worker that only polls never runs the tasks
 * for which it waits. After -ETIMEDOUT the group stays in use until it is complete. The memory of
 * the group, and of the counted tasks, may be freed only after a wait has returned 0.
 *
 * Returns as nap_group_wait(), or -ETIMEDOUT, which comes instead of -EDEADLK.
 */
int nap_group_wait_for(struct nap_group *group, uint64_t timeout_ns);

/**
 * nap_group_wait_until() - nap_group_wait() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_group_wait_until(struct nap_group *group, uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_GROUP_H */
