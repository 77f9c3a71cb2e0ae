/* SPDX-License-Identifier: MIT */
/*
 * The machine's own speed, in whose units other figures are given: nap's uncontended atomic
 * operations, a loop of a fixed length, and a yield.
 */
#include "nap.h"

#include <sched.h>

#define SPIN_LOOPS 2000000u

static uint64_t word nap__line;

/* Defines a function with only @operation in its loop; the loop's counter is in a register. */
#define OPERATION(name, operation)					\
static void name##_once(const struct size *size)			\
{									\
	nap_store_relaxed(&word, 0);					\
	for (uint64_t i = 0; i < size->n; i++)				\
		operation;						\
}

OPERATION(compare_exchange, nap_cmpxchg_acq_rel(&word, i, i + 1))
OPERATION(exchange, nap_xchg_acq_rel(&word, i))
OPERATION(add, nap_fetch_add_acq_rel(&word, 1))
OPERATION(fence, nap_fence_seq_cst())
OPERATION(load, nap_load_acquire(&word))
OPERATION(yield, sched_yield())

/* The row's n is always 1. */
static void spin(const struct size *size)
{
	(void)size;
	for (uint64_t i = 0; i < SPIN_LOOPS; i++)
		__asm__ volatile("");
}

const struct row probe_rows[] = {
	ROW_TIME("c", row_time, compare_exchange_once),
	ROW_TIME("exchange", row_time, exchange_once),
	ROW_TIME("add", row_time, add_once),
	ROW_TIME("fence", row_time, fence_once),
	ROW_TIME("load", row_time, load_once),
	ROW_TIME("yield", row_time, yield_once),
	ROW_TIME("spin", row_time, spin),
	ROWS_END,
};
