/* SPDX-License-Identifier: MIT */
/*
 * Waits until a number of tasks have been done: one locked decrement for each, and a futex for
 * the last. Every peer in C counts with this, so that the counting is the same for all.
 */
#ifndef NAP_BENCH_COUNT_H
#define NAP_BENCH_COUNT_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* C++ cannot include nap's own atomics. */
#ifdef __cplusplus
#define count_load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define count_store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define count_sub(p) __atomic_fetch_sub(p, 1, __ATOMIC_ACQ_REL)
#else
#include "arch/atomic.h"
#define count_load nap_load_acquire
#define count_store nap_store_release
#define count_sub(p) nap_fetch_sub_acq_rel(p, 1)
#endif

#define count_line __attribute__((aligned(64)))

/* Workers write the first cache line; the waiter reads the second. */
struct count {
	uint64_t left count_line;
	uint32_t done count_line;
};

static inline void count_futex(uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static inline void count_set(struct count *count, uint64_t n)
{
	count_store(&count->done, 0);
	count_store(&count->left, n);
}

/* Returns whether this task was the last. If so, the caller calls count_end(). */
static inline bool count_down(struct count *count)
{
	return count_sub(&count->left) == 1;
}

static inline void count_end(struct count *count)
{
	count_store(&count->done, 1);
	count_futex(&count->done, FUTEX_WAKE, 1);
}

static inline void count_done(struct count *count)
{
	if (count_down(count))
		count_end(count);
}

static inline void count_wait(struct count *count)
{
	while (!count_load(&count->done))
		count_futex(&count->done, FUTEX_WAIT, 0);
}

#endif /* NAP_BENCH_COUNT_H */
