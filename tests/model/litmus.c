/* SPDX-License-Identifier: MIT */
/*
 * The checker's validation suite: the litmus shapes (tests/shapes/), each with the models that
 * allow its outcome. litmus.awk makes a scenario of each shape; every access is the compiler's
 * own, with an order that is a constant.
 *
 * litmus_counts.sh compares the numbers of executions with the numbers of the brute-force
 * enumerator (tests/lab/brute.c).
 */
#include <stdatomic.h>

#include <nap/check.h>

#define load(order, at) atomic_load_explicit(at, memory_order_##order)
#define store(order, at, value) atomic_store_explicit(at, value, memory_order_##order)
#define xchg(order, at, value) atomic_exchange_explicit(at, value, memory_order_##order)
#define fence(order) atomic_thread_fence(memory_order_##order)
/* A compiler that knows that the value is 0 may make a load of the addition, as clang does. */
#define fetch_add_explicit(at, value, order) ({						\
	int value_ = (value);								\
											\
	__asm__("" : "+r"(value_));							\
	atomic_fetch_add_explicit(at, value_, order);					\
})
#define fetch_add(order, at, value) fetch_add_explicit(at, value, memory_order_##order)
#define cmpxchg(order, at, expected, value) ({						\
	int old_ = (expected);								\
											\
	atomic_compare_exchange_strong_explicit(at, &old_, value, memory_order_##order,	\
						memory_order_relaxed);			\
	old_;										\
})

/* Arrays of one, because the threads' text uses the names as pointers. */
static _Atomic int x[1], y[1], z[1], w[1];

/* one row for each thread */
static int reg[5][8];

static void name_locations(void)
{
	check_name(x, sizeof(x), "x");
	check_name(y, sizeof(y), "y");
	check_name(z, sizeof(z), "z");
	check_name(w, sizeof(w), "w");
}

#include "litmus_shapes.inc"

__attribute__((constructor)) static void register_shapes(void)
{
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		check_register(&scenarios[i]);
}
