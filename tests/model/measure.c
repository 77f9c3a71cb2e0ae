/* SPDX-License-Identifier: MIT */
/*
 * The table of stamps of src/measure/stamps.h, with one cell, which several tasks use in turn.
 * Invariants: a task that found room reads the time that was put for it; a task that found none
 * reads 0; the table is empty at the end.
 */
/* model.mk links no worker into a program that defines its ring size; this one uses no ring. */
#define NAP_RING_SIZE	2
#define STAMPS_PROBED	1u

#include "measure/stamps.h"

#include <nap/check.h>

enum { FIRST = 0x40, SECOND = 0x80 };

static struct nap__stamp cell;
static uint64_t queue;		/* the published task, or 0 */
static uint32_t put[2];

static void begin(void)
{
	check_name(&cell, sizeof(cell), "cell");
	check_name(&queue, sizeof(queue), "queue");
}

static void run(uint64_t task, bool was_put)
{
	CHECK(stamp_take(&cell, 0, task) == (was_put ? task + 1 : 0));
}

/* Schedules the first task, and runs it. */
static void first(void *arg)
{
	(void)arg;
	put[0] = stamp_put(&cell, 0, FIRST, FIRST + 1);
	run(FIRST, put[0]);
}

/* Schedules the second task, which a third thread runs. */
static void second(void *arg)
{
	(void)arg;
	put[1] = stamp_put(&cell, 0, SECOND, SECOND + 1);
	nap_store_release(&queue, SECOND);
}

static void runner(void *arg)
{
	(void)arg;
	if (nap_load_acquire(&queue))
		run(SECOND, put[1]);
}

static void judge(void)
{
	CHECK(put[0] || put[1]);
	CHECK(cell.key != FIRST);
}

/* A test of [M7] in ordering.rst. */
CHECK_SCENARIO(measure_cell,
	.about = "measure: two tasks, one after the other, in one cell of the table of stamps",
	.setup = begin, .finally = judge,
	.threads = { { first, NULL, "first" }, { second, NULL, "second" },
		     { runner, NULL, "runner" } });
