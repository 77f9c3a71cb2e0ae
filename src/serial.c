/* SPDX-License-Identifier: MIT */
/*
 * Serial queues: nap/serial.h. What is scheduled goes into an inbox (src/queue/inbox.h); to the
 * pool the queue is one task.
 *
 * While nothing is in the inbox it is armed, and the queue's task is nowhere. The push that takes
 * the flag away has the queue: it schedules that task. Whoever runs that takes everything, runs
 * some, and schedules it again. When there is nothing it arms the inbox, which is its last touch.
 */
#include <nap/serial.h>

#include <errno.h>

#include <nap/pool.h>
#include <nap/work.h>

#include "atomic.h"
#include "debug.h"
#include "enter.h"
#include "gate.h"
#include "happens.h"
#include "phase.h"
#include "queue/inbox.h"
#include "schedule.h"
#include "self.h"
#include "work.h"
#include "worker.h"

/* ---- who has the queue */

/* The next task; NULL: there is none, and the queue is somebody else's from now on. */
static struct nap_task *next_or_leave(struct nap_serial *serial)
{
	struct nap_task *task;

	while (!serial->taken) {
		happens_before(serial);
		/* What the tasks until here have done: for begin_turns(). */
		if (inbox_arm_release(&serial->pushed))
			return NULL;
		serial->taken = inbox_take_pushed(&serial->pushed);
	}
	task = serial->taken;
	serial->taken = task->next;
	task->next = NULL;
	happens_after(task);
	debug_unmark(task);
	return task;
}

/* Run one. False: the queue is not the caller's any more, or is no more. */
static bool run_one(struct nap_serial *serial)
{
	struct nap_task *task;
	bool is_last;

	unseen_begin();
	task = next_or_leave(serial);
	is_last = task && !serial->taken && inbox_is_at_end(&serial->pushed);
	unseen_end();
	if (task)
		task->run(task);
	return task && !is_last;
}

/* A stop is for each task: what has not begun is left. */
static bool is_stopped(struct nap_pool *pool)
{
	bool stopped;

	unseen_begin();
	stopped = pool_stopped(pool);
	unseen_end();
	return stopped;
}

/* The pool was stopped. Its join returns the queue, and so what is there is known to be left. */
static void leave_to_joiner(struct nap_pool *pool, struct nap_task *own)
{
	unseen_begin();
	happens_before(own);
	nap__schedule_left(pool, own);
	unseen_end();
}

/* Behind what is queued. A stop refuses nobody by that. */
static void go_on_later(struct nap_pool *pool, struct nap_task *own)
{
	int err;

	unseen_begin();
	happens_before(own);
	err = nap__schedule_as(pool, own_inside(pool), true, own, own, 1);
	unseen_end();
	if (err)
		leave_to_joiner(pool, own);
}

static void run(struct nap_task *own)
{
	struct nap_serial *serial = nap_container_of(own, struct nap_serial, task);
	struct nap_pool *pool = serial->pool;

	for (uint32_t n = 0; n < NAP_SERIAL_TURN && !is_stopped(pool); n++)
		if (!run_one(serial))
			return;
	go_on_later(pool, own);
}

/* ---- who schedules */

/* The queue is the caller's, who has pushed the only task that is in it. */
static void begin_turns(struct nap_serial *serial, struct nap_pool *pool, struct nap_worker *worker)
{
	/*
	 * What the last one to have the queue has done. Our push was a read-modify-write of the word
	 * that it has left, and continues its release sequence. [X4]
	 */
	nap_load_acquire(&serial->pushed);
	happens_after(serial);
	happens_before(&serial->task);
	if (nap__schedule_as(pool, worker, true, &serial->task, &serial->task, 1))
		leave_to_joiner(pool, &serial->task);
}

/*
 * Inside the pool all the time. A drain that begins meanwhile runs what is accepted here, also by
 * others, behind the first push.
 */
struct inside {
	struct nap_pool *pool;
	struct nap_worker *worker;	/* that the caller is, or NULL: it came by the intake */
};

