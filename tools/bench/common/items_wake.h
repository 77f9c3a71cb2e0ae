/* SPDX-License-Identifier: MIT */
/*
 * Rows with a pool that sleeps, for every pool in C and C++, included as common/items.h is: the
 * round trip of a task, a burst of tasks of 1 us, a trickle of tasks of 100 us, and the delay of a
 * task that is scheduled by a callback which then computes for 1 ms.
 */
#ifndef NAP_BENCH_ITEMS_WAKE_H
#define NAP_BENCH_ITEMS_WAKE_H

#include <string.h>

#include "common/items.h"
#include "common/items_producers.h"

static void work_1us(struct item *unused)
{
	(void)unused;
	row_work(1000);
	count_done(&count);
}

static void burst_begin(const struct size *size)
{
	items_init(size, work_1us);
	peer_start(size);
}

/* ---- n tasks, one a millisecond; if HOW is "sleep", main only sleeps */

static void work_100us(struct item *unused)
{
	(void)unused;
	row_work(100000);
	count_done(&count);
}

static void push_at_times(const struct size *size)
{
	bool push = strcmp(size->how, "sleep");

	count_set(&count, push ? size->n : 1);
	for (uint64_t i = 0; i < size->n; i++) {
		row_sleep(1000000);
		if (push)
			item_push(&items[i]);
	}
	if (!push)
		count_done(&count);
	count_wait(&count);
}

static void trickle_begin(const struct size *size)
{
	items_init(size, work_100us);
	peer_start(size);
}

/* ---- the delay of a task */

static struct item other_item;
static uint64_t pushed count_line, begun count_line;

static void other_begins(struct item *unused)
{
	(void)unused;
	begun = row_now();
	count_done(&count);
}

static void push_and_go_on(struct item *unused)
{
	(void)unused;
	pushed = row_now();
	item_push_inside(&other_item);
	row_work(1000000);
	count_done(&count);
}

static uint64_t delay(const struct size *unused)
{
	(void)unused;
	count_set(&count, 2);
	item_push(&begin_item);
	count_wait(&count);
	return begun - pushed;
}

/* The row does not use n. */
static void delay_begin(const struct size *size)
{
	item_init(&begin_item, push_and_go_on);
	item_init(&other_item, other_begins);
	peer_start(size);
}

static void delay_time(const struct size *size, row_fn *unused)
{
	(void)unused;
	row_take_each(size, ROW_REST_NS, delay);
}

/* All rows. A peer that cannot run all of them has a table of its own. */
static const struct row item_rows[] __attribute__((unused)) = {
	ROW_OF("outside", row_time, items_push_all, items_begin, items_end),
	ROW("producers", producers_row),
	ROW_OF("worker", row_time, begin_on_worker, worker_begin, items_end),
	ROW_OF("again", row_time, hop, again_begin, peer_end),
	ROW_OF("delay", delay_time, NULL, delay_begin, peer_end),
	ROW_OF("trip", row_time_rested, items_push_all, items_begin, items_end),
	ROW_OF("burst", row_time_rested, items_push_all, burst_begin, items_end),
	ROW_OF("trickle", row_time, push_at_times, trickle_begin, items_end),
	ROWS_END,
};

#endif /* NAP_BENCH_ITEMS_WAKE_H */
