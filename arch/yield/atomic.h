/* SPDX-License-Identifier: MIT */
/*
 * The machine's atomic operations with forced yields around each (make YIELDS=1): now and then a
 * thread yields the processor before or after an atomic access, so that other threads meet every
 * structure in the middle of every operation. yield.c decides when.
 *
 *	operation   order   is
 *	---------   -----   --
 *	all         each    yield; the operation of the next atomic.h in the search path; yield
 *
 * The build finds this file before the architecture's own header, and this file includes that
 * header. The macros at the end of this file replace the names of the architecture's functions by
 * the names of the wrappers.
 */
#ifndef NAP_ARCH_YIELD_ATOMIC_H
#define NAP_ARCH_YIELD_ATOMIC_H

#include_next <atomic.h>

void nap__yield(void);

#define NAP__INLINE static inline __attribute__((always_inline))

#define NAP__LOAD(bits, order)								\
NAP__INLINE uint##bits##_t nap__yields_load##bits##_##order(const uint##bits##_t *p)	\
{											\
	uint##bits##_t v;								\
											\
	nap__yield();									\
	v = nap__load##bits##_##order(p);						\
	nap__yield();									\
	return v;									\
}

#define NAP__STORE(bits, order)								\
NAP__INLINE void nap__yields_store##bits##_##order(uint##bits##_t *p, uint##bits##_t v)	\
{											\
	nap__yield();									\
	nap__store##bits##_##order(p, v);						\
	nap__yield();									\
}

#define NAP__RMW(op, bits, order)							\
NAP__INLINE uint##bits##_t nap__yields_##op##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	nap__yield();									\
	v = nap__##op##bits##_##order(p, v);						\
	nap__yield();									\
	return v;									\
}

#define NAP__CMPXCHG(bits, order)							\
NAP__INLINE uint##bits##_t nap__yields_cmpxchg##bits##_##order(uint##bits##_t *p,	\
		uint##bits##_t expected, uint##bits##_t desired)			\
{											\
	nap__yield();									\
	expected = nap__cmpxchg##bits##_##order(p, expected, desired);			\
	nap__yield();									\
	return expected;								\
}

#define NAP__RMW_ORDER(bits, order)							\
	NAP__RMW(xchg, bits, order)							\
	NAP__CMPXCHG(bits, order)							\
	NAP__RMW(fetch_add, bits, order)

#define NAP__WIDTH(bits)								\
	NAP__LOAD(bits, relaxed)							\
	NAP__LOAD(bits, acquire)							\
	NAP__LOAD(bits, seq_cst)							\
	NAP__STORE(bits, relaxed)							\
	NAP__STORE(bits, release)							\
	NAP__STORE(bits, seq_cst)							\
	NAP__RMW_ORDER(bits, relaxed)							\
	NAP__RMW_ORDER(bits, acquire)							\
	NAP__RMW_ORDER(bits, release)							\
	NAP__RMW_ORDER(bits, acq_rel)							\
	NAP__RMW_ORDER(bits, seq_cst)

NAP__WIDTH(32)
NAP__WIDTH(64)

#undef NAP__WIDTH
#undef NAP__RMW_ORDER
#undef NAP__CMPXCHG
#undef NAP__RMW
#undef NAP__STORE
#undef NAP__LOAD

NAP__INLINE void nap__yields_fence_seq_cst(void)
{
	nap__yield();
	nap__fence_seq_cst();
	nap__yield();
}

#undef NAP__INLINE

#define nap__load32_relaxed nap__yields_load32_relaxed
#define nap__load32_acquire nap__yields_load32_acquire
#define nap__load32_seq_cst nap__yields_load32_seq_cst
#define nap__store32_relaxed nap__yields_store32_relaxed
#define nap__store32_release nap__yields_store32_release
#define nap__store32_seq_cst nap__yields_store32_seq_cst
#define nap__xchg32_relaxed nap__yields_xchg32_relaxed
#define nap__xchg32_acquire nap__yields_xchg32_acquire
#define nap__xchg32_release nap__yields_xchg32_release
#define nap__xchg32_acq_rel nap__yields_xchg32_acq_rel
#define nap__xchg32_seq_cst nap__yields_xchg32_seq_cst
#define nap__cmpxchg32_relaxed nap__yields_cmpxchg32_relaxed
#define nap__cmpxchg32_acquire nap__yields_cmpxchg32_acquire
#define nap__cmpxchg32_release nap__yields_cmpxchg32_release
#define nap__cmpxchg32_acq_rel nap__yields_cmpxchg32_acq_rel
#define nap__cmpxchg32_seq_cst nap__yields_cmpxchg32_seq_cst
#define nap__fetch_add32_relaxed nap__yields_fetch_add32_relaxed
#define nap__fetch_add32_acquire nap__yields_fetch_add32_acquire
#define nap__fetch_add32_release nap__yields_fetch_add32_release
#define nap__fetch_add32_acq_rel nap__yields_fetch_add32_acq_rel
#define nap__fetch_add32_seq_cst nap__yields_fetch_add32_seq_cst
#define nap__load64_relaxed nap__yields_load64_relaxed
#define nap__load64_acquire nap__yields_load64_acquire
#define nap__load64_seq_cst nap__yields_load64_seq_cst
#define nap__store64_relaxed nap__yields_store64_relaxed
#define nap__store64_release nap__yields_store64_release
#define nap__store64_seq_cst nap__yields_store64_seq_cst
#define nap__xchg64_relaxed nap__yields_xchg64_relaxed
#define nap__xchg64_acquire nap__yields_xchg64_acquire
#define nap__xchg64_release nap__yields_xchg64_release
#define nap__xchg64_acq_rel nap__yields_xchg64_acq_rel
#define nap__xchg64_seq_cst nap__yields_xchg64_seq_cst
#define nap__cmpxchg64_relaxed nap__yields_cmpxchg64_relaxed
#define nap__cmpxchg64_acquire nap__yields_cmpxchg64_acquire
#define nap__cmpxchg64_release nap__yields_cmpxchg64_release
#define nap__cmpxchg64_acq_rel nap__yields_cmpxchg64_acq_rel
#define nap__cmpxchg64_seq_cst nap__yields_cmpxchg64_seq_cst
#define nap__fetch_add64_relaxed nap__yields_fetch_add64_relaxed
#define nap__fetch_add64_acquire nap__yields_fetch_add64_acquire
#define nap__fetch_add64_release nap__yields_fetch_add64_release
#define nap__fetch_add64_acq_rel nap__yields_fetch_add64_acq_rel
#define nap__fetch_add64_seq_cst nap__yields_fetch_add64_seq_cst
#define nap__fence_seq_cst nap__yields_fence_seq_cst

#endif /* NAP_ARCH_YIELD_ATOMIC_H */
