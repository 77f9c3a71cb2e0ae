/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations of x86-64.
 *
 *	operation   relaxed, acquire, release, acq_rel	  seq_cst
 *	---------   --------------------------------	  -------
 *	load	    mov					  mov
 *	store	    mov					  xchg
 *	xchg	    xchg (locks by itself)		  xchg
 *	cmpxchg	    lock cmpxchg			  lock cmpxchg
 *	fetch_add   lock xadd				  lock xadd
 *	fence						  lock or on the stack
 *
 * Why this is enough: x86-TSO keeps every order in the program except one: a later load of another
 * address may overtake a store in the store buffer. So each load is an acquire and each store a
 * release. A locked instruction waits until the store buffer is empty; it is a full fence.
 * Sequential consistency needs a full fence between a store and a later load: the fence is in the
 * store, because loads are more frequent.
 *
 * The orders in one column differ for the compiler only: each order except relaxed clobbers
 * "memory", so that the compiler moves no other access across the operation.
 */
#ifndef NAP_ARCH_ATOMIC_H
#define NAP_ARCH_ATOMIC_H

#include <stdint.h>

#define NAP__ATOMICS "x86_64"
#define NAP__INLINE static inline __attribute__((always_inline))

#define NAP__LOAD(bits, s, order, ...)							\
NAP__INLINE uint##bits##_t nap__load##bits##_##order(const uint##bits##_t *p)		\
{											\
	uint##bits##_t v;								\
											\
	asm volatile("mov" #s "	%1, %0" : "=r" (v) : "m" (*p) : __VA_ARGS__);		\
	return v;									\
}

/* The constraint "e": a 64-bit store takes only immediates that are sign-extended 32-bit values. */
#define NAP__STORE(bits, s, imm, order, ...)						\
NAP__INLINE void nap__store##bits##_##order(uint##bits##_t *p, uint##bits##_t v)	\
{											\
	asm volatile("mov" #s "	%1, %0" : "=m" (*p) : "r" imm (v) : __VA_ARGS__);	\
}

#define NAP__RMW(bits, s, order, ...)							\
NAP__INLINE uint##bits##_t nap__xchg##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	asm volatile("xchg" #s "	%0, %1" : "+r" (v), "+m" (*p) : : __VA_ARGS__);	\
	return v;									\
}											\
NAP__INLINE uint##bits##_t nap__cmpxchg##bits##_##order(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t desired)			\
{											\
	asm volatile("lock cmpxchg" #s "	%2, %1"					\
		     : "+a" (expected), "+m" (*p) : "r" (desired) : __VA_ARGS__);	\
	return expected;								\
}											\
NAP__INLINE uint##bits##_t nap__fetch_add##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	asm volatile("lock xadd" #s "	%0, %1" : "+r" (v), "+m" (*p) : : __VA_ARGS__);	\
	return v;									\
}

#define NAP__WIDTH(bits, s, imm)							\
	NAP__LOAD(bits, s, relaxed, "cc")						\
	NAP__LOAD(bits, s, acquire, "cc", "memory")					\
	NAP__LOAD(bits, s, seq_cst, "cc", "memory")					\
	NAP__STORE(bits, s, imm, relaxed, "cc")						\
	NAP__STORE(bits, s, imm, release, "cc", "memory")				\
	NAP__RMW(bits, s, relaxed, "cc")						\
	NAP__RMW(bits, s, acquire, "cc", "memory")					\
	NAP__RMW(bits, s, release, "cc", "memory")					\
	NAP__RMW(bits, s, acq_rel, "cc", "memory")					\
	NAP__RMW(bits, s, seq_cst, "cc", "memory")					\
NAP__INLINE void nap__store##bits##_seq_cst(uint##bits##_t *p, uint##bits##_t v)	\
{											\
	(void)nap__xchg##bits##_seq_cst(p, v);						\
}

NAP__WIDTH(32, l, "i")
NAP__WIDTH(64, q, "e")

#undef NAP__WIDTH
#undef NAP__RMW
#undef NAP__STORE
#undef NAP__LOAD

/*
 * A locked or is used instead of mfence, which also waits for non-temporal accesses, and takes four
 * times as long. The word is below the stack pointer, because the word at the top, often the return
 * address, is read soon. A leaf function may keep data below the stack pointer, but or-ing zero
 * does not change them.
 */
NAP__INLINE void nap__fence_seq_cst(void)
{
	asm volatile("lock orl	$0, -4(%%rsp)" : : : "cc", "memory");
}

/*
 * pause leaves the core to the sibling hyper-thread, and avoids a pipeline flush when the awaited
 * store arrives.
 */
NAP__INLINE void nap__cpu_relax(void)
{
	asm volatile("pause" : : : "memory");
}

#undef NAP__INLINE

#endif /* NAP_ARCH_ATOMIC_H */
