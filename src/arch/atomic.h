/* SPDX-License-Identifier: MIT */
/*
 * The room arch/ (this header is its door).
 *
 * What a CPU gives, in one form for all architectures. The instructions themselves are in the
 * tree's arch/, one folder for each architecture ("An instruction set" in
 * Documentation/changing.rst lists its files). This room derives the rest from them: every width,
 * every order, and the typed macros.
 *
 * Typically a caller names the operation and its order, as nap_load_acquire(&word) or
 * nap_cmpxchg_release(&word, old, new), and gets the machine's instructions for this order.
 *
 * From outside: everything in this header and in syscall.h. For an atomic operation code of src/
 * includes no header of the tree's arch/, and uses no builtin of the compiler.
 *
 * Open: syscall.h
 */
/*
 * Atomic operations, for everything else in nap.
 *
 * An architecture's atomic.h has plain functions on 32 and 64 bits. NAP__OPS below lists them: the
 * build stops here if one is missing or has another type. This file derives the rest, and hides the
 * width: each macro below takes the address of an integer or a pointer, of 4 or 8 bytes, converts
 * its operands as an assignment would, and returns a value of the type at that address.
 *
 *	nap_load_{relaxed,acquire,seq_cst}(p)
 *	nap_store_{relaxed,release,seq_cst}(p, v)
 *
 * and, with O one of relaxed, acquire, release, acq_rel, seq_cst, each returning the old value:
 *
 *	nap_xchg_O(p, v)
 *	nap_cmpxchg_O(p, expected, desired)	strong; stored iff the value returned is @expected
 *	nap_try_cmpxchg_O(p, expected, desired)	@expected is a pointer; true: stored; false:
 *						*@expected becomes the old value
 *	nap_fetch_add_O(p, v)			these four on integers only
 *	nap_fetch_sub_O(p, v)
 *	nap_fetch_or_O(p, v)
 *	nap_fetch_and_O(p, v)
 *
 *	nap_fence_seq_cst()			keeps a store before it and a load after it in order
 *	nap_cpu_relax()				for the body of a loop that spins
 *
 * The orders are those of C11. What is often overlooked:
 *
 * - A compare-exchange that fails is relaxed, whatever its name.
 * - A seq_cst read-modify-write is not a fence: a relaxed load after the read-modify-write may be
 *   done before it. Only other seq_cst operations are ordered with it.
 * - A standalone fence is only for the order of a store before a load; every other order belongs to
 *   an access.
 *
 * Atomic objects have ordinary types, so the compiler must not assume strict aliasing
 * (-fno-strict-aliasing).
 */
#ifndef NAP_ATOMIC_H
#define NAP_ATOMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic.h>

/* The operations that an architecture has to give: X(operation, bits, order) for each. */
#define NAP__RMW_ORDERS(X, op, bits)							\
	X(op, bits, relaxed)								\
	X(op, bits, acquire)								\
	X(op, bits, release)								\
	X(op, bits, acq_rel)								\
	X(op, bits, seq_cst)

#define NAP__OPS_OF_WIDTH(X, bits)							\
	X(load, bits, relaxed)								\
	X(load, bits, acquire)								\
	X(load, bits, seq_cst)								\
	X(store, bits, relaxed)								\
	X(store, bits, release)								\
	X(store, bits, seq_cst)								\
	NAP__RMW_ORDERS(X, xchg, bits)							\
	NAP__RMW_ORDERS(X, cmpxchg, bits)						\
	NAP__RMW_ORDERS(X, fetch_add, bits)

#define NAP__OPS(X) NAP__OPS_OF_WIDTH(X, 32) NAP__OPS_OF_WIDTH(X, 64)

/* The type of each operation, on integers of type @u. */
#define NAP__TYPE_load(u) u(const u *)
#define NAP__TYPE_store(u) void(u *, u)
#define NAP__TYPE_xchg(u) u(u *, u)
#define NAP__TYPE_cmpxchg(u) u(u *, u, u)
#define NAP__TYPE_fetch_add(u) u(u *, u)

