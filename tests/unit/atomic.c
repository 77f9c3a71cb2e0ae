/* SPDX-License-Identifier: MIT */
/*
 * Each atomic operation, in each order and width, on one thread: the assembly is compared with
 * arch/c11, and both with the operation in plain C. Linked with atomic_ref.c.
 */
#define NAP_TEST_TABLE atomic_arch
#include "atomic_ops.h"

#include <inttypes.h>

#include "harness.h"

/*
 * Values at which faults are likely: sign bits, carries, 64-bit values with the same lower half,
 * and values that a 32-bit load sign-extends.
 */
static const uint64_t edges[] = {
	0, 1, 2, 0xff, 0x100, 0x7ff, 0x800, 0xfff, 0x1000, 0x7fff, 0x8000, 0xffff,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
	0x100000000, 0x180000000, 0x1ffffffff, 0x7fffffff80000000,
	0x7fffffffffffffff, 0x8000000000000000, 0x8000000080000000,
	0xffffffff00000000, 0xffffffff7fffffff, 0xffffffff80000000, 0xffffffffffffffff,
};
#define NR_EDGES (sizeof(edges) / sizeof(edges[0]))

/* Returns the next number of xorshift64, so the operands are the same in each run. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Does the operation in plain C, in @bits bits: changes @mem and returns the result. */
static uint64_t model(const struct atomic_op *op, uint64_t *mem, uint64_t a, uint64_t b)
{
	uint64_t mask = op->bits == 64 ? UINT64_MAX : UINT32_MAX;
	uint64_t old = *mem & mask, new = old;

	switch (op->kind) {
	case KIND_load:
		break;
	case KIND_store:
	case KIND_xchg:
		new = a;
		break;
	case KIND_cmpxchg:
		if (old == (a & mask))
			new = b;
		break;
	case KIND_fetch_add:
		new = old + a;
		break;
	case KIND_fetch_sub:
		new = old - a;
		break;
	case KIND_fetch_or:
		new = old | a;
		break;
	case KIND_fetch_and:
		new = old & a;
		break;
	}
	*mem = (*mem & ~mask) | (new & mask);
	return op->kind == KIND_store ? 0 : old;
}

/*
 * The operand among its neighbours. A 32-bit operation is tried on both halves of the middle
 * word, so that the other half is a neighbour, too.
 */
struct place {
	uint64_t before, at, after;
};
#define FILL 0xa5c3f00d96e1b2d4

static uint64_t run_at(const struct atomic_op *op, struct place *place, unsigned half,
		       uint64_t mem, uint64_t a, uint64_t b)
{
	place->before = place->after = FILL;
	place->at = mem;
	/*
	 * The call goes through a pointer, so that the compiler cannot compute the result in
	 * advance.
	 */
	return op->run((char *)&place->at + 4 * half, a, b);
}

static bool same(const struct place *x, const struct place *y)
{
	return x->before == y->before && x->at == y->at && x->after == y->after;
}

/*
 * Whether the reference has a known fault (arch/c11/atomic.h), which must not count as a fault of
 * the assembly.
 */
static bool reference_is_wrong(const struct atomic_op *op)
{
#if defined(__riscv) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
	/* the reference does fetch_or and fetch_and by compare-exchange */
	return op->bits == 32 && (op->kind == KIND_cmpxchg || op->kind == KIND_fetch_or ||
				  op->kind == KIND_fetch_and);
#else
	(void)op;
	return false;
#endif
}

/*
 * Compares one operation with both references. Returns a text that says what differs, or NULL.
 * Results are compared in the width of the operation.
 */
static const char *check(unsigned row, unsigned half, uint64_t mem, uint64_t a, uint64_t b)
{
	const struct atomic_op *op = &atomic_arch.ops[row], *ref = &atomic_ref.ops[row];
	uint64_t mask = op->bits == 64 ? UINT64_MAX : UINT32_MAX;
	struct place got, want, plain = { FILL, mem, FILL };
	uint64_t r, r_ref, r_plain, word;

	r = run_at(op, &got, half, mem, a, b);
	word = half ? mem >> 32 : mem;
	r_plain = model(op, &word, a, b);
	plain.at = half ? (mem & UINT32_MAX) | word << 32 : word;
	if ((r ^ r_plain) & mask)
		return "result is wrong";
	if (!same(&got, &plain))
		return "memory is wrong";

	if (reference_is_wrong(op))
		return NULL;
	r_ref = run_at(ref, &want, half, mem, a, b);
	if ((r ^ r_ref) & mask)
		return "result differs from c11's";
	if (!same(&got, &want))
		return "memory differs from c11's";
	return NULL;
}

/*
 * Checks with several expected values: @a, the word itself, and values that differ from the word in
 * one bit or in the upper half only.
 */
