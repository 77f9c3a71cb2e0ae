/* SPDX-License-Identifier: MIT */
/*
 * Serial queues: nap/serial.h. A scheduled task goes into an inbox (src/queue/inbox.h); to the pool
 * the queue is one task, its own task.
 *
 * While the inbox is empty it is armed, and the queue's own task is in no queue. The thread whose
 * push clears the armed flag owns the queue, and schedules the own task. The worker that runs the
 * own task takes all tasks out of the inbox, runs a quantum of them, and injects the own task
 * again. So the own task comes after all injected tasks; in the worker's ring it would come before
 * them. When no task remains the worker arms the inbox, which is its last touch of the queue.
 *
 * src/kit/serial_schedule.c schedules on queues, and ends them.
 */
#include "kit/serial.h"

#include <errno.h>

#include <nap/pool.h>

#include "kit/work.h"
#include "os/happens.h"
#include "queue/inbox.h"
#include "sched/schedule.h"
#include "sync/debug.h"
#include "worker/exclusive.h"
#include "worker/phase.h"
#include "worker/probe.h"
#include "worker/self.h"
#include "worker/measure.h"

/* ---- called by the owner */

/* Whether there is a task. False: the caller no longer owns the queue. */
static bool serial_has_next(struct nap_serial *serial)
{
	while (!serial->taken) {
		happens_before(serial);
		/* Publishes what the tasks have done: pairs with nap__serial_take_over(). [X4] */
		if (inbox_arm_release(&serial->pushed))
			return false;
		serial->taken = inbox_take_pushed(&serial->pushed);
	}
	return true;
}

/* Takes the next task. The queue is not empty. */
static struct nap_task *pop(struct nap_serial *serial)
{
	struct nap_task *task = serial->taken;

	serial->taken = task->next;
	task->next = NULL;
	/* A thread that reads this sees the pushes before it: pairs with serial_length(). [X10] */
	nap_store_release(&serial->nr_begun, serial->nr_begun + 1);
	happens_after(task);
	debug_unmark(task);
	return task;
}

/* @task may have been freed when @run returns. */
static void run_in_order_watched(struct nap_pool *pool, struct nap_task *task, uint32_t flags)
{
	nap_task_fn run = task->run;
	uint64_t begun;

	unseen_begin();
	begun = watch_begin(pool, flags, task, run);
	unseen_end();
	run(task);
	unseen_begin();
	watch_return(pool, flags, task, run, begun);
	unseen_end();
}

/* Also called without a worker: a program may itself run tasks that a stop has left. */
void nap__run_in_order(struct nap_task *task, bool is_first)
{
	struct nap_worker *worker = nap__self()->worker;
	struct nap_pool *pool = worker ? worker->pool : NULL;

	probe3(begin, pool, task, task->run);
	if (worker)
		runs_now(worker, (uintptr_t)task->run);
	if (pool && is_watched(pool))
		run_in_order_watched(pool, task,
				     NAP_TRACE_IN_ORDER | (is_first ? NAP_TRACE_INNER : 0));
	else
		task->run(task);
	probe1(end, pool);
}

/*
 * Runs the next task; the queue is not empty. False: the task was the last, and may have freed the
 * queue; or the task has forked, and this is the child, where the queue is the parent's.
 */
static bool run_next(struct nap_serial *serial, bool is_first)
{
	uint32_t process = nap_load_relaxed(&nap__fork_gen);
	bool is_last, was_exclusive;
	struct nap_task *task;

	unseen_begin();
	task = pop(serial);
	is_last = !serial->taken && inbox_is_at_end(&serial->pushed);
	if (is_last)
		is_given(serial, sizeof(*serial));
	unseen_end();
	was_exclusive = exclusive_begin();
	nap__run_in_order(task, is_first);
	exclusive_end(was_exclusive);
	return !is_last && nap_load_relaxed(&nap__fork_gen) == process;
}

/*
 * Counts a task of the quantum, except the first, which is counted as the queue's own task. There
 * is no worker if a program itself runs tasks that a stop has left.
 */
static void count_begun(struct nap_pool *pool)
{
	struct nap_worker *worker = nap__self()->worker;

	if (worker)
		stat_add(&worker->stats.run, 1);
	serial_count(pool, worker, (uint64_t)-1);
}

/*
 * Gives the queue's own task to the join of the stopped pool. The join returns the task, so that
 * the program finds the queue and the tasks in it.
 */
static void leave_to_joiner(struct nap_pool *pool, struct nap_task *own)
{
	/* Not noticed in tests when dropped: both callers have declared this already. */
	happens_before(own);
	nap__schedule_left(pool, own);
}

/* Schedules the queue's own task in the queue's class. The caller is inside the pool. */
static int publish_own(struct nap_serial *serial, struct nap_pool *pool)
{
	struct nap_batch batch = { &serial->task, &serial->task, 1 };

	/* Not noticed in tests when dropped: the join of a stopped pool empties classes, too. */
	if (pool_stopped_or_forked(pool))
		return -ESHUTDOWN;
	serial->publish(pool, serial->of_class, &batch);
	return 0;
}

