/* SPDX-License-Identifier: MIT */
/* The pool of nap's rows. */
#include "nap.h"

#include <stdio.h>
#include <string.h>

const char row_peer[] = "nap";

struct nap_pool bench_pool;
struct count bench_count;

/* Pins worker i to CPU i, for work in which main takes no part. */
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

uint64_t bench_resident(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		row_die("no /proc/self/statm");
	fclose(file);
	return pages * 4096;
}
