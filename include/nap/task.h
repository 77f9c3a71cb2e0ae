/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_task - tasks and batches of tasks
 *
 * A caller embeds tasks in its own structures, and hands them over one by one or in batches.
 *
 * A task is intrusive: the caller embeds a struct nap_task in a structure of its own and gets back
 * to that structure with nap_container_of() (the blog text on Zap, section "Intrusive Memory").
 * Scheduling therefore allocates nothing and fails for one reason only: the pool is shut down.
 *
 * Ways out. A task is left by return, and so is every other callback: a job, worker_start,
 * worker_stop, spawn_failed. (The function of a nap_call() has more ways: nap/call.h.) Otherwise:
 *
 * - An exception of C++, or of what else unwinds the stack. On a worker no caller would catch it:
 *   std::terminate(). Where a caller up the stack would, because the callback is run by a wait, a
 *   join or nap_pool_help(), one line says so, and the process aborts.
 * - pthread_exit(): one line, then abort().
 * - A cancellation that is acted upon inside a callback: the same.
 * - longjmp() or the like out of the callback, over frames of nap's: the same. nap finds the jump
 *   at this thread's next wait, join, nap_pool_help() or nap_call(), when the thread ends, or when
 *   the worker has nothing to do. nap does not find the jump if this thread does none of these,
 *   and another thread waits for what the task left; nor if the next of these calls comes from
 *   further down the stack than the frame that was left. (On musl, where the end of a thread does
 *   not unwind the stack, the end may come from further down, too. A nap_call() that was left is
 *   then ended as by pthread_exit().) A jump inside one callback is allowed. A coroutine may have
 *   its stack anywhere except in a frame of the thread that runs it, because a switch to such a
 *   stack looks like a jump.
 * - exit() and abort() end the process, as anywhere. exit() runs its handlers on this thread, for
 *   which nap_pool_join() is -EDEADLK.
 */
#ifndef NAP_TASK_H
#define NAP_TASK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_task;

/**
 * typedef nap_task_fn - the work of a task
 * @task: the task that was scheduled
 *
 * Runs once per successful schedule, on a worker or on a thread that helps. The pool does not touch
 * @task again once this has begun: the callback owns it and may free it or schedule it again. The
 * callback is left by return only: see above.
 */
typedef void (*nap_task_fn)(struct nap_task *task);

/**
 * struct nap_task - a unit of work, embedded by the caller
 * @next: owned by the pool from nap_schedule() until @run begins
 * @run:  set by the caller; never NULL when scheduled
 *
 * A task is in at most one pool, once, at any time. Between a successful schedule and the start of
 * @run the caller may not read or write it.
 */
struct nap_task {
	struct nap_task *next;
	nap_task_fn run;
};

/** NAP_TASK_INIT() - static initialiser of a task that runs @fn */
#ifdef __cplusplus
#define NAP_TASK_INIT(fn) { 0, (fn) }
#else
#define NAP_TASK_INIT(fn) { .next = NULL, .run = (fn) }
#endif

/**
 * nap_container_of() - the structure that embeds a member, by the member's address
 *
 * By way of a number, because gcc with -Wstrict-aliasing=1 warns of a cast from pointer to pointer.
 */
#define nap_container_of(ptr, type, member) \
	((type *)(uintptr_t)((uintptr_t)(ptr) - offsetof(type, member)))

/** nap_task_init() - prepare @task so that it runs @run; the caller's, no thread rules */
static inline void nap_task_init(struct nap_task *task, nap_task_fn run)
{
	task->next = NULL;
	task->run = run;
}

/**
 * struct nap_batch - tasks to be scheduled together, oldest first
 * @head:  the oldest task, or NULL
 * @tail:  the youngest task; meaningless when @head is NULL
 * @count: how many tasks
 *
 * Private to one thread at a time; NULL for a batch or a task is undefined. Every operation is O(1)
 * and needs no allocation; a batch is published with one store and one notification, however long
 * it is.
 */
struct nap_batch {
	struct nap_task *head;
	struct nap_task *tail;
	size_t count;
};

/** NAP_BATCH_INIT - static initialiser of an empty batch */
#define NAP_BATCH_INIT { NULL, NULL, 0 }

/** nap_batch_push() - append @task to @batch */
static inline void nap_batch_push(struct nap_batch *batch, struct nap_task *task)
{
	task->next = NULL;
	if (batch->head)
		batch->tail->next = task;
	else
		batch->head = task;
	batch->tail = task;
	batch->count++;
}

/**
 * nap_batch_concat() - append all of @from, which is then empty, to @to; if both are the same
 * nothing happens
 */
static inline void nap_batch_concat(struct nap_batch *to, struct nap_batch *from)
{
	if (!from->head || from == to)
		return;
	if (to->head)
		to->tail->next = from->head;
	else
		to->head = from->head;
	to->tail = from->tail;
	to->count += from->count;
	from->head = from->tail = NULL;
	from->count = 0;
}

/** nap_batch_pop() - take the oldest task out of @batch; NULL when it is empty */
static inline struct nap_task *nap_batch_pop(struct nap_batch *batch)
{
	struct nap_task *task = batch->head;

	if (task) {
		batch->head = task == batch->tail ? NULL : task->next;
		batch->count--;
		task->next = NULL;
	}
	return task;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_TASK_H */
