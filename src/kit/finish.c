/* SPDX-License-Identifier: MIT */
/* Ending a pool, its loop's completion queue, and all works in them: nap/work.h. */
#include <nap/work.h>

#include <errno.h>

#include <nap/order.h>
#include <nap/pool.h>
#include <nap/serial.h>

#include "os/os.h"
#include "sync/deadline.h"

/* These names are weak, so that a program without such queues does not link their calls. */
#pragma weak nap_serial_of
#pragma weak nap_serial_close
#pragma weak nap_order_of
#pragma weak nap_order_close

/* Replaces serial and ordered queues by the tasks in them, before a @done may free a queue. */
static void close_queues(struct nap_batch *left)
{
	struct nap_batch all = NAP_BATCH_INIT;
	struct nap_task *task;

	if (!nap_serial_of)
		return;
	while ((task = nap_batch_pop(left))) {
		struct nap_serial *serial = nap_serial_of(task);
		struct nap_order *order = nap_order_of ? nap_order_of(task) : NULL;

		if (serial)
			nap_serial_close(serial, &all);
		else if (order)
			nap_order_close(order, &all);
		else
			nap_batch_push(&all, task);
	}
	*left = all;
}

/* Converts a deadline to a timeout. */
static uint64_t time_remaining(uint64_t deadline)
{
	return deadline == NAP_FOREVER ? NAP_FOREVER : time_until(deadline);
}

int nap_work_finish_until(struct nap_pool *pool, struct nap_cq *cq, struct nap_batch *left,
			  uint64_t deadline)
{
	struct nap_batch queued = NAP_BATCH_INIT, pushed = NAP_BATCH_INIT;
	int err;

	if (!pool || !left)
		return -EINVAL;
	*left = (struct nap_batch)NAP_BATCH_INIT;
	nap_pool_shutdown(pool, NAP_STOP);	/* the join returns the same errors */
	err = nap_pool_join_for(pool, &queued, time_remaining(deadline));
	if (err && err != -EALREADY)
		return err;
	close_queues(&queued);
	/* The closed queue accepts no works, so each work that has not ended yet ends here. */
	nap_cq_close(cq, &pushed);
	/*
	 * Works that have run come first: a serial queue's last work has not run, and its @done may
	 * free what the queue's other works use.
	 */
	nap_work_end_left(&pushed);
	nap_work_end_left(&queued);
	nap_batch_concat(left, &queued);
	nap_batch_concat(left, &pushed);
	return 0;
}

int nap_work_finish(struct nap_pool *pool, struct nap_cq *cq, struct nap_batch *left)
{
	return nap_work_finish_until(pool, cq, left, NAP_FOREVER);
}
