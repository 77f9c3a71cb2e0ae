/* SPDX-License-Identifier: MIT */
/*
 * What an idle pool costs, for every pool in C and C++ (common/items.h): the memory of an idle
 * worker, the time from exec to the first task, and the time from a pool's creation to its join.
 */
#ifndef NAP_BENCH_IDLE_H
#define NAP_BENCH_IDLE_H

#include "common/items.h"
#include "common/memory.h"

/*
 * ---- memory: each of the workers has run a task. The bytes include what a pool takes only once.
 * So the bytes of one worker are computed from two measurements with different numbers of workers
 * (tools/bench/run/targets.py).
 */

static uint64_t nr_arrived, nr_awaited;

static void arrive(struct item *unused)
{
	(void)unused;
	__atomic_fetch_add(&nr_arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&nr_arrived, __ATOMIC_ACQUIRE) < nr_awaited)
		row_sleep(100000);
	count_done(&count);
}

static void idle_bytes_row(const struct size *size)
{
	struct size all = *size;
	uint64_t before;

	all.n = nr_awaited = size->workers;
	items_init(&all, arrive);
	before = memory_anonymous();
	peer_start(&all);
	items_push_all(&all);
	row_sleep(IDLE_NS);
	row_print(size, memory_anonymous() - before, size->workers);
	peer_end();
	items_free();
}

/* ---- the first task: tools/bench/client/exec.c began this process at the time in HOW */

static uint64_t first_began count_line;

static void begins(struct item *unused)
{
	(void)unused;
	first_began = row_now();
	count_done(&count);
}

static void first_row(const struct size *size)
{
	static struct item first;

	item_init(&first, begins);
	peer_start(size);
	count_set(&count, 1);
	item_push(&first);
	count_wait(&count);
	row_print(size, first_began - strtoull(size->how, NULL, 10), 1);
	peer_end();
}

/*
 * ---- n pools one after the other: each starts all workers, runs a task and ends. GLib tells its
 * threads to end, and does not join them.
 */

static inline void pools(const struct size *size)
{
	static struct item task;

	item_init(&task, nothing);
	for (uint64_t i = 0; i < size->n; i++) {
		peer_start(size);
		count_set(&count, 1);
		item_push(&task);
		count_wait(&count);
		peer_end();
	}
}

/* For peers whose peer_start() starts all workers, and whose peer_end() ends them. */
#define POOL_ROW ROW_TIME("pool", row_time, pools)

static const struct row idle_rows[] __attribute__((unused)) = {
	ROW("idle-bytes", idle_bytes_row),
	ROW("first", first_row),
	ROWS_END,
};

#endif /* NAP_BENCH_IDLE_H */
