/* SPDX-License-Identifier: MIT */
/*
 * Tasks that begin in order and run concurrently: nap/order.h. A task is scheduled as on a serial
 * queue (src/kit/serial_schedule.c), and the queue passes from one owner to the next as a serial
 * queue does (src/kit/serial.c). The owner takes one task, hands the queue on, and only then runs
 * the task. So the task of the next owner begins later, without a lock and without a ticket for
 * each task.
 *
 * Slow tasks are marked in the list (src/queue/list.h). The owner moves each slow task that it
 * comes to onto a second list, of held tasks. Held tasks begin, the oldest first, while a slot for
 * slow tasks is free. They begin before all tasks in the queue, which were scheduled later.
 *
 *	a slow task has returned		owner that has come to @told
 *	------------------------		----------------------------
 *	slow_ended + 1				is_told = 0, by an exchange [X8]
 *	is_told = 1, by an exchange [X8]	read slow_ended
 *	if it was 0: push @told
 *
 * @told is an entry of the queue. The owner that comes to this entry reads the count again. If the
 * exchange on the left comes before the owner's, the owner sees the count. If it comes later, it
 * finds the 0 that the owner has stored as its last touch of @told, and the thread on the left
 * pushes @told. A push wakes an owner, as for any task. So an owner that has only slow tasks
 * without a slot may leave.
 *
 * While the queue's own task is queued, it stands for one waiting task in the pool's counts.
 */
#include <nap/order.h>

#include <errno.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "kit/serial.h"
#include "os/happens.h"
#include "queue/inbox.h"
#include "sync/debug.h"
#include "worker/phase.h"
#include "worker/self.h"

/* ---- called by the owner */

/* Whether a slow task may begin. Only the owner counts those that begin. */
static bool has_slot(struct nap_order *order)
{
	/* Sees what the ended slow tasks did: pairs with notify_ended(). [X9] */
	return !order->most_slow ||
	       order->slow_begun - nap_load_acquire(&order->slow_ended) < order->most_slow;
}

static void hold(struct nap_order *order, struct nap_task *task)
{
	task->next = NULL;
	if (order->held)
		order->held_last->next = task;
	else
		order->held = task;
	order->held_last = task;
}

/* Moves slow tasks to the held list, until a fast task is the first in the queue. */
static void order_sort(struct nap_order *order)
{
	struct nap_task *task;

	while ((task = order->serial.taken) && (task == &order->told || is_marked(task))) {
		order->serial.taken = marked_next(task);
		if (task == &order->told)
			/* pairs with the exchange in notify_ended() [X8] */
			nap_xchg_acq_rel(&order->is_told, 0);
		else
			hold(order, task);
	}
}

/* Whether a task may begin. False: the caller no longer owns the queue. */
static bool order_has_next(struct nap_order *order)
{
	struct nap_serial *serial = &order->serial;

	for (;;) {
		order_sort(order);
		if (serial->taken || (order->held && has_slot(order)))
			return true;
		/* Publishes which tasks have begun: pairs with nap__serial_take_over(). [X4] */
		if (inbox_arm_release(&serial->pushed))
			return false;
		serial->taken = inbox_take_marked(&serial->pushed);
	}
}

/* Takes the task that may begin. */
static struct nap_task *order_take(struct nap_order *order, bool *is_slow)
{
	struct nap_task **list = &order->serial.taken, *task;

	*is_slow = order->held && has_slot(order);
	if (*is_slow) {
		list = &order->held;
		order->slow_begun++;
		happens_after(&order->slow_ended);
	}
	task = *list;
	*list = task->next;
	/* Not noticed in tests when dropped: the link of a task in no queue is not read. */
	task->next = NULL;
	/* Pairs with serial_length(). [X10] */
	nap_store_release(&order->serial.nr_begun, order->serial.nr_begun + 1);
	happens_after(task);
	debug_unmark(task);
	return task;
}

/*
 * Takes a task, and hands the queue on. NULL: no task may begin; or the pool was stopped, and the
 * joiner owns the queue.
 */
static struct nap_task *take_and_hand_on(struct nap_order *order, bool *is_slow)
{
	struct nap_pool *pool = order->serial.pool;
	bool has_next = order_has_next(order);
	struct nap_task *task;

	if (!has_next || pool_stopped(pool)) {
		serial_none_begun(pool);
		if (has_next)
			nap__serial_go_on_later(&order->serial, pool);
		return NULL;
	}
	task = order_take(order, is_slow);
	if (order_has_next(order))
		nap__serial_go_on_later(&order->serial, pool);
	return task;
}

