/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_task - tasks and batches of tasks
 *
 * A caller embeds tasks in its own structures, and hands them over one by one or in batches.
 *
 * A task is intrusive: the caller embeds a struct nap_task in a structure of its own, and
 * nap_container_of() leads from the task to this structure (Zap's blog text, section "Intrusive
 * Memory"). So scheduling allocates nothing, and fails only when the pool is shut down.
 *
 * Ways out. A task is left by return only, and so is every other callback: a job, worker_start,
 * worker_stop, spawn_failed. (The function of a nap_call() may be left in other ways: nap/call.h.)
 * What happens otherwise:
 *
 * - An exception of C++, or another unwinding of the stack. On a worker no caller catches it:
 *   std::terminate(). If a caller up the stack could catch it, because a wait, a join or
 *   nap_pool_help() runs the callback, nap prints one line, and aborts.
 * - pthread_exit(): nap prints one line, and aborts.
 * - A cancellation that takes effect inside a callback: nap prints one line, and aborts.
 * - longjmp() or the like out of the callback, over frames of nap's: nap prints one line, and
 *   aborts, when it finds the jump. It looks for jumps at this thread's next wait, join,
 *   nap_pool_help() or nap_call(), when the thread ends, and when the worker has nothing to do. It
 *   finds no jump if this thread reaches none of these places; nor if the thread's next call comes
 *   from deeper in the stack than the frame that was left. (On musl the end of a thread does not
 *   unwind the stack, so it may come from deeper in the stack, too. A nap_call() that was left is
 *   then ended as by pthread_exit().) A jump inside one callback is allowed. A coroutine may have
 *   its stack anywhere except in a frame of the thread that runs it, because a switch to such a
 *   stack looks like a jump.
 * - exit() and abort() end the process as usual. exit() runs its handlers on the worker, where
 *   nap_pool_join() returns -EDEADLK.
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
 * @task once the function has begun: the function owns @task, and may free it or schedule it again.
 * The callback is left by return only: see above.
 */
typedef void (*nap_task_fn)(struct nap_task *task);

/**
 * struct nap_task - a unit of work, embedded by the caller
 * @next: the pool's from nap_schedule() until @run begins
 * @run:  set by the caller; never NULL when scheduled
 *
 * A task is in at most one pool, once, at any time. The caller may not read or write the task
 * between a successful schedule and the start of @run.
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
 * The macro casts by way of an integer, because gcc with -Wstrict-aliasing=1 warns of a cast from
 * pointer to pointer.
 */
#define nap_container_of(ptr, type, member) \
	((type *)(uintptr_t)((uintptr_t)(ptr) - offsetof(type, member)))

/** nap_task_init() - prepare @task, which is the caller's, to run @run; any thread */
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
 * A batch is private to one thread at a time; NULL for a batch or a task is undefined behaviour.
 * Every operation is O(1) and allocates nothing; a batch is published with one store and one
 * notification, however long it is.
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
 * nap_batch_concat() - append all of @from, which is then empty, to @to; if @from is @to nothing
 * happens
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
