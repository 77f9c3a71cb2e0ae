/* SPDX-License-Identifier: MIT */
/*
 * Read-modify-writes of AArch64 with the Large System Extensions (ARMv8.1): one instruction each.
 *
 *	order	    xchg	cmpxchg	    fetch_add
 *	-----	    ----	-------	    ---------
 *	relaxed	    swp		cas	    ldadd
 *	acquire	    swpa	casa	    ldadda
 *	release	    swpl	casl	    ldaddl
 *	acq_rel	    swpal	casal	    ldaddal
 *	seq_cst	    swpal	casal	    ldaddal
 *
 * Why this is enough: as with exclusives, the suffix a is an acquire of the half that reads, and l
 * a release of the half that writes. The architecture makes a successful "al" form a full fence,
 * too, but nothing in nap may rely on that: the loops of llsc/ are no fences.
 *
 * The result is always in a real register: with the zero register as its destination ldadda or swpa
 * would not acquire. No output is an early clobber, because an instruction reads all its operands
 * before it writes a result.
 */
#ifndef NAP_ARCH_RMW_H
#define NAP_ARCH_RMW_H

#define NAP__ATOMICS "aarch64-lse"

#define NAP__RMW(bits, reg, order, al, ...)						\
NAP__INLINE uint##bits##_t nap__xchg##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	uint##bits##_t old;								\
											\
	asm volatile("swp" #al "	%" #reg "[new], %" #reg "[old], %[mem]"		\
		     : [old] "=r" (old), [mem] "+Q" (*p)				\
		     : [new] "rZ" (v)							\
		     : __VA_ARGS__);							\
	return old;									\
}											\
NAP__INLINE uint##bits##_t nap__cmpxchg##bits##_##order(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t desired)			\
{											\
	asm volatile("cas" #al "	%" #reg "[old], %" #reg "[new], %[mem]"		\
		     : [old] "+r" (expected), [mem] "+Q" (*p)				\
		     : [new] "rZ" (desired)						\
		     : __VA_ARGS__);							\
	return expected;								\
}											\
NAP__INLINE uint##bits##_t nap__fetch_add##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	uint##bits##_t old;								\
											\
	asm volatile("ldadd" #al "	%" #reg "[inc], %" #reg "[old], %[mem]"		\
		     : [old] "=r" (old), [mem] "+Q" (*p)				\
		     : [inc] "rZ" (v)							\
		     : __VA_ARGS__);							\
	return old;									\
}

#define NAP__WIDTH(bits, reg)								\
	NAP__RMW(bits, reg, relaxed, )							\
	NAP__RMW(bits, reg, acquire, a, "memory")					\
	NAP__RMW(bits, reg, release, l, "memory")					\
	NAP__RMW(bits, reg, acq_rel, al, "memory")					\
	NAP__RMW(bits, reg, seq_cst, al, "memory")

NAP__WIDTH(32, w)
NAP__WIDTH(64, x)

#undef NAP__WIDTH
#undef NAP__RMW

#endif /* NAP_ARCH_RMW_H */
