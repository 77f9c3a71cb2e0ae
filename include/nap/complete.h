/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_cq_init - completion queues: hand tasks back to the thread of an event loop
 *
 * A completion queue takes tasks from any thread to the thread of an event loop.
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
 * allocates nothing. There may be any number of queues. One thread at a time takes out of a queue:
 * its loop.
 *
 * The fd is readable until the loop has found that the queue is empty. So a loop that takes out
 * one task, and then sleeps on all its fds, misses nothing. The first push after the queue was
 * found empty writes to the fd, the others do not: one system call for each sleep, not for each
 * task.
 *
 * The fd is for epoll, poll, select, and io_uring by IORING_OP_POLL_ADD. With EPOLLET, and with a
 * multishot poll, which report changes only, the loop takes out until it gets nothing; and ends
 * such a poll before it closes the queue. Only nap reads from the fd or writes to it.
 *
 * In the child of a fork an open queue still belongs to the parent, and so does the fd, of which
 * the child has a copy. The child's calls write nothing to the fd and read nothing from it: a push
 * is -ESHUTDOWN, nothing comes out, and nap_cq_close() closes the copy and hands out nothing. After
 * that the child may open the queue as its own. nap_cq_fd() gives the number of the copy: for a
 * child that closes it itself, not to sleep on.
 *
 * NULL for a queue or a task is undefined in nap_cq_push(); elsewhere it is an error, or nothing.
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
 * struct nap_cq - a completion queue; public so that it can be embedded, private in every field
 *
 * Zero is a closed queue. Access: A atomic, O the loop only.
 */
struct nap_cq {
	uintptr_t pushed nap__zero;		/* A: src/kit/complete.c */
	int32_t fd nap__zero;			/* A: set by the loop while nobody pushes */
	uint32_t gen nap__zero;			/* A: which process has opened it; set as @fd is */
	uint64_t nr_pushed nap__zero;		/* A: counted before the push */
	/* The parts above and below never share a line; the queue is aligned as a pointer is. */
	unsigned char apart[NAP__CACHE_LINE - 8] nap__zero;
	struct nap_task *taken nap__zero;	/* O: oldest first */
	uint64_t round nap__zero;		/* O: counts how often @taken was filled */
	uint64_t nr_out nap__zero;		/* A: tasks that were handed out */
	uint32_t armed nap__zero;		/* O: a push was asked to write, or has */
};

/**
 * nap_cq_init() - open a queue
 * @cq: new memory, aligned as a pointer is, or a queue that has been closed
 *
 * Called by the thread that becomes the loop, or earlier by another. Takes one file descriptor,
 * close-on-exec. A push that is under way while a queue is closed and opened again is refused, or
 * accepted by the old queue or the new one. Returns 0, -EMFILE, -ENFILE or -ENOMEM as eventfd(2),
 * or -EINVAL when @cq is NULL or not aligned.
 */
int nap_cq_init(struct nap_cq *cq);

/** nap_cq_fd() - what the loop sleeps on, for reading; -EINVAL when @cq is NULL, -EBADF: closed */
int nap_cq_fd(const struct nap_cq *cq);

/**
 * nap_cq_depth() - how many tasks are pushed, and not taken out
 *
 * Any thread: for a line of statistics, or to slow down the threads that push. A push that is under
 * way counts already. A push that was under way while the queue was closed and opened again may
 * count once too often, or not at all, until the queue is closed again. Returns 0 for NULL, for a
 * closed queue, and in the child of a fork.
 */
size_t nap_cq_depth(const struct nap_cq *cq);

/**
 * nap_cq_push() - hand @task back
 * @task: run is set; the queue's until it is taken out
 *
 * Any thread, also in the handler of a signal, also the loop itself. What the caller wrote before
 * is visible to the thread that takes it out. What one thread pushes comes out in the same order.
 * Never blocks on other threads. The task may be taken out, run and freed before this returns, and
 * the queue may be closed. A write to the fd that fails three times in a row, as under a filter, is
 * made up for by the next push, or found when the loop takes out next. Returns 0, or -ESHUTDOWN
 * when the queue is closed, or its parent's in the child of a fork: then the task is still the
 * caller's.
 */
int nap_cq_push(struct nap_cq *cq, struct nap_task *task);

/**
 * nap_cq_pop() - the loop: take out the oldest task; NULL: there is none; a push makes the fd
 * readable
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
 * Tasks pushed during the call are left for the next call, whatever the functions take out
 * themselves, and the fd stays readable: so a task that pushes itself again alternates with the
 * loop's other fds. A function may free its task, take out others, and close the queue; after a
 * close the call returns. The queue's memory stays until the call has returned.
 *
 * Nothing starves. Tasks run first in, first out. Without a bound, the second call that begins
 * after a push has run what was pushed, whatever others push in between.
 *
 * Where the fd cannot be written to, nothing would say that tasks are left: then @max is no bound,
 * and what is pushed during the call is run, too.
 *
 * Returns how many were run.
 */
size_t nap_cq_run(struct nap_cq *cq, size_t max);

/**
 * nap_cq_close() - the loop: refuse later tasks, take out those that are there
 * @left: the caller's; what was pushed before is appended. nap_pool_join() empties its batch first,
 *        so this call comes after the join, or has another batch
 *
 * What a racing push returns is true: a task that was accepted is in @left, a refused one is its
 * caller's. Waits for a push that is about to write to the fd, then closes the fd. The memory may
 * be freed when every push that may still be refused has returned. A work (nap/work.h) that is left
 * has ended, but nap_work_end_left() has to call its @done.
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