static const char *check_all(unsigned row, uint64_t mem, uint64_t a, uint64_t b)
{
	unsigned halves = atomic_arch.ops[row].bits == 32 ? 2 : 1;

	for (unsigned half = 0; half < halves; half++) {
		uint64_t word = half ? mem >> 32 : mem;
		const uint64_t firsts[] = {
			a, word, (uint64_t)(int64_t)(int32_t)word, word & UINT32_MAX,
			word ^ 0x80000000, word ^ 0x8000000000000000, word ^ 1,
		};

		for (unsigned i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
			const char *wrong = check(row, half, mem, firsts[i], b);

			if (wrong)
				return wrong;
		}
	}
	return NULL;
}

TEST(tables)
{
	/* Any other name shows that atomic_ref.c was compiled with the wrong flags. */
	ASSERT_STREQ("c11", atomic_ref.arch);
	ASSERT_EQ(atomic_arch.count, atomic_ref.count);
	for (unsigned i = 0; i < atomic_arch.count; i++)
		ASSERT_STREQ(atomic_ref.ops[i].name, atomic_arch.ops[i].name);
	TH_LOG("%s against %s: %u operations", atomic_arch.arch, atomic_ref.arch,
	       atomic_arch.count);
	for (unsigned i = 0; i < atomic_arch.count; i++) {
		if (reference_is_wrong(&atomic_ref.ops[i]))
			TH_LOG("%s: against plain C only, this compiler's builtin is wrong",
			       atomic_ref.ops[i].name);
	}
}

TEST(edge_operands)
{
	/* all triples of operands; in a short run only a fifth of the third operands */
	unsigned step = nap_test_scale() > 1 ? 5 : 1;

	for (unsigned row = 0; row < atomic_arch.count; row++) {
		for (unsigned i = 0; i < NR_EDGES; i++) {
			for (unsigned j = 0; j < NR_EDGES; j++) {
				for (unsigned k = j % step; k < NR_EDGES; k += step) {
					const char *wrong = check_all(row, edges[i], edges[j],
								      edges[k]);

					ASSERT_EQ(NULL, wrong) {
						TH_LOG("%s: %s: memory %#" PRIx64 ", operands %#"
						       PRIx64 ", %#" PRIx64,
						       atomic_arch.ops[row].name, wrong, edges[i],
						       edges[j], edges[k]);
					}
				}
			}
		}
	}
}

TEST(random_operands)
{
	uint64_t state = 0x9e3779b97f4a7c15;

	for (unsigned row = 0; row < atomic_arch.count; row++) {
		for (unsigned long i = nap_test_count(5000); i > 0; i--) {
			uint64_t mem = next_random(&state), a = next_random(&state);
			uint64_t b = next_random(&state);
			const char *wrong = check_all(row, mem, a, b);

			ASSERT_EQ(NULL, wrong) {
				TH_LOG("%s: %s: memory %#" PRIx64 ", operands %#" PRIx64
				       ", %#" PRIx64, atomic_arch.ops[row].name, wrong, mem, a, b);
			}
		}
	}
}

/* Constant operands: the compiler encodes them as immediates, or as the zero register. */
TEST(constant_operands)
{
	uint32_t w = 0xffffffff;
	uint64_t d = UINT64_MAX;

	EXPECT_EQ(0xffffffff, nap_fetch_add_relaxed(&w, 1));
	EXPECT_EQ(0, nap_cmpxchg_acq_rel(&w, 0, 0x80000000));
	EXPECT_EQ(0x80000000, nap_cmpxchg_seq_cst(&w, 0, 1));
	EXPECT_EQ(0x80000000, nap_cmpxchg_seq_cst(&w, 0x80000000, 0));
	EXPECT_EQ(0, nap_xchg_release(&w, -1));
	EXPECT_EQ(UINT32_MAX, nap_fetch_sub_acquire(&w, 4095));
	EXPECT_EQ(0xfffff000, nap_fetch_add_seq_cst(&w, 4096));
	nap_store_release(&w, 0);
	EXPECT_EQ(0, nap_load_acquire(&w));
	nap_store_seq_cst(&w, 0x80000000);
	EXPECT_EQ(0x80000000, nap_load_seq_cst(&w));

	EXPECT_EQ(UINT64_MAX, nap_cmpxchg_release(&d, UINT64_MAX, 0x80000000));
	EXPECT_EQ(0x80000000, nap_cmpxchg_release(&d, (uint64_t)INT32_MIN, 1));
	EXPECT_EQ(0x80000000, nap_xchg_acquire(&d, 0));
	EXPECT_EQ(0, nap_fetch_or_acq_rel(&d, (uint64_t)1 << 63));
	EXPECT_EQ((uint64_t)1 << 63, nap_fetch_and_relaxed(&d, 0));
	nap_store_relaxed(&d, 0xffffffff80000000);
	EXPECT_EQ(0xffffffff80000000, nap_load_relaxed(&d));
	nap_store_seq_cst(&d, 0x80000000);
	EXPECT_EQ(0x80000000, nap_load_seq_cst(&d));
}

