/* SPDX-License-Identifier: MIT */
/* nap's rows of tasks that come one by one; and of a batch, which only nap has. */
#include "nap.h"

#define item nap_task
#define item_init nap_task_init
#define item_push bench_schedule
#define peer_start bench_start
#define peer_end bench_end

#include "common/items.h"
#include "common/idle.h"
#include "common/items_wake.h"

const struct row *const row_tables[] = {
	item_rows, idle_rows, probe_rows, batch_rows, region_rows, tree_rows, array_rows,
	queue_rows, work_rows, fiber_rows, lock_rows, timer_rows, echo_rows, beside_rows,
	pool_rows, loop_rows, NULL,
};

/* ---- as a batch */

static void push_batch(uint64_t n)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (uint64_t i = 0; i < n; i++)
		nap_batch_push(&batch, &items[i]);
	if (nap_schedule_batch(&bench_pool, &batch))
		row_die("nap_schedule_batch() refused");
}

static void batch_from_outside(const struct size *size)
{
	count_set(&count, size->n);
	push_batch(size->n);
	count_wait(&count);
}

static void push_batch_from_worker(struct nap_task *unused)
{
	(void)unused;
	push_batch(begin_n);
	count_done(&count);
}

static void worker_batch_begin(const struct size *size)
{
	nap_task_init(&begin_item, push_batch_from_worker);
	items_begin(size);
}

const struct row batch_rows[] = {
	ROW_OF("batch", row_time, batch_from_outside, items_begin, items_end),
	ROW_OF("worker-batch", row_time, begin_on_worker, worker_batch_begin, items_end),
	POOL_ROW,
	ROWS_END,
};
