/* SPDX-License-Identifier: MIT */
/*
 * Scheduling on a serial queue, and ending the queue. Typically the queue is busy, and the call
 * only pushes. A caller that finds the queue armed owns it, and hands it to the pool
 * (src/kit/serial.c).
 *
 * While the pool drains, a caller outside may not schedule, but it may still end a queue: an end is
 * no new work, and without it the queue could not be freed. A busy queue has an owner, for which
 * the drain waits. If the queue is armed, the caller's push makes the caller its owner, and no task
 * is pushed after an end. So the caller runs the last task itself, and does not need the pool.
 */
#include "kit/serial.h"

#include <errno.h>

#include <nap/pool.h>
#include <nap/work.h>

#include "kit/work.h"
#include "os/happens.h"
#include "queue/inbox.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/probe.h"
#include "worker/self.h"
#include "worker/measure.h"

/*
 * How the caller may push: inside the pool, so that a drain that begins during the call still runs
 * the task; or outside, for a last task only.
 */
struct way {
	struct nap_pool *pool;
	struct nap_worker *worker;	/* the caller's worker, or NULL */
	uint32_t *gate;			/* the gate that the caller has entered, or NULL */
	bool outside;			/* the intake was closed: only a last task is accepted */
};

/* Enters the pool. False: the queue is closed, or its pool refuses. */
static bool way_enter(struct nap_serial *serial, struct way *way, bool is_last)
{
	bool entered;

	/* If the queue was closed, its pool may have been freed. */
	if (!inbox_is_open(&serial->pushed))
		return false;
	way->pool = serial->pool;
	way->worker = own_inside(serial->pool);
	entered = way->worker ? !pool_stopped(way->pool) : intake_enter(way->pool);
	way->gate = entered && !way->worker ? &way->pool->intake : NULL;
	way->outside = !entered;
	if (entered || !is_last || pool_canceled(way->pool) || pool_forked(way->pool))
		return entered;
	/* After the push a joiner may free the pool, unless the caller is a visitor. */
	if (!way->worker && visits_enter(way->pool))
		way->gate = &way->pool->visits;
	return true;
}

/* Leaves the pool, as the last touch of the pool. */
static void way_leave(struct way *way)
{
	if (way->gate)
		gate_leave(way->gate);
}

/* Counts one more waiting task, unless the pool has ended. */
static void count_waiting(struct way *way)
{
	if (way->worker || way->gate)
		serial_count(way->pool, way->worker, 1);
}

/* Pushes. Returns the queue's flags as they were. */
static uintptr_t push(struct nap_serial *serial, struct nap_task *task, enum serial_push how)
{
	if (how == SERIAL_PUSH_LAST)
		return inbox_push_last(&serial->pushed, task);
	if (how == SERIAL_PUSH_MARKED)
		return inbox_push_marked(&serial->pushed, task);
	return inbox_push(&serial->pushed, task);
}

static int push_and_leave(struct nap_serial *serial, struct way *way, struct nap_task *task,
			  enum serial_push how)
{
	uintptr_t flags;

	happens_before(task);
	if ((way->worker || way->gate) && is_watched(way->pool))
		watch_in_order(way->pool, serial->of_class, serial_length(serial), task);
	probe3(schedule, way->pool, task, task->run);
	/*
	 * Counted before the push, because the queue may be freed after the push. A thread that
	 * reads this count sees what has begun before: pairs with serial_length(). [X10]
	 */
	nap_fetch_add_release(&serial->nr_pushed, 1);
	flags = push(serial, task, how);
	if (!(flags & INBOX_OPEN))
		nap_fetch_sub_relaxed(&serial->nr_pushed, 1);
	else if (!(flags & INBOX_ARMED))
		count_waiting(way);
	else if (!way->outside)
		nap__serial_begin(serial, way->pool, way->worker);
	way_leave(way);
	/* The task is run outside of all gates, because it may join the pool. */
	if (way->outside && (flags & INBOX_OPEN) && (flags & INBOX_ARMED))
		nap__serial_run_last(serial);
	return flags & INBOX_OPEN ? 0 : -ESHUTDOWN;
}

int nap__serial_push(struct nap_serial *serial, struct nap_task *task, enum serial_push how,
		     const char *call, void *caller)
{
	struct way way;
	int err = -ESHUTDOWN;

	debug_mark_list(task, task, call, caller);
	unseen_begin();
	if (way_enter(serial, &way, how == SERIAL_PUSH_LAST))
		err = push_and_leave(serial, &way, task, how);
	if (err)
		debug_unmark(task);
	unseen_end();
	return err;
}

int nap_serial_schedule(struct nap_serial *serial, struct nap_task *task)
{
	if (!serial || !task)
		return -EINVAL;
	return nap__serial_push(serial, task, SERIAL_PUSH, __func__, __builtin_return_address(0));
}

/* Ends the queue. Without a last task the pool need not be entered. */
static int end_without_task(struct nap_serial *serial)
{
	uintptr_t flags;

	unseen_begin();
	flags = inbox_end(&serial->pushed);
	if (flags & INBOX_ARMED)
		is_received(serial, sizeof(*serial));
	unseen_end();
	if (!(flags & INBOX_ENDED))
		return -ESHUTDOWN;
	return flags & INBOX_ARMED ? 0 : -EINPROGRESS;
}

int nap_serial_end(struct nap_serial *serial, struct nap_task *task)
{
	if (!serial)
		return -EINVAL;
	if (!task)
		return end_without_task(serial);
	return nap__serial_push(serial, task, SERIAL_PUSH_LAST, __func__,
				__builtin_return_address(0));
}

/* ---- works */

static int push_work(struct nap_serial *serial, struct way *way, struct nap_work *work,
		     enum serial_push how)
{
	int err = nap__work_queue(work);

	if (err) {
		way_leave(way);
		return err;
	}
	debug_mark_list(&work->task, &work->task, __func__, NULL);
	unseen_begin();
	err = push_and_leave(serial, way, &work->task, how);
	if (err)
		debug_unmark(&work->task);
	unseen_end();
	/* An error means that another thread has closed the queue since way_enter(). */
	return err ? nap__work_refused(work, err) : 0;
}

/*
 * Enters first, then queues the work. Once a work is queued any thread may cancel it, and then the
 * work counts as accepted. The @done of a last work may free the queue, so a last work must not end
 * if the queue has refused it.
 */
int nap__serial_push_work(struct nap_serial *serial, struct nap_work *work, enum serial_push how)
{
	struct way way;
	bool entered;

	if (!serial || !work || !work->fn)
		return -EINVAL;
	unseen_begin();
	entered = way_enter(serial, &way, how == SERIAL_PUSH_LAST);
	unseen_end();
	if (entered)
		return push_work(serial, &way, work, how);
	return nap_work_is_idle(work) ? -ESHUTDOWN : -EBUSY;
}

int nap_serial_work(struct nap_serial *serial, struct nap_work *work)
{
	return nap__serial_push_work(serial, work, SERIAL_PUSH);
}

static int nothing(struct nap_work *work)
{
	(void)work;
	return 0;
}

int nap_serial_end_work(struct nap_serial *serial, struct nap_work *work)
{
	bool has_none = work && !work->fn;
	int err;

	/* The work is idle, because without a function it was never queued. */
	if (has_none)
		work->fn = nothing;
	err = nap__serial_push_work(serial, work, SERIAL_PUSH_LAST);
	if (has_none && err)
		work->fn = NULL;	/* because the work is still the caller's, as it was */
	return err;
}
