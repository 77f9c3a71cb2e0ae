/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_init_child - a pool in the child of a fork
 *
 * This call is for the child of a fork, whichever way the fork was made: fork(2), _Fork(), clone(2)
 * without CLONE_VM.
 *
 * The child has the thread that forked, and none of the pools' workers. So a pool that the parent
 * had used is dead in the child: every call is refused at once (-ESHUTDOWN, as each call's
 * description says), and none waits. The thread that forked may have been a worker, or in
 * nap_call(), or running tasks in a wait. It may return from the function in which it forked, and
 * is no longer a worker of any pool. If the thread forked inside a wait or nap_pool_join(), that
 * call returns -ESHUTDOWN; nap_call() returns as usual. When the thread joins the jobs that it has
 * forked, it runs them itself (nap/fork.h). A thread that was a worker ends when its task returns;
 * because it is the child's only thread, the child ends, too.
 *
 * A signal handler may have interrupted a call of nap's when the handler forks. In the child such a
 * handler does not return: it ends in execve(2) or _exit(2). The interrupted call might wait for
 * ever, for a thread that the child does not have.
 *
 * Such a pool is the child's memory. In place of nap_pool_init_child() the child may initialise it
 * by nap_pool_init(), with any configuration, or free it, or use it for something else. What the
 * pool had mapped for its workers then stays mapped in the child. This, too, is not done from
 * within a task or call of the pool, as nap_pool_init_child() says below. (A pool of nap_pool_new()
 * is freed as nap/new.h says.)
 *
 * The library notices the fork by itself: on Linux since 4.14 by MADV_WIPEONFORK; on older kernels,
 * and in emulators that ignore MADV_WIPEONFORK (qemu-user), by a handler of pthread_atfork().
 * Without a libc the program has to tell nap (nap/bare.h).
 */
#ifndef NAP_CHILD_H
#define NAP_CHILD_H

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_pool_init_child() - in the child of a fork, initialise a pool of the parent anew
 * @pool: used in the parent: it may have been running, shut down or joined
 *
 * As nap_pool_init() with the pool's own configuration. The pool sizes itself, and starts workers,
 * when it is used again.
 *
 * - What was queued or running at the fork does not run in the child. The tasks are the caller's
 *   memory again, to be initialised before they are scheduled; so are groups that other threads
 *   waited on.
 * - What the pool had mapped for its workers is unmapped. The workers' stacks are the libc's: glibc
 *   uses them for the child's own threads, musl leaves them mapped. Without a libc the stacks are
 *   unmapped, too, except that of a worker that was just being started or joined.
 *
 * Any thread of the child while no other thread uses @pool. The call is not made from within the
 * task, job, callback or function of @pool that has forked: this function has to return first, and
 * so has the call of nap's that runs it. The thread may be, and stay, inside another pool.
 *
 * Returns 0, also when the pool was never used; -EBUSY when this process uses @pool, and -EDEADLK
 * from within, as above: then @pool is as it was; -EINVAL when @pool is NULL or not aligned.
 */
int nap_pool_init_child(struct nap_pool *pool);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CHILD_H */