/*
 * The first exchange fails, and changes only the expected value; the second succeeds, and changes
 * only the word. Neither touches the neighbours.
 */
#define EXPECT_TRIES(order, type, first, second) ({					\
	type word[3] = { 0, (first), 0 };						\
	type expected[3] = { 0, (second), 0 };						\
											\
	EXPECT_FALSE(nap_try_cmpxchg_##order(&word[1], &expected[1], (type)0));	\
	EXPECT_EQ((first), word[1]);							\
	EXPECT_EQ((first), expected[1]);						\
	EXPECT_TRUE(nap_try_cmpxchg_##order(&word[1], &expected[1], (second)));	\
	EXPECT_EQ((second), word[1]);							\
	EXPECT_EQ((first), expected[1]);						\
	EXPECT_TRUE(!word[0] && !word[2] && !expected[0] && !expected[2]);		\
})

#define EXPECT_TRIES_OF(type, first, second)						\
	EXPECT_TRIES(relaxed, type, first, second);					\
	EXPECT_TRIES(acquire, type, first, second);					\
	EXPECT_TRIES(release, type, first, second);					\
	EXPECT_TRIES(acq_rel, type, first, second);					\
	EXPECT_TRIES(seq_cst, type, first, second)

TEST(try_tells_what_is_there)
{
	static char object[2];

	EXPECT_TRIES_OF(uint32_t, 0x80000000, 0x7fffffff);
	EXPECT_TRIES_OF(int32_t, -1, INT32_MIN);
	EXPECT_TRIES_OF(uint64_t, (uint64_t)1 << 32, (uint64_t)0);
	EXPECT_TRIES_OF(int64_t, (int64_t)-1, (int64_t)UINT32_MAX);
	EXPECT_TRIES_OF(char *, &object[0], &object[1]);
}

struct chain {
	struct chain *next;
	const char *name;
};

/* Pointers keep their type, const objects are accepted, and each argument is evaluated once. */
TEST(typed_interface)
{
	struct chain a = { NULL, "a" }, b = { &a, "b" };
	struct chain *head = &b;
	const struct chain *const_head = &b;
	uint32_t array[3] = { 10, 20, 30 };
	const uint32_t *from = array;
	uint32_t *p = array;
	uint32_t array_expected[1] = { 31 }, *expected = array_expected;
	int32_t minus = -1;
	int64_t wide = -5;
	unsigned calls = 0;

	EXPECT_EQ(&a, nap_load_acquire(&nap_load_acquire(&head)->next));
	EXPECT_STREQ("b", nap_load_relaxed(&const_head)->name);
	EXPECT_NULL(nap_load_seq_cst(&const_head->next->next));
	EXPECT_EQ(&b, nap_xchg_acq_rel(&head, NULL));
	EXPECT_NULL(nap_cmpxchg_release(&head, 0, &a));
	EXPECT_EQ(&a, nap_cmpxchg_acquire(&head, &b, NULL));
	EXPECT_EQ(&a, head);
	/* an operation may be an argument of another operation */
	nap_store_release(&head, nap_xchg_relaxed(&b.next, nap_load_relaxed(&head)));
	EXPECT_EQ(&a, head);

	EXPECT_EQ(10, nap_load_acquire(from++));
	EXPECT_EQ(array + 1, from);
	EXPECT_EQ(10, nap_fetch_add_acq_rel(p++, ++calls));
	EXPECT_EQ(20, nap_cmpxchg_acquire(p++, 20, (calls++, 21)));
	EXPECT_EQ(30, nap_fetch_or_seq_cst(p++, ++calls));
	EXPECT_EQ(array + 3, p);
	EXPECT_EQ(3, calls);
	EXPECT_TRUE(nap_try_cmpxchg_acquire(--p, expected++, 32));
	EXPECT_TRUE(p == array + 2 && expected == array_expected + 1);
	EXPECT_EQ(11, array[0]);
	EXPECT_EQ(21, array[1]);
	EXPECT_EQ(32, array[2]);

	/* a negative int stays negative */
	EXPECT_GT(0, nap_load_relaxed(&minus));
	EXPECT_EQ(-1, nap_fetch_add_relaxed(&minus, -1));
	EXPECT_EQ(-2, nap_cmpxchg_relaxed(&minus, -2, -3));
	EXPECT_EQ(-3, nap_fetch_sub_relaxed(&minus, -4));
	EXPECT_EQ(1, minus);
	EXPECT_EQ(-5, nap_xchg_seq_cst(&wide, minus - 2));
	EXPECT_EQ(-1, nap_load_seq_cst(&wide));
	EXPECT_EQ(-1, nap_fetch_sub_release(&wide, 1u));
	EXPECT_EQ(-2, wide);

	nap_fence_seq_cst();
	nap_cpu_relax();
}

TEST_HARNESS_MAIN
