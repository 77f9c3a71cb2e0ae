/* SPDX-License-Identifier: MIT */
/*
 * Read-modify-writes of AArch64 as loops of load- and store-exclusives: for every core.
 *
 *	order	    load	store
 *	-----	    ----	-----
 *	relaxed	    ldxr	stxr
 *	acquire	    ldaxr	stxr
 *	release	    ldxr	stlxr
 *	acq_rel	    ldaxr	stlxr
 *	seq_cst	    ldaxr	stlxr
 *
 * Why this is enough: the acquire is on the half that reads, the release on the half that writes.
 * Both together make a sequentially consistent operation, because a load-acquire waits for earlier
 * store-releases. The two make no fence: a later relaxed access may be done between the two halves,
 * before the store.
 *
 * Each loop is one asm statement, because the compiler may put a spill between two statements, and
 * a store between the halves can make the exclusive fail for ever.
 *
 * The outputs are early clobbers: old is written before the other operands are read, and a loop
 * reads the operands again when its store fails. Besides, the status register of stxr must differ
 * from its data and base registers.
 *
 * A compare-exchange that does not find what it expects leaves the exclusive monitor open; this is
 * harmless, because the next load-exclusive takes the monitor over. Such a compare-exchange is not
 * ordered.
 */
#ifndef NAP_ARCH_RMW_H
#define NAP_ARCH_RMW_H

#define NAP__ATOMICS "aarch64-llsc"

#define NAP__RMW(bits, reg, order, a, l, ...)						\
NAP__INLINE uint##bits##_t nap__xchg##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	uint##bits##_t old;								\
	uint32_t fail;									\
											\
	asm volatile(									\
		"1:	ld" #a "xr	%" #reg "[old], %[mem]\n"			\
		"	st" #l "xr	%w[fail], %" #reg "[new], %[mem]\n"		\
		"	cbnz	%w[fail], 1b"						\
		: [old] "=&r" (old), [fail] "=&r" (fail), [mem] "+Q" (*p)		\
		: [new] "rZ" (v)							\
		: __VA_ARGS__);								\
	return old;									\
}											\
NAP__INLINE uint##bits##_t nap__cmpxchg##bits##_##order(uint##bits##_t *p,		\
		uint##bits##_t expected, uint##bits##_t desired)			\
{											\
	uint##bits##_t old;								\
	uint32_t fail;									\
											\
	asm volatile(									\
		"1:	ld" #a "xr	%" #reg "[old], %[mem]\n"			\
		"	cmp	%" #reg "[old], %" #reg "[exp]\n"			\
		"	b.ne	2f\n"							\
		"	st" #l "xr	%w[fail], %" #reg "[new], %[mem]\n"		\
		"	cbnz	%w[fail], 1b\n"						\
		"2:"									\
		: [old] "=&r" (old), [fail] "=&r" (fail), [mem] "+Q" (*p)		\
		: [exp] "Ir" (expected), [new] "rZ" (desired)				\
		: __VA_ARGS__);								\
	return old;									\
}											\
NAP__INLINE uint##bits##_t nap__fetch_add##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	uint##bits##_t old, sum;							\
	uint32_t fail;									\
											\
	asm volatile(									\
		"1:	ld" #a "xr	%" #reg "[old], %[mem]\n"			\
		"	add	%" #reg "[sum], %" #reg "[old], %" #reg "[inc]\n"	\
		"	st" #l "xr	%w[fail], %" #reg "[sum], %[mem]\n"		\
		"	cbnz	%w[fail], 1b"						\
		: [old] "=&r" (old), [sum] "=&r" (sum), [fail] "=&r" (fail), [mem] "+Q" (*p) \
		: [inc] "Ir" (v)							\
		: __VA_ARGS__);								\
	return old;									\
}

#define NAP__WIDTH(bits, reg)								\
	NAP__RMW(bits, reg, relaxed,  ,  , "cc")					\
	NAP__RMW(bits, reg, acquire, a,  , "cc", "memory")				\
	NAP__RMW(bits, reg, release,  , l, "cc", "memory")				\
	NAP__RMW(bits, reg, acq_rel, a, l, "cc", "memory")				\
	NAP__RMW(bits, reg, seq_cst, a, l, "cc", "memory")

NAP__WIDTH(32, w)
NAP__WIDTH(64, x)

#undef NAP__WIDTH
#undef NAP__RMW

#endif /* NAP_ARCH_RMW_H */
