/* SPDX-License-Identifier: MIT */
/* The compiler's own atomics. */
#include "common/threads.h"

#include <stddef.h>

const char row_peer[] = "builtin";

static uint64_t word __attribute__((aligned(64)));

OPERATION(compare_exchange, __atomic_compare_exchange_n(&word, &(uint64_t){ i }, i + 1, false,
							__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
OPERATION(exchange, __atomic_exchange_n(&word, i, __ATOMIC_ACQ_REL))
OPERATION(add, __atomic_fetch_add(&word, 1, __ATOMIC_ACQ_REL))
OPERATION(fence, __atomic_thread_fence(__ATOMIC_SEQ_CST))
OPERATION(load, (void)__atomic_load_n(&word, __ATOMIC_ACQUIRE))

static const struct row rows[] = {
	ROW_ALONE("c", NULL, compare_exchange),
	ROW_ALONE("exchange", NULL, exchange),
	ROW_ALONE("add", NULL, add),
	ROW_ALONE("fence", NULL, fence),
	ROW_ALONE("load", NULL, load),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, NULL };