/* Queues the queue's own task; after a stop gives the task to the joiner. */
void nap__serial_go_on_later(struct nap_serial *serial, struct nap_pool *pool)
{
	struct nap_worker *worker = own_inside(pool);
	struct nap_task *own = &serial->task;

	serial_count(pool, worker, (uint64_t)-1);
	happens_before(own);
	watch_own(pool, own);
	if (serial->publish ? publish_own(serial, pool) : nap__schedule_behind(pool, worker, own))
		leave_to_joiner(pool, own);
	watch_own_published();
}

/*
 * Decides between two tasks whether the caller goes on with the quantum. False: the caller no
 * longer owns the queue.
 */
static bool goes_on(struct nap_serial *serial, struct nap_pool *pool, uint32_t nr_run)
{
	bool has_next;

	unseen_begin();
	has_next = serial_has_next(serial);
	/* A stop takes effect before each task: tasks that have not begun remain in the queue. */
	if (has_next && (nr_run == NAP_SERIAL_QUANTUM || pool_stopped(pool))) {
		if (!nr_run)
			serial_none_begun(pool);
		nap__serial_go_on_later(serial, pool);
		has_next = false;
	} else if (has_next && nr_run) {
		count_begun(pool);
	}
	unseen_end();
	return has_next;
}

static void serial_run(struct nap_task *own)
{
	struct nap_serial *serial = nap_container_of(own, struct nap_serial, task);
	struct nap_pool *pool = serial->pool;
	uint32_t nr_run = 0;

	while (goes_on(serial, pool, nr_run) && run_next(serial, !nr_run))
		nr_run++;
}

/* ---- becoming the owner */

void nap__serial_take_over(struct nap_serial *serial)
{
	/*
	 * Sees what the last owner has done: pairs with its inbox_arm_release(), whose release
	 * sequence the caller's push continues. [X4]
	 */
	nap_load_acquire(&serial->pushed);
	happens_after(serial);
}

void nap__serial_begin(struct nap_serial *serial, struct nap_pool *pool, struct nap_worker *worker)
{
	nap__serial_take_over(serial);
	happens_before(&serial->task);
	watch_own(pool, &serial->task);
	if (serial->publish ? publish_own(serial, pool) :
			      nap__schedule_as(pool, worker, true, &serial->task, &serial->task, 1))
		leave_to_joiner(pool, &serial->task);
	watch_own_published();
}

void nap__serial_run_last(struct nap_serial *serial)
{
	struct nap_task *task;

	nap__serial_take_over(serial);
	serial->taken = inbox_take_pushed(&serial->pushed);
	task = pop(serial);
	is_given(serial, sizeof(*serial));
	unseen_end();
	nap__work_deliver_here(task);
	unseen_begin();
}

/* ---- init, depth, close */

int nap_serial_init(struct nap_serial *serial, struct nap_pool *pool)
{
	if (!serial || !pool || (uintptr_t)serial % _Alignof(struct nap_serial))
		return -EINVAL;
	debug_aligned(pool, __func__, __builtin_return_address(0));
	*serial = (struct nap_serial){ .pool = pool, .task = NAP_TASK_INIT(serial_run) };
	nap_store_relaxed(&serial->pushed, INBOX_OPEN | INBOX_ARMED);
	return 0;
}

uint32_t nap_serial_depth(const struct nap_serial *serial)
{
	uint32_t length;

	if (!serial)
		return 0;
	unseen_begin();
	length = serial_length(serial);
	unseen_end();
	return length;
}

static void serial_leave(struct nap_task *list, struct nap_batch *left)
{
	while (list) {
		struct nap_task *task = list;

		list = task->next;
		is_received(task, sizeof(*task));
		debug_unmark(task);
		nap_batch_push(left, task);
	}
}

int nap_serial_close(struct nap_serial *serial, struct nap_batch *left)
{
	struct nap_task *pushed;

	if (!serial || !left)
		return -EINVAL;
	unseen_begin();
	/* The remaining flags are those of a queue that was ended, and is empty. */
	inbox_take(&serial->pushed, INBOX_ENDED | INBOX_ARMED, &pushed);
	serial_leave(serial->taken, left);
	serial_leave(pushed, left);
	serial->taken = NULL;
	/* Atomic, because any thread may read the depth. */
	nap_store_relaxed(&serial->nr_begun, nap_load_relaxed(&serial->nr_pushed));
	is_given(serial, sizeof(*serial));
	unseen_end();
	return 0;
}

struct nap_serial *nap_serial_of(struct nap_task *task)
{
	return task && task->run == serial_run ?
		       nap_container_of(task, struct nap_serial, task) : NULL;
}