#define NAP__REQUIRE(op, bits, order)							\
	_Static_assert(__builtin_types_compatible_p(__typeof__(nap__##op##bits##_##order),	\
						    NAP__TYPE_##op(uint##bits##_t)),	\
		       "arch: nap__" #op #bits "_" #order "() has the wrong type");
NAP__OPS(NAP__REQUIRE)
#undef NAP__REQUIRE
_Static_assert(__builtin_types_compatible_p(__typeof__(nap__fence_seq_cst), void(void)),
	       "arch: nap__fence_seq_cst() has the wrong type");
_Static_assert(__builtin_types_compatible_p(__typeof__(nap__cpu_relax), void(void)),
	       "arch: nap__cpu_relax() has the wrong type");

_Static_assert(sizeof(void *) == 8, "pointers travel as 64 bits");

/*
 * Inlined into each caller, so that operands stay in registers, and constant ones are known to the
 * compiler.
 */
#define IN_LINE static inline __attribute__((always_inline))

/*
 * fetch_or and fetch_and, as loops of cmpxchg. An unchanged value is stored, too, because it is the
 * store that releases.
 */
#define NAP__FETCH_BITS(op, bits, order, operator)					\
IN_LINE uint##bits##_t nap__##op##bits##_##order(uint##bits##_t *p, uint##bits##_t v) \
{											\
	uint##bits##_t old = nap__load##bits##_relaxed(p);				\
	uint##bits##_t seen;								\
											\
	while ((seen = nap__cmpxchg##bits##_##order(p, old, old operator v)) != old)	\
		old = seen;								\
	return old;									\
}
#define NAP__FETCH_OR(op, bits, order) NAP__FETCH_BITS(op, bits, order, |)
#define NAP__FETCH_AND(op, bits, order) NAP__FETCH_BITS(op, bits, order, &)
NAP__RMW_ORDERS(NAP__FETCH_OR, fetch_or, 32)
NAP__RMW_ORDERS(NAP__FETCH_OR, fetch_or, 64)
NAP__RMW_ORDERS(NAP__FETCH_AND, fetch_and, 32)
NAP__RMW_ORDERS(NAP__FETCH_AND, fetch_and, 64)
#undef NAP__FETCH_AND
#undef NAP__FETCH_OR
#undef NAP__FETCH_BITS

#define NAP__TRY_CMPXCHG(op, bits, order)						\
IN_LINE bool nap__##op##bits##_##order(uint##bits##_t *p, uint##bits##_t *expected,	\
		uint##bits##_t desired)							\
{											\
	uint##bits##_t old = *expected;							\
	uint##bits##_t seen = nap__cmpxchg##bits##_##order(p, old, desired);		\
											\
	if (seen == old)								\
		return true;								\
	*expected = seen;								\
	return false;									\
}
NAP__RMW_ORDERS(NAP__TRY_CMPXCHG, try_cmpxchg, 32)
NAP__RMW_ORDERS(NAP__TRY_CMPXCHG, try_cmpxchg, 64)
#undef NAP__TRY_CMPXCHG

/*
 * The typed interface. The macros declare no variables, so that a macro in the arguments of another
 * shadows no variable. Each argument is evaluated once: its other uses are under sizeof and typeof.
 * A statement expression lets a caller ignore the result. The conditional operator in nap__typeof()
 * strips const and volatile from the type.
 */
#define nap__typeof(p) __typeof__(0 ? *(p) : *(p))
#define nap__sizeof(p) (sizeof(*(p)) + 0 * sizeof(struct {				\
	_Static_assert(sizeof(*(p)) == 4 || sizeof(*(p)) == 8, "atomics are of 4 or 8 bytes"); \
	int one; }))
/* The integer type as which the value of *@p is passed to a function and returned. */
#define nap__word(p)									\
	__typeof__(__builtin_choose_expr(nap__sizeof(p) == 8, (uint64_t)0, (uint32_t)0))
/* A compound literal, so that the compiler checks the type of the value. */
#define nap__value(p, v) ((nap__word(p))(nap__typeof(p)){ (v) })

/* The function for the width of *@p. The compiler sees one call, not two in a conditional. */
#define nap__of_width(op, order, p)							\
	__builtin_choose_expr(nap__sizeof(p) == 8, nap__##op##64_##order, nap__##op##32_##order)
/* As nap__value(), for the address: the compiler warns if the object at @p is const. */
#define nap__at(p) ((void *){ (p) })
#define nap__rmw(op, order, p, v)							\
	({ (nap__typeof(p))nap__of_width(op, order, p)(nap__at(p), nap__value(p, v)); })
#define nap__sub(order, p, v)								\
	({ (nap__typeof(p))nap__of_width(fetch_add, order, p)(nap__at(p), 0 - nap__value(p, v)); })

#define nap__load(order, p)								\
	({ (nap__typeof(p))nap__of_width(load, order, p)((const void *){ (p) }); })
#define nap__store(order, p, v) nap__of_width(store, order, p)(nap__at(p), nap__value(p, v))
#define nap__cmpxchg(order, p, e, d)							\
	({ (nap__typeof(p))nap__of_width(cmpxchg, order, p)(nap__at(p),			\
			nap__value(p, e), nap__value(p, d)); })
/* The compiler complains unless @e points to the type of *@p. */
#define nap__try(order, p, e, d)							\
	nap__of_width(try_cmpxchg, order, p)(nap__at(p),				\
			(void *)(nap__typeof(p) *){ (e) }, nap__value(p, d))

#define nap_load_relaxed(p) nap__load(relaxed, p)
#define nap_load_acquire(p) nap__load(acquire, p)
#define nap_load_seq_cst(p) nap__load(seq_cst, p)

#define nap_store_relaxed(p, v) nap__store(relaxed, p, v)
#define nap_store_release(p, v) nap__store(release, p, v)
#define nap_store_seq_cst(p, v) nap__store(seq_cst, p, v)

#define nap_xchg_relaxed(p, v) nap__rmw(xchg, relaxed, p, v)
#define nap_xchg_acquire(p, v) nap__rmw(xchg, acquire, p, v)
#define nap_xchg_release(p, v) nap__rmw(xchg, release, p, v)
#define nap_xchg_acq_rel(p, v) nap__rmw(xchg, acq_rel, p, v)
#define nap_xchg_seq_cst(p, v) nap__rmw(xchg, seq_cst, p, v)

#define nap_cmpxchg_relaxed(p, expected, desired) nap__cmpxchg(relaxed, p, expected, desired)
#define nap_cmpxchg_acquire(p, expected, desired) nap__cmpxchg(acquire, p, expected, desired)
#define nap_cmpxchg_release(p, expected, desired) nap__cmpxchg(release, p, expected, desired)
#define nap_cmpxchg_acq_rel(p, expected, desired) nap__cmpxchg(acq_rel, p, expected, desired)
#define nap_cmpxchg_seq_cst(p, expected, desired) nap__cmpxchg(seq_cst, p, expected, desired)

#define nap_try_cmpxchg_relaxed(p, expected, desired) nap__try(relaxed, p, expected, desired)
#define nap_try_cmpxchg_acquire(p, expected, desired) nap__try(acquire, p, expected, desired)
#define nap_try_cmpxchg_release(p, expected, desired) nap__try(release, p, expected, desired)
#define nap_try_cmpxchg_acq_rel(p, expected, desired) nap__try(acq_rel, p, expected, desired)
#define nap_try_cmpxchg_seq_cst(p, expected, desired) nap__try(seq_cst, p, expected, desired)

#define nap_fetch_add_relaxed(p, v) nap__rmw(fetch_add, relaxed, p, v)
#define nap_fetch_add_acquire(p, v) nap__rmw(fetch_add, acquire, p, v)
#define nap_fetch_add_release(p, v) nap__rmw(fetch_add, release, p, v)
#define nap_fetch_add_acq_rel(p, v) nap__rmw(fetch_add, acq_rel, p, v)
#define nap_fetch_add_seq_cst(p, v) nap__rmw(fetch_add, seq_cst, p, v)

#define nap_fetch_sub_relaxed(p, v) nap__sub(relaxed, p, v)
#define nap_fetch_sub_acquire(p, v) nap__sub(acquire, p, v)
#define nap_fetch_sub_release(p, v) nap__sub(release, p, v)
#define nap_fetch_sub_acq_rel(p, v) nap__sub(acq_rel, p, v)
#define nap_fetch_sub_seq_cst(p, v) nap__sub(seq_cst, p, v)

#define nap_fetch_or_relaxed(p, v) nap__rmw(fetch_or, relaxed, p, v)
#define nap_fetch_or_acquire(p, v) nap__rmw(fetch_or, acquire, p, v)
#define nap_fetch_or_release(p, v) nap__rmw(fetch_or, release, p, v)
#define nap_fetch_or_acq_rel(p, v) nap__rmw(fetch_or, acq_rel, p, v)
#define nap_fetch_or_seq_cst(p, v) nap__rmw(fetch_or, seq_cst, p, v)

#define nap_fetch_and_relaxed(p, v) nap__rmw(fetch_and, relaxed, p, v)
#define nap_fetch_and_acquire(p, v) nap__rmw(fetch_and, acquire, p, v)
#define nap_fetch_and_release(p, v) nap__rmw(fetch_and, release, p, v)
#define nap_fetch_and_acq_rel(p, v) nap__rmw(fetch_and, acq_rel, p, v)
#define nap_fetch_and_seq_cst(p, v) nap__rmw(fetch_and, seq_cst, p, v)

#define nap_fence_seq_cst() nap__fence_seq_cst()
#define nap_cpu_relax() nap__cpu_relax()

#endif /* NAP_ATOMIC_H */
