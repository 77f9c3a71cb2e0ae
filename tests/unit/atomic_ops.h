/* SPDX-License-Identifier: MIT */
/*
 * A table of every atomic operation, with one signature for all.
 *
 * Two files include this header, and get tables of different functions: atomic.c those of the
 * architecture, atomic_ref.c those of arch/c11. All of it is static except the table, whose name
 * each file defines as NAP_TEST_TABLE before the inclusion.
 */
#ifndef NAP_TEST_ATOMIC_OPS_H
#define NAP_TEST_ATOMIC_OPS_H

#include "arch/atomic.h"

enum kind { KIND_load, KIND_store, KIND_xchg, KIND_cmpxchg, KIND_fetch_add, KIND_fetch_sub,
	    KIND_fetch_or, KIND_fetch_and };

/*
 * @run does the operation on @p with the operands @a and @b (as many as the operation takes, cut
 * to its width), and returns its result, or 0.
 */
struct atomic_op {
	const char *name;
	enum kind kind;
	unsigned bits;
	uint64_t (*run)(void *p, uint64_t a, uint64_t b);
};

struct atomic_table {
	const char *arch;
	const struct atomic_op *ops;
	unsigned count;
};

extern const struct atomic_table atomic_arch, atomic_ref;

/* The call of each operation. @f may be a macro, so it gets its arguments unchanged. */
#define CALL_load(f, p, type, a, b) return (uint64_t)f(p)
#define CALL_store(f, p, type, a, b) f(p, (type)(a)); return 0
#define CALL_xchg(f, p, type, a, b) return (uint64_t)f(p, (type)(a))
#define CALL_cmpxchg(f, p, type, a, b) return (uint64_t)f(p, (type)(a), (type)(b))
#define CALL_fetch_add(f, p, type, a, b) CALL_xchg(f, p, type, a, b)
#define CALL_fetch_sub(f, p, type, a, b) CALL_xchg(f, p, type, a, b)
#define CALL_fetch_or(f, p, type, a, b) CALL_xchg(f, p, type, a, b)
#define CALL_fetch_and(f, p, type, a, b) CALL_xchg(f, p, type, a, b)

/* The operations of an architecture, by their own names. */
#define DEFINE_PLAIN(op, width, order)							\
static uint64_t run_##op##width##_##order(void *p, uint64_t a, uint64_t b)		\
{											\
	uint##width##_t *u = p;								\
											\
	(void)a;									\
	(void)b;									\
	CALL_##op(nap__##op##width##_##order, u, uint##width##_t, a, b);		\
}
NAP__OPS(DEFINE_PLAIN)

/* The typed operations on each kind of object: @T is the type's name in function names. */
#define DEFINE_TYPED(op, T, type, order)						\
static uint64_t run_typed_##op##_##T##_##order(void *p, uint64_t a, uint64_t b)		\
{											\
	type *t = p;									\
											\
	(void)a;									\
	(void)b;									\
	CALL_##op(nap_##op##_##order, t, type, a, b);					\
}

#define TYPED_RMW(X, op, T, type)							\
	X(op, T, type, relaxed)								\
	X(op, T, type, acquire)								\
	X(op, T, type, release)								\
	X(op, T, type, acq_rel)								\
	X(op, T, type, seq_cst)
#define TYPED_ANY(X, T, type)								\
	X(load, T, type, relaxed)							\
	X(load, T, type, acquire)							\
	X(load, T, type, seq_cst)							\
	X(store, T, type, relaxed)							\
	X(store, T, type, release)							\
	X(store, T, type, seq_cst)							\
	TYPED_RMW(X, xchg, T, type)							\
	TYPED_RMW(X, cmpxchg, T, type)
#define TYPED_INTEGER(X, T, type)							\
	TYPED_ANY(X, T, type)								\
	TYPED_RMW(X, fetch_add, T, type)						\
	TYPED_RMW(X, fetch_sub, T, type)						\
	TYPED_RMW(X, fetch_or, T, type)							\
	TYPED_RMW(X, fetch_and, T, type)

enum small { SMALL_ZERO, SMALL_MAX = 0xffffffffu };	/* an enum is an integer, too */
typedef struct atomic_op *op_pointer;			/* one word, for token pasting */

#define TYPED_OPS(X)									\
	TYPED_INTEGER(X, u32, uint32_t)							\
	TYPED_INTEGER(X, s32, int32_t)							\
	TYPED_INTEGER(X, u64, uint64_t)							\
	TYPED_INTEGER(X, s64, int64_t)							\
	TYPED_ANY(X, enum, enum small)							\
	TYPED_ANY(X, ptr, op_pointer)
TYPED_OPS(DEFINE_TYPED)

#define ROW_PLAIN(op, width, order) \
	{ #op #width "_" #order, KIND_##op, width, run_##op##width##_##order },
#define ROW_TYPED(op, T, type, order) \
	{ #op "_" #order "(" #T ")", KIND_##op, 8 * sizeof(type), run_typed_##op##_##T##_##order },

static const struct atomic_op atomic_rows[] = {
	NAP__OPS(ROW_PLAIN)
	TYPED_OPS(ROW_TYPED)
};

const struct atomic_table NAP_TEST_TABLE = {
	NAP__ATOMICS, atomic_rows, sizeof(atomic_rows) / sizeof(atomic_rows[0]),
};

#endif /* NAP_TEST_ATOMIC_OPS_H */
