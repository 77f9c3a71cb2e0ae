/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations by the compiler's builtins. Tests compare the assembly of the other folders
 * with them, and tools that instrument atomic accesses (ThreadSanitizer, the model checker) need
 * them.
 *
 *	operation   order	builtin
 *	---------   -----	-------
 *	all	    each	__atomic_*_n with the __ATOMIC_ constant of that name
 *	cmpxchg	    each	strong, and __ATOMIC_RELAXED when it fails
 *	fence	    seq_cst	__atomic_thread_fence
 *	cpu_relax		__atomic_signal_fence: no builtin of all targets pauses a core
 *
 * Why this is enough: the names mean what C11 says they mean, and the compiler picks instructions.
 * Each operation and order has a line of its own, because the checkers name an access by its line.
 *
 * ThreadSanitizer does not follow fences (gcc says so, hence -Wno-tsan in the Makefile). In nap a
 * fence only orders a store before a load, and so makes no happens-before edge: the tool reports no
 * false race because of a fence.
 *
 * gcc before 14 compiles a 32-bit compare-exchange on RISC-V wrongly: the expected value is not
 * sign-extended (PR 114130), and the acquire is put on the sc, where it has no effect. With such a
 * compiler this file is used on RISC-V only as the reference of the differential test, which allows
 * for the fault.
 */
#ifndef NAP_ARCH_ATOMIC_H
#define NAP_ARCH_ATOMIC_H

#include <stdint.h>

#if defined(__riscv) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
#ifndef NAP_TEST_REFERENCE
#error "this compiler's compare-exchange is wrong on RISC-V: use clang, or the assembly"
#endif
#endif

#define NAP__ATOMICS "c11"
#define NAP__INLINE static inline __attribute__((always_inline))

#define NAP__LOAD(bits, order, ORDER)							\
NAP__INLINE uint##bits##_t nap__load##bits##_##order(const uint##bits##_t *p)		\
{											\
	return __atomic_load_n(p, __ATOMIC_##ORDER);					\
}

#define NAP__STORE(bits, order, ORDER)							\
NAP__INLINE void nap__store##bits##_##order(uint##bits##_t *p, uint##bits##_t v)	\
{											\
	__atomic_store_n(p, v, __ATOMIC_##ORDER);					\
}

#define NAP__XCHG(bits, order, ORDER)							\
NAP__INLINE uint##bits##_t nap__xchg##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	return __atomic_exchange_n(p, v, __ATOMIC_##ORDER);				\
}

#define NAP__CMPXCHG(bits, order, ORDER)						\
NAP__INLINE uint##bits##_t nap__cmpxchg##bits##_##order(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t desired)			\
{											\
	__atomic_compare_exchange_n(p, &expected, desired, 0, __ATOMIC_##ORDER, __ATOMIC_RELAXED); \
	return expected;								\
}

#define NAP__FETCH_ADD(bits, order, ORDER)						\
NAP__INLINE uint##bits##_t nap__fetch_add##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	return __atomic_fetch_add(p, v, __ATOMIC_##ORDER);				\
}

NAP__LOAD(32, relaxed, RELAXED)
NAP__LOAD(32, acquire, ACQUIRE)
NAP__LOAD(32, seq_cst, SEQ_CST)
NAP__LOAD(64, relaxed, RELAXED)
NAP__LOAD(64, acquire, ACQUIRE)
NAP__LOAD(64, seq_cst, SEQ_CST)
NAP__STORE(32, relaxed, RELAXED)
NAP__STORE(32, release, RELEASE)
NAP__STORE(32, seq_cst, SEQ_CST)
NAP__STORE(64, relaxed, RELAXED)
NAP__STORE(64, release, RELEASE)
NAP__STORE(64, seq_cst, SEQ_CST)
NAP__XCHG(32, relaxed, RELAXED)
NAP__XCHG(32, acquire, ACQUIRE)
NAP__XCHG(32, release, RELEASE)
NAP__XCHG(32, acq_rel, ACQ_REL)
NAP__XCHG(32, seq_cst, SEQ_CST)
NAP__XCHG(64, relaxed, RELAXED)
NAP__XCHG(64, acquire, ACQUIRE)
NAP__XCHG(64, release, RELEASE)
NAP__XCHG(64, acq_rel, ACQ_REL)
NAP__XCHG(64, seq_cst, SEQ_CST)
NAP__CMPXCHG(32, relaxed, RELAXED)
NAP__CMPXCHG(32, acquire, ACQUIRE)
NAP__CMPXCHG(32, release, RELEASE)
NAP__CMPXCHG(32, acq_rel, ACQ_REL)
NAP__CMPXCHG(32, seq_cst, SEQ_CST)
NAP__CMPXCHG(64, relaxed, RELAXED)
NAP__CMPXCHG(64, acquire, ACQUIRE)
NAP__CMPXCHG(64, release, RELEASE)
NAP__CMPXCHG(64, acq_rel, ACQ_REL)
NAP__CMPXCHG(64, seq_cst, SEQ_CST)
NAP__FETCH_ADD(32, relaxed, RELAXED)
NAP__FETCH_ADD(32, acquire, ACQUIRE)
NAP__FETCH_ADD(32, release, RELEASE)
NAP__FETCH_ADD(32, acq_rel, ACQ_REL)
NAP__FETCH_ADD(32, seq_cst, SEQ_CST)
NAP__FETCH_ADD(64, relaxed, RELAXED)
NAP__FETCH_ADD(64, acquire, ACQUIRE)
NAP__FETCH_ADD(64, release, RELEASE)
NAP__FETCH_ADD(64, acq_rel, ACQ_REL)
NAP__FETCH_ADD(64, seq_cst, SEQ_CST)

#undef NAP__FETCH_ADD
#undef NAP__CMPXCHG
#undef NAP__XCHG
#undef NAP__STORE
#undef NAP__LOAD

NAP__INLINE void nap__fence_seq_cst(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

NAP__INLINE void nap__cpu_relax(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#undef NAP__INLINE

#endif /* NAP_ARCH_ATOMIC_H */