/* False: the queue is closed, or its pool refuses. */
static bool enter(struct nap_serial *serial, struct inside *inside)
{
	/* Of a queue that was closed the pool may be gone. */
	if (!inbox_is_open(&serial->pushed))
		return false;
	inside->pool = serial->pool;
	inside->worker = own_inside(serial->pool);
	return inside->worker ? !pool_stopped(serial->pool) : intake_enter(serial->pool);
}

static int push_and_leave(struct nap_serial *serial, struct inside *inside, struct nap_task *task,
			  bool is_last)
{
	uintptr_t flags;

	happens_before(task);
	flags = is_last ? inbox_push_last(&serial->pushed, task) : inbox_push(&serial->pushed, task);
	if (flags & INBOX_ARMED)
		begin_turns(serial, inside->pool, inside->worker);
	if (!inside->worker)
		gate_leave(&inside->pool->intake);
	return flags & INBOX_OPEN ? 0 : -ESHUTDOWN;
}

static int schedule(struct nap_serial *serial, struct nap_task *task, bool is_last)
{
	struct inside inside;
	int err = -ESHUTDOWN;

	if (!serial || !task)
		return -EINVAL;
	debug_mark_list(task, task, __func__, __builtin_return_address(0));
	unseen_begin();
	if (enter(serial, &inside))
		err = push_and_leave(serial, &inside, task, is_last);
	if (err)
		debug_unmark(task);
	unseen_end();
	return err;
}

int nap_serial_schedule(struct nap_serial *serial, struct nap_task *task)
{
	return schedule(serial, task, false);
}

int nap_serial_end(struct nap_serial *serial, struct nap_task *task)
{
	return schedule(serial, task, true);
}

/* The caller is inside. */
static int push_work(struct nap_serial *serial, struct inside *inside, struct nap_work *work,
		     bool is_last)
{
	int err = nap__work_queue(work);

	if (err) {
		if (!inside->worker)
			gate_leave(&inside->pool->intake);
		return err;
	}
	debug_mark_list(&work->task, &work->task, __func__, NULL);
	unseen_begin();
	err = push_and_leave(serial, inside, &work->task, is_last);
	if (err)
		debug_unmark(&work->task);
	unseen_end();
	/* Somebody else has closed the queue just now. */
	return err ? nap__work_refused(work, err) : 0;
}

/*
 * What refuses comes first. A work that is queued may be canceled by anybody, and then it has been
 * accepted; @done of a last one may free the queue, which must not have an end that is none.
 */
static int schedule_work(struct nap_serial *serial, struct nap_work *work, bool is_last)
{
	struct inside inside;
	bool entered;

	if (!serial || !work || !work->fn)
		return -EINVAL;
	unseen_begin();
	entered = enter(serial, &inside);
	unseen_end();
	if (entered)
		return push_work(serial, &inside, work, is_last);
	return nap_work_is_idle(work) ? -ESHUTDOWN : -EBUSY;
}

int nap_serial_work(struct nap_serial *serial, struct nap_work *work)
{
	return schedule_work(serial, work, false);
}

int nap_serial_end_work(struct nap_serial *serial, struct nap_work *work)
{
	return schedule_work(serial, work, true);
}

/* ---- the rest */

int nap_serial_init(struct nap_serial *serial, struct nap_pool *pool)
{
	if (!serial || !pool || (uintptr_t)serial % NAP__CACHE_LINE)
		return -EINVAL;
	*serial = (struct nap_serial){ .pool = pool, .task = NAP_TASK_INIT(run) };
	nap_store_relaxed(&serial->pushed, INBOX_OPEN | INBOX_ARMED);
	return 0;
}

static void leave(struct nap_task *list, struct nap_batch *left)
{
	while (list) {
		struct nap_task *task = list;

		list = task->next;
		happens_after(task);
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
	inbox_take(&serial->pushed, 0, &pushed);
	leave(serial->taken, left);
	leave(pushed, left);
	serial->taken = NULL;
	unseen_end();
	return 0;
}

struct nap_serial *nap_serial_of(struct nap_task *task)
{
	return task && task->run == run ? nap_container_of(task, struct nap_serial, task) : NULL;
}
