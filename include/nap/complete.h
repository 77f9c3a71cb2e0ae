/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_cq_init - completion queues: hand tasks back to the thread of an event loop
 *
 * Any thread hands tasks to the thread of an event loop through a completion queue.
 *
 *	static struct nap_cq cq;
 *
 *	nap_cq_init(&cq);
 *	epoll_ctl(ep, EPOLL_CTL_ADD, nap_cq_fd(&cq), &event);	(for EPOLLIN)
 *	...
 *	nap_cq_push(&cq, &my->task);			on a worker, when it is done
 *	...
 *	nap_cq_run(&cq, 0);				on the loop, when the fd is readable
 *
 * The loop calls the run function of each task that is handed back. Pushing is lock-free and
 * allocates nothing. There may be any number of queues. Only one thread at a time takes tasks out
 * of a queue: its loop.
 *
 * The fd is readable until the loop has found that the queue is empty. So a loop that takes out
 * one task, and then sleeps on all its fds, misses nothing. The first push after the queue was
 * found empty writes to the fd, later pushes do not: one system call for each sleep of the loop,
 * not for each task.
 *
 * The fd is for epoll, poll, select, and io_uring by IORING_OP_POLL_ADD. EPOLLET and a multishot
 * poll report changes only: with these the loop takes tasks out until the queue is empty, and ends
 * the poll before it closes the queue. Only nap reads from the fd or writes to it.
 *
 * In the child of a fork an open queue still belongs to the parent, and so does the fd, of which
 * the child has a copy. The child's calls write nothing to the fd and read nothing from it: a push
 * is -ESHUTDOWN, no task comes out, and nap_cq_close() closes the copy and hands out no task.
 * Afterwards the child may open the queue as its own. nap_cq_fd() returns the number of the copy,
 * for a child that closes the copy itself; the child must not sleep on the copy.
 *
 * A queue or a task that is NULL is undefined behaviour in nap_cq_push(); the other calls return an
 * error, or do nothing.
 */
#ifndef NAP_COMPLETE_H
#define NAP_COMPLETE_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "state.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct nap_cq - a completion queue; public, to be embedded; every field is private
 *
 * Zero is a closed queue. Access letters: A: atomic, O: only the loop.
 */
struct nap_cq {
	uintptr_t pushed nap__zero;		/* A: src/kit/complete.c */
	int32_t fd nap__zero;			/* A: set when the queue is opened or closed */
	/* A: the process that has opened the queue; set when the queue is opened */
	uint32_t gen nap__zero;
	uint64_t nr_pushed nap__zero;		/* A: tasks that were pushed */
	/*
	 * Keeps the fields above, which pushers write, and the fields below, which the loop writes,
	 * on different cache lines, though the queue is only aligned as a pointer is.
	 */
	unsigned char apart[NAP__CACHE_LINE - 8] nap__zero;
	struct nap_task *taken nap__zero;	/* O: tasks that were taken, oldest first */
	uint64_t round nap__zero;		/* O: counts how often @taken was filled */
	uint64_t nr_out nap__zero;		/* A: tasks that were handed out */
	/* O: the next push is to write to the fd, or an earlier push has written or is about to */
	uint32_t armed nap__zero;
};

/**
 * nap_cq_init() - open a queue
 * @cq: new memory, aligned as a pointer is, or a queue that has been closed
 *
 * Called by the thread that becomes the loop, or earlier by another thread. Takes one file
 * descriptor, close-on-exec. A push that is under way while a queue is closed and opened again is
 * refused, or accepted by the old queue or the new one. An open queue is opened again like new
 * memory: its fd, and its tasks, are lost. Returns 0; -EMFILE, -ENFILE, -ENOMEM or -ENODEV as
 * eventfd2(2), or what a seccomp filter returns for it; -EINVAL when @cq is NULL or not aligned.
 */
int nap_cq_init(struct nap_cq *cq);

/**
 * nap_cq_fd() - the fd that the loop polls for reading; -EINVAL: @cq is NULL; -EBADF: @cq is closed
 */
int nap_cq_fd(const struct nap_cq *cq);

/**
 * nap_cq_depth() - how many tasks are pushed, and not yet taken out
 *
 * Any thread: for a line of statistics, or to slow down the threads that push. A push that is under
 * way counts already. A push that was under way while the queue was closed and opened again may
 * count once too often, or not at all, until the queue is closed again. Returns 0 for NULL, for a
 * closed queue, and in the child of a fork.
 */
size_t nap_cq_depth(const struct nap_cq *cq);

/**
 * nap_cq_push() - hand @task back
 * @task: its run is set; the queue owns the task until the task is taken out
 *
 * Any thread, also in the handler of a signal, also the loop itself. What the caller wrote before
 * is visible to the thread that takes the task out. Tasks that one thread pushes come out in that
 * order. The call never waits for other threads. The task may be taken out, run and freed, and the
 * queue may be closed, before the call returns. If a write to the fd fails three times in a row, as
 * under a seccomp filter, the next push writes, or the loop finds the task when it takes out next.
 * Returns 0, or -ESHUTDOWN when the queue is closed, or belongs to the parent in the child of a
 * fork: then the task is still the caller's.
 */
int nap_cq_push(struct nap_cq *cq, struct nap_task *task);

/**
 * nap_cq_pop() - the loop: take out the oldest task; NULL: there is none, and the next push makes
 * the fd readable
 */
struct nap_task *nap_cq_pop(struct nap_cq *cq);

/**
 * nap_cq_pop_all() - the loop: take out all tasks that are there, and append them to @batch
 *
 * The batch is a list for the loop to go through, or to schedule on a pool. Returns how many.
 */
size_t nap_cq_pop_all(struct nap_cq *cq, struct nap_batch *batch);

/**
 * nap_cq_run() - the loop: take out the tasks that are there, and run them
 * @max: run at most this many; 0: no bound
 *
 * Tasks that are pushed during the call are left for the next call, even if the functions take
 * tasks out themselves, and the fd stays readable. So a task that pushes itself again does not hold
 * up the loop's other fds. A function may free its task, take out others, and close the queue;
 * after a close the call returns. The queue's memory stays until the call has returned.
 *
 * Nothing starves. Tasks run first in, first out. Without a bound, a task has run when the second
 * call that begins after its push has returned, whatever other threads push in between.
 *
 * An fd that cannot be written to cannot show that tasks are left. Then @max is ignored, and tasks
 * that are pushed during the call are run, too.
 *
 * Returns how many were run.
 */
size_t nap_cq_run(struct nap_cq *cq, size_t max);

/**
 * nap_cq_close() - the loop: refuse later tasks, take out those that are there
 * @left: the caller's batch, to which the tasks that were pushed before are appended.
 *        nap_pool_join() first empties the batch that it gets; so call this after the join, or with
 *        another batch
 *
 * A push that races with the close is accepted, and its task is in @left; or it is refused, and its
 * task is its caller's. The call waits for a push that is about to write to the fd, then closes the
 * fd. The memory may be freed when every push that may still be refused has returned. A work
 * (nap/work.h) in @left has ended, but its @done is only called by nap_work_end_left().
 *
 * Returns 0; -EALREADY when @cq was closed before; -ESHUTDOWN in the child of a fork: the fd is
 * closed, and @left gets nothing; -EINVAL when @cq or @left is NULL.
 */
int nap_cq_close(struct nap_cq *cq, struct nap_batch *left);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_COMPLETE_H */
