// SPDX-License-Identifier: MIT
/* What the program for nap can do, and the pool that it does it with. */
#include "nap.h"

#include <string.h>

const char row_peer[] = "nap";

const struct row bench_rows[] = {
	{ "c", compare_exchange_row },
	{ "spin", spin_row },
	{ "exchange", exchange_row },
	{ "add", add_row },
	{ "fence", fence_row },
	{ "load", load_row },
	{ "batch", batch_row },
	{ "worker-batch", worker_batch_row },
	{ "regions", regions_row },
	{ "fib", fib_row },
	{ "nqueens", nqueens_row },
	{ "queens", queens_row },
	{ "uts", uts_row },
	{ "sort", sort_row },
	{ "matmul", matmul_row },
	{ "ring", ring_row },
	{ "fifo", fifo_row },
	{ "stack", stack_row },
	{ "steal", steal_row },
	{ "yield", yield_row },
	{ "cycle", cycle_row },
	{ "trips", trips_row },
	{ "turns", turns_row },
	{ "spawn-await", spawn_await_row },
	{ "channel", channel_row },
	{ "mutex", mutex_row },
	{ "sleepers", sleepers_row },
	{ "sort-async", sort_async_row },
	{ "echo", echo_row },
	{ "echo-beside", echo_beside_row },
	{ "sleep-beside", sleep_beside_row },
	{ "due-bound", due_bound_row },
	{ "pool", pool_row },
	{ "bytes-pool", bytes_pool_row },
	{ "bytes-worker", bytes_worker_row },
	{ "bytes-task", bytes_task_row },
	{ NULL, NULL },
};

struct nap_pool bench_pool;

/* Worker i on CPU i: for work in which main has no part. */
static void each_on_its_own(struct nap_worker *worker, void *unused)
{
	(void)unused;
	row_pin(nap_worker_index(worker) % 2);
}

void bench_start(const struct size *size)
{
	struct nap_config config = { .max_workers = size->workers };

	if (!strcmp(size->how, "sync"))
		config.idle = NAP_IDLE_SYNC;
	else if (!strcmp(size->how, "go"))
		config.idle = NAP_IDLE_GO;
	else if (!strcmp(size->how, "jec"))
		config.idle = NAP_IDLE_JEC;
	if (size->apart && size->workers > 1)
		config.worker_start = each_on_its_own;
	else
		row_start_apart(size);
	if (nap_pool_init(&bench_pool, &config))
		row_die("the pool does not start");
	if (strcmp(size->how, "cold") && nap_pool_prewarm(&bench_pool, size->workers))
		row_die("no workers");
}

void bench_end(void)
{
	if (nap_pool_join(&bench_pool, NULL))
		row_die("the pool does not end");
}