/* ---- called by a worker with a task that has begun */

static void notify_ended(struct nap_order *order)
{
	struct nap_serial *serial = &order->serial;

	happens_before(&order->slow_ended);
	/* Publishes what the task did: pairs with has_slot(). [X9] */
	nap_fetch_add_release(&order->slow_ended, 1);
	/*
	 * Exchanged after the count; if the word was 0, @told belongs to this thread. Pairs with
	 * order_sort(). [X8] Not noticed in tests when 2 for 1: the word is only compared with 0.
	 */
	if (nap_xchg_acq_rel(&order->is_told, 1))
		return;
	if (!(inbox_push(&serial->pushed, &order->told) & INBOX_ARMED))
		return;
	nap__serial_take_over(serial);
	if (order_has_next(order))
		nap__serial_go_on_later(serial, serial->pool);
}

static void order_run(struct nap_task *own)
{
	struct nap_order *order = nap_container_of(own, struct nap_order, serial.task);
	uint32_t process = nap_load_relaxed(&nap__fork_gen);
	struct nap_task *task;
	bool is_slow;

	unseen_begin();
	task = take_and_hand_on(order, &is_slow);
	unseen_end();
	if (!task)
		return;
	nap__run_in_order(task, true);
	/* The task may have forked: in the child the queue is the parent's. */
	if (!is_slow || nap_load_relaxed(&nap__fork_gen) != process)
		return;
	unseen_begin();
	notify_ended(order);
	unseen_end();
}

/* ---- public calls */

int nap_order_init(struct nap_order *order, struct nap_pool *pool, uint32_t most_slow)
{
	int err;

	/*
	 * Checked before a member's address is taken, because taking it is undefined if @order is
	 * misaligned. Not noticed in tests when dropped or && for ||: nap_serial_init() refuses the
	 * same addresses; UBSan notices.
	 */
	if (!order || (uintptr_t)order % _Alignof(struct nap_order))
		return -EINVAL;
	debug_aligned(pool, __func__, __builtin_return_address(0));
	err = nap_serial_init(&order->serial, pool);
	if (err)
		return err;
	order->serial.task = (struct nap_task)NAP_TASK_INIT(order_run);
	order->most_slow = most_slow;
	order->slow_begun = order->slow_ended = order->is_told = 0;
	order->held = NULL;
	return 0;
}

static enum serial_push how_to(enum nap_order_kind kind)
{
	return kind == NAP_ORDER_SLOW ? SERIAL_PUSH_MARKED : SERIAL_PUSH;
}

int nap_order_schedule(struct nap_order *order, enum nap_order_kind kind, struct nap_task *task)
{
	if (!order || !task || (uint32_t)kind > NAP_ORDER_SLOW)
		return -EINVAL;
	return nap__serial_push(&order->serial, task, how_to(kind), __func__,
				__builtin_return_address(0));
}

int nap_order_work(struct nap_order *order, enum nap_order_kind kind, struct nap_work *work)
{
	if (!order || (uint32_t)kind > NAP_ORDER_SLOW)
		return -EINVAL;
	return nap__serial_push_work(&order->serial, work, how_to(kind));
}

uint32_t nap_order_depth(const struct nap_order *order)
{
	return order ? nap_serial_depth(&order->serial) : 0;
}

static void order_leave(struct nap_order *order, struct nap_task *list, struct nap_batch *left)
{
	while (list) {
		struct nap_task *task = list;

		list = marked_next(task);
		if (task == &order->told)
			continue;
		is_received(task, sizeof(*task));
		debug_unmark(task);
		nap_batch_push(left, task);
	}
}

int nap_order_close(struct nap_order *order, struct nap_batch *left)
{
	struct nap_serial *serial;

	if (!order || !left)
		return -EINVAL;
	serial = &order->serial;
	unseen_begin();
	inbox_end(&serial->pushed);
	order_leave(order, order->held, left);
	order_leave(order, serial->taken, left);
	order_leave(order, inbox_take_marked(&serial->pushed), left);
	order->held = serial->taken = NULL;
	/* Atomic, because any thread may read the depth. */
	nap_store_relaxed(&serial->nr_begun, nap_load_relaxed(&serial->nr_pushed));
	is_given(order, sizeof(*order));
	unseen_end();
	return 0;
}

struct nap_order *nap_order_of(struct nap_task *task)
{
	return task && task->run == order_run ?
		       nap_container_of(task, struct nap_order, serial.task) : NULL;
}
