/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations of AArch64. This file has the operations that every ARMv8.0 core does in the
 * same way; the read-modify-writes are in one of two <rmw.h>: llsc/ (loops of exclusives, any core)
 * and lse/ (one instruction each, ARMv8.1). The build puts one of these folders on the include
 * path.
 *
 *	operation   relaxed	acquire	    release	seq_cst
 *	---------   -------	-------	    -------	-------
 *	load	    ldr		ldar			ldar
 *	store	    str			    stlr	stlr
 *	fence						dmb ish
 *
 * Why this is enough: this is the usual mapping of C11. ldar keeps all later accesses after itself,
 * and stlr keeps all earlier accesses before itself. Sequential consistency needs one thing more,
 * which costs nothing: an ldar waits for an earlier stlr. Inner shareable (ish) is the domain in
 * which the threads of one system run.
 *
 * A relaxed load is ordered neither after an stlr nor after a sequentially consistent
 * read-modify-write: where a store must come before a relaxed load, use nap__fence_seq_cst().
 */
#ifndef NAP_ARCH_ATOMIC_H
#define NAP_ARCH_ATOMIC_H

#include <stdint.h>

#define NAP__INLINE static inline __attribute__((always_inline))

/* ldar and stlr know no offset, so they take "Q", a bare base register; ldr and str any "m". */
#define NAP__LOAD(bits, reg, order, insn, mem, ...)					\
NAP__INLINE uint##bits##_t nap__load##bits##_##order(const uint##bits##_t *p)		\
{											\
	uint##bits##_t v;								\
											\
	asm volatile(#insn "	%" #reg "0, %1" : "=r" (v) : mem (*p) : __VA_ARGS__);	\
	return v;									\
}

#define NAP__STORE(bits, reg, order, insn, mem, ...)					\
NAP__INLINE void nap__store##bits##_##order(uint##bits##_t *p, uint##bits##_t v)	\
{											\
	asm volatile(#insn "	%" #reg "1, %0" : "=" mem (*p) : "rZ" (v) : __VA_ARGS__); \
}

#define NAP__WIDTH(bits, reg)								\
	NAP__LOAD(bits, reg, relaxed, ldr, "m")						\
	NAP__LOAD(bits, reg, acquire, ldar, "Q", "memory")				\
	NAP__LOAD(bits, reg, seq_cst, ldar, "Q", "memory")				\
	NAP__STORE(bits, reg, relaxed, str, "m")					\
	NAP__STORE(bits, reg, release, stlr, "Q", "memory")				\
	NAP__STORE(bits, reg, seq_cst, stlr, "Q", "memory")

NAP__WIDTH(32, w)
NAP__WIDTH(64, x)

#undef NAP__WIDTH
#undef NAP__STORE
#undef NAP__LOAD

#include <rmw.h>

NAP__INLINE void nap__fence_seq_cst(void)
{
	asm volatile("dmb	ish" : : : "memory");
}

/*
 * isb instead of yield: yield does nothing on cores without simultaneous multithreading (nearly
 * all), and a bounded spin would be over too soon. isb drains the pipeline, which takes about as
 * long as pause does on x86.
 */
NAP__INLINE void nap__cpu_relax(void)
{
	asm volatile("isb" : : : "memory");
}

#undef NAP__INLINE

#endif /* NAP_ARCH_ATOMIC_H */
