// SPDX-License-Identifier: MIT
/* The compiler's own atomics. */
#include "common/threads.h"

#include <stddef.h>

const char row_peer[] = "builtin";

static uint64_t word __attribute__((aligned(64)));

#define OPERATION(name, operation)					\
static void name(unsigned unused, uint64_t n)				\
{									\
	(void)unused;							\
	__atomic_store_n(&word, 0, __ATOMIC_RELAXED);			\
	for (uint64_t i = 0; i < n; i++)				\
		operation;						\
}									\
static void name##_row(const struct size *size)				\
{									\
	threads_time(size, name);					\
}

OPERATION(compare_exchange, __atomic_compare_exchange_n(&word, &(uint64_t){ i }, i + 1, false,
							__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
OPERATION(exchange, __atomic_exchange_n(&word, i, __ATOMIC_ACQ_REL))
OPERATION(add, __atomic_fetch_add(&word, 1, __ATOMIC_ACQ_REL))
OPERATION(fence, __atomic_thread_fence(__ATOMIC_SEQ_CST))
OPERATION(load, (void)__atomic_load_n(&word, __ATOMIC_ACQUIRE))

static const struct row rows[] = {
	{ "c", compare_exchange_row },
	{ "exchange", exchange_row },
	{ "add", add_row },
	{ "fence", fence_row },
	{ "load", load_row },
	{ NULL, NULL },
};

const struct row *const row_tables[] = { rows, NULL };
