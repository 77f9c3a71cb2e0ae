/* SPDX-License-Identifier: MIT */
/*
 * nap/order.h. Tasks of an ordered queue begin in the order in which they were scheduled, and run
 * side by side. When as many slow tasks run as may, fast tasks pass the next slow one.
 *
 * order->serial.pushed is the last run; order->slow_begun counts the slow runs that have begun and
 * not returned.
 */
#include "spec.h"

static bool is_full(struct nap_order *order)
{
	return order->most_slow && relaxed(&order->slow_begun) >= order->most_slow;
}

/* Whether each run before @run has begun, or is a slow one that @run may pass over. */
static bool is_its_turn(struct run *run)
{
	struct nap_order *order = run->queue;

	for (struct run *one = run->earlier; one; one = one->earlier)
		if (relaxed(&one->state) == QUEUED && !(one->slow && !run->slow && is_full(order)))
			return false;
	return true;
}

static void turn(struct run *run)
{
	nap_check_waits_for("its turn in the queue", run->queue, NULL, NULL);
	while (!is_its_turn(run) || (run->slow && is_full(run->queue)))
		;
	waits_no_more();
}

/*
 * A slow run sees what the slow runs that have returned wrote. No other slow run can begin before
 * it.
 */
static void begins(struct run *run)
{
	if (run->slow)
		__atomic_fetch_add(&((struct nap_order *)run->queue)->slow_begun, 1,
				   __ATOMIC_ACQUIRE);
}

static void over(struct run *run)
{
	if (run->slow)
		__atomic_fetch_sub(&((struct nap_order *)run->queue)->slow_begun, 1,
				   __ATOMIC_RELEASE);
}

int nap_order_init(struct nap_order *order, struct nap_pool *pool, uint32_t most_slow)
{
	if (!order || !pool || (uintptr_t)order % sizeof(void *))
		return -EINVAL;
	*order = (struct nap_order){ .serial = { .pool = pool }, .most_slow = most_slow };
	return 0;
}

int nap_order_schedule(struct nap_order *order, enum nap_order_kind kind, struct nap_task *task)
{
	struct run *run;
	uintptr_t last;

	if (!order || !task || (kind != NAP_ORDER_FAST && kind != NAP_ORDER_SLOW))
		return -EINVAL;
	run = spec_run(order->serial.pool);
	run->task = task;
	run->turn = turn;
	run->begins = begins;
	run->over = over;
	run->queue = order;
	run->slow = kind == NAP_ORDER_SLOW;
	last = relaxed(&order->serial.pushed);
	do
		run->earlier = (struct run *)last;
	while (!__atomic_compare_exchange_n(&order->serial.pushed, &last, (uintptr_t)run, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	if (!spec_begin(run))
		return 0;
	store_relaxed(&run->state, LEFT);	/* refused: later ones do not wait for this run */
	return -ESHUTDOWN;
}

int nap_order_work(struct nap_order *order, enum nap_order_kind kind, struct nap_work *work)
{
	int err = order ? spec_work_take(work) : -EINVAL;

	return err ? err :
	       nap_order_schedule(order, kind, &work->task) ? spec_work_give_back(work) : 0;
}
