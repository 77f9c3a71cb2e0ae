/* SPDX-License-Identifier: MIT */
/*
 * A race at a chosen access. The compiler finds this file before the architecture's <atomic.h>
 * (FIRST-unit/races in tests/tests.mk). A function stands for what another thread might do. It is
 * called before the n-th atomic load, exchange or compare-exchange that the calling thread does
 * from now on. So a test can try the function before each of these accesses in turn.
 *
 * There is one thread, so the accesses come in program order: tests/model/ has the other orders.
 */
#ifndef NAP_TESTS_RACE_ATOMIC_H
#define NAP_TESTS_RACE_ATOMIC_H

#include_next <atomic.h>

extern __thread void (*race_step)(void);
extern __thread unsigned int race_at;	/* which access race_step() comes before, from 1; 0: none */

static inline void race_here(void)
{
	if (race_at && --race_at == 0)
		race_step();
}

#define RACE_LOAD(bits, order)								\
static inline uint##bits##_t race__load##bits##_##order(const uint##bits##_t *p)	\
{											\
	race_here();									\
	return nap__load##bits##_##order(p);						\
}

#define RACE_CMPXCHG(bits, order)							\
static inline uint##bits##_t race__cmpxchg##bits##_##order(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t desired)			\
{											\
	race_here();									\
	return nap__cmpxchg##bits##_##order(p, expected, desired);			\
}

#define RACE_XCHG(bits, order)								\
static inline uint##bits##_t race__xchg##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	race_here();									\
	return nap__xchg##bits##_##order(p, v);						\
}

#define RACE_WIDTH(bits)								\
	RACE_LOAD(bits, relaxed)							\
	RACE_LOAD(bits, acquire)							\
	RACE_CMPXCHG(bits, relaxed)							\
	RACE_CMPXCHG(bits, acquire)							\
	RACE_CMPXCHG(bits, release)							\
	RACE_CMPXCHG(bits, acq_rel)							\
	RACE_XCHG(bits, acq_rel)
RACE_WIDTH(32)
RACE_WIDTH(64)

#define nap__load32_relaxed race__load32_relaxed
#define nap__load32_acquire race__load32_acquire
#define nap__load64_relaxed race__load64_relaxed
#define nap__load64_acquire race__load64_acquire
#define nap__cmpxchg32_relaxed race__cmpxchg32_relaxed
#define nap__cmpxchg32_acquire race__cmpxchg32_acquire
#define nap__cmpxchg32_release race__cmpxchg32_release
#define nap__cmpxchg32_acq_rel race__cmpxchg32_acq_rel
#define nap__cmpxchg64_relaxed race__cmpxchg64_relaxed
#define nap__cmpxchg64_acquire race__cmpxchg64_acquire
#define nap__cmpxchg64_release race__cmpxchg64_release
#define nap__cmpxchg64_acq_rel race__cmpxchg64_acq_rel
#define nap__xchg32_acq_rel race__xchg32_acq_rel
#define nap__xchg64_acq_rel race__xchg64_acq_rel

#endif /* NAP_TESTS_RACE_ATOMIC_H */
