/* SPDX-License-Identifier: MIT */
/* What nap's rows share: one pool, which starts as the row wants it. */
#ifndef NAP_BENCH_NAP_H
#define NAP_BENCH_NAP_H

#include <nap/nap.h>

#include "common/count.h"
#include "common/row.h"

extern struct nap_pool bench_pool;

/* The workers are there when it returns, unless "cold"; the name of a protocol chooses it. */
void bench_start(const struct size *size);
void bench_end(void);

static inline void bench_schedule(struct nap_task *task)
{
	if (nap_schedule(&bench_pool, task))
		row_die("nap_schedule() refused");
}

extern const struct row bench_rows[];	/* except those of tasks one by one: tasks.c, */
extern const struct row loop_rows[];	/* and of loops: loops.c */
row_fn batch_row, worker_batch_row, regions_row;
row_fn fib_row, nqueens_row, queens_row, uts_row, sort_row, matmul_row;
row_fn pool_row, bytes_pool_row, bytes_worker_row, bytes_task_row;
row_fn ring_row, fifo_row, stack_row, steal_row, yield_row, cycle_row;
row_fn trips_row;
row_fn turns_row, spawn_await_row, channel_row, mutex_row, sleepers_row, sort_async_row, echo_row;
row_fn echo_beside_row, sleep_beside_row, due_bound_row;
row_fn compare_exchange_row, spin_row, exchange_row, add_row, fence_row, load_row;

#endif /* NAP_BENCH_NAP_H */
