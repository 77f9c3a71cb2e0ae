/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations of RISC-V (RV64A).
 *
 *	operation   relaxed	acquire		release		acq_rel		seq_cst
 *	---------   -------	-------		-------		-------		-------
 *	load	    l		l		-		-		fence rw,rw
 *				fence r,rw					l
 *										fence r,rw
 *	store	    s		-		fence rw,w	-		fence rw,w
 *						s				s
 *	xchg	    amoswap	amoswap.aq	amoswap.rl	amoswap.aqrl	amoswap.aqrl
 *	fetch_add   amoadd	amoadd.aq	amoadd.rl	amoadd.aqrl	amoadd.aqrl
 *	cmpxchg	    lr, sc	lr.aq, sc	lr, sc.rl	lr.aq, sc.rl	lr.aqrl, sc.rl
 *	fence									fence rw,rw
 *
 * Why this is enough: this is the psABI's mapping of C11 (riscv-atomic.adoc), in its original form,
 * "table A.6". A fence r,rw after a load is an acquire, a fence rw,w before a store a release. A
 * sequentially consistent load is ordered after an earlier sequentially consistent store by the
 * full fence before the load. lr.aqrl, and an amo with aqrl, are ordered after such a store by
 * their rl.
 *
 * The psABI wants a full fence after a sequentially consistent store as well, so that code of a
 * future mapping ("A.7", whose load has no leading fence) may load what was stored here. But only
 * code that was built from this file makes sequentially consistent loads of what nap stores. So the
 * fence after the store is left out.
 *
 * An acquiring lr does not order the store of its sc: an access after a compare-exchange may be
 * done before the compare-exchange's store. Where a store must come before a relaxed load, use
 * nap__fence_seq_cst().
 *
 * Each lr/sc loop is one asm statement, of instructions for which the ISA guarantees eventual
 * success. The outputs old and fail are early clobbers: they are written while the other operands
 * are still needed. lr.w sign-extends what it loads, and bne compares 64 bits: the expected value
 * is sign-extended too.
 */
#ifndef NAP_ARCH_ATOMIC_H
#define NAP_ARCH_ATOMIC_H

#include <stdint.h>

#define NAP__ATOMICS "riscv64"
#define NAP__INLINE static inline __attribute__((always_inline))

#define NAP__LOAD(bits, s, order, before, after, ...)					\
NAP__INLINE uint##bits##_t nap__load##bits##_##order(const uint##bits##_t *p)		\
{											\
	uint##bits##_t v;								\
											\
	asm volatile(before "l" #s "	%0, %1" after : "=r" (v) : "m" (*p) : __VA_ARGS__); \
	return v;									\
}

#define NAP__STORE(bits, s, order, before, ...)						\
NAP__INLINE void nap__store##bits##_##order(uint##bits##_t *p, uint##bits##_t v)	\
{											\
	asm volatile(before "s" #s "	%z1, %0" : "=m" (*p) : "rJ" (v) : __VA_ARGS__);	\
}

#define NAP__RMW(bits, s, order, amo, lr, sc, ...)					\
NAP__INLINE uint##bits##_t nap__xchg##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	uint##bits##_t old;								\
											\
	asm volatile("amoswap." #s amo "	%0, %z2, %1"				\
		     : "=r" (old), "+A" (*p) : "rJ" (v) : __VA_ARGS__);			\
	return old;									\
}											\
NAP__INLINE uint##bits##_t nap__cmpxchg##bits##_##order(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t desired)			\
{											\
	uint##bits##_t old;								\
	long fail;									\
											\
	asm volatile(									\
		"1:	lr." #s lr "	%[old], %[mem]\n"				\
		"	bne	%[old], %z[exp], 2f\n"					\
		"	sc." #s sc "	%[fail], %z[new], %[mem]\n"			\
		"	bnez	%[fail], 1b\n"						\
		"2:"									\
		: [old] "=&r" (old), [fail] "=&r" (fail), [mem] "+A" (*p)		\
		: [exp] "rJ" ((long)(int##bits##_t)expected), [new] "rJ" (desired)	\
		: __VA_ARGS__);								\
	return old;									\
}											\
NAP__INLINE uint##bits##_t nap__fetch_add##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	uint##bits##_t old;								\
											\
	asm volatile("amoadd." #s amo "	%0, %z2, %1"					\
		     : "=r" (old), "+A" (*p) : "rJ" (v) : __VA_ARGS__);			\
	return old;									\
}

/* A relaxed operation clobbers nothing; the others clobber "memory". */
#define NAP__WIDTH(bits, s)								\
	NAP__LOAD(bits, s, relaxed, "", "")						\
	NAP__LOAD(bits, s, acquire, "", "\n	fence	r, rw", "memory")		\
	NAP__LOAD(bits, s, seq_cst, "fence	rw, rw\n	", "\n	fence	r, rw", "memory") \
	NAP__STORE(bits, s, relaxed, "")						\
	NAP__STORE(bits, s, release, "fence	rw, w\n	", "memory")			\
	NAP__STORE(bits, s, seq_cst, "fence	rw, w\n	", "memory")			\
	NAP__RMW(bits, s, relaxed, "", "", "")						\
	NAP__RMW(bits, s, acquire, ".aq", ".aq", "", "memory")				\
	NAP__RMW(bits, s, release, ".rl", "", ".rl", "memory")				\
	NAP__RMW(bits, s, acq_rel, ".aqrl", ".aq", ".rl", "memory")			\
	NAP__RMW(bits, s, seq_cst, ".aqrl", ".aqrl", ".rl", "memory")

NAP__WIDTH(32, w)
NAP__WIDTH(64, d)

#undef NAP__WIDTH
#undef NAP__RMW
#undef NAP__STORE
#undef NAP__LOAD

NAP__INLINE void nap__fence_seq_cst(void)
{
	asm volatile("fence	rw, rw" : : : "memory");
}

/*
 * The pause instruction of Zihintpause. A core without this extension executes it as a fence
 * without effect. The instruction is written as a number, because assemblers accept the name only
 * with the extension.
 */
NAP__INLINE void nap__cpu_relax(void)
{
	asm volatile(".4byte	0x0100000f" : : : "memory");
}

#undef NAP__INLINE

#endif /* NAP_ARCH_ATOMIC_H */
