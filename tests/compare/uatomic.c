/* SPDX-License-Identifier: MIT */
/*
 * Compares nap's atomics with liburcu's uatomic_*: the results are equal; and one thread with nap's
 * and one with liburcu's can work on the same word at the same time.
 */
#include "harness.h"

#include "arch/atomic.h"

#include <pthread.h>
#include <urcu/uatomic.h>

static uint64_t state = 88172645463325252u;

/* Returns a number of xorshift64, sometimes an extreme value. */
static uint64_t random_operand(void)
{
	static const uint64_t edges[] = { 0, 1, UINT64_MAX, INT64_MAX, UINT32_MAX, INT32_MAX };

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % 8 ? state : edges[(state >> 8) % ARRAY_SIZE(edges)];
}

/*
 * liburcu's x86 assembly names the word as an output only, though it reads the word; the compiler
 * then drops the initialisation of a local word. So each library gets its word through a pointer
 * whose target the compiler cannot know.
 */
#define OPAQUE(p) __asm__ volatile("" : "+r"(p) : : "memory")

/*
 * Does one operation of each library on a word of its own with equal content, and compares the
 * two results and the two words.
 */
#define SAME(type, nap_expr, urcu_expr)							\
do {											\
	type before = (type)random_operand(), v = (type)random_operand();		\
	type e = state % 2 ? before : (type)random_operand();				\
	type word[2] = { before, before }, *ours = &word[0], *theirs = &word[1];	\
	type got, wanted;								\
											\
	(void)v, (void)e;								\
	OPAQUE(ours);									\
	OPAQUE(theirs);									\
	got = (type)(nap_expr);								\
	wanted = (type)(urcu_expr);							\
	OPAQUE(ours);									\
	ASSERT_EQ(wanted, got) TH_LOG(#type " " #nap_expr ": returned");		\
	ASSERT_EQ(*theirs, *ours) TH_LOG(#type " " #nap_expr ": stored");		\
} while (0)

#define SAME_RMW(type, order)								\
do {											\
	SAME(type, nap_xchg_##order(ours, v), uatomic_xchg(theirs, v));		\
	SAME(type, nap_cmpxchg_##order(ours, e, v), uatomic_cmpxchg(theirs, e, v));	\
	SAME(type, nap_fetch_add_##order(ours, v) + v, uatomic_add_return(theirs, v));\
	SAME(type, nap_fetch_sub_##order(ours, v) - v, uatomic_sub_return(theirs, v));\
	SAME(type, nap_fetch_or_##order(ours, v), (uatomic_or(theirs, v), before));	\
	SAME(type, nap_fetch_and_##order(ours, v), (uatomic_and(theirs, v), before));	\
	SAME(type, nap_fetch_add_##order(ours, 1), (uatomic_inc(theirs), before));	\
	SAME(type, nap_fetch_sub_##order(ours, 1), (uatomic_dec(theirs), before));	\
} while (0)

#define SAME_ALL(type)									\
do {											\
	for (unsigned long n = nap_test_count(50000); n--;) {				\
		SAME_RMW(type, relaxed);						\
		SAME_RMW(type, acquire);						\
		SAME_RMW(type, release);						\
		SAME_RMW(type, acq_rel);						\
		SAME_RMW(type, seq_cst);						\
		SAME(type, nap_load_acquire(ours), uatomic_read(theirs));		\
		SAME(type, nap_load_seq_cst(ours), uatomic_read(theirs));		\
		SAME(type, (nap_store_release(ours, v), 0), (uatomic_set(theirs, v), 0));\
		SAME(type, (nap_store_seq_cst(ours, v), 0), (uatomic_set(theirs, v), 0));\
	}										\
} while (0)

TEST(same_results_32)
{
	SAME_ALL(uint32_t);
}

TEST(same_results_64)
{
	SAME_ALL(uint64_t);
}

/* Both libraries work on the same words, and neither may lose an update of the other library. */
static struct {
	uint32_t sum32, bits;
	uint64_t sum64, by_cmpxchg;
} shared;

static void *with_nap(void *arg)
{
	for (unsigned long n = *(unsigned long *)arg; n--;) {
		uint64_t old = nap_load_relaxed(&shared.by_cmpxchg), seen;

		nap_fetch_add_relaxed(&shared.sum32, 3);
		nap_fetch_sub_release(&shared.sum64, 5);
		nap_fetch_or_acquire(&shared.bits, 1u << n % 16);
		nap_fetch_and_acq_rel(&shared.bits, ~(1u << n % 16));
		while ((seen = nap_cmpxchg_seq_cst(&shared.by_cmpxchg, old, old + 1)) != old)
			old = seen;
	}
	return NULL;
}

static void *with_urcu(void *arg)
{
	for (unsigned long n = *(unsigned long *)arg; n--;) {
		uint64_t old = uatomic_read(&shared.by_cmpxchg), seen;

		uatomic_add(&shared.sum32, 3);
		uatomic_sub_return(&shared.sum64, 5);
		uatomic_or(&shared.bits, 0x10000u << n % 16);
		uatomic_and(&shared.bits, ~(0x10000u << n % 16));
		while ((seen = uatomic_cmpxchg(&shared.by_cmpxchg, old, old + 1)) != old)
			old = seen;
	}
	return NULL;
}

TEST(no_update_is_lost)
{
	unsigned long n = nap_test_count(1000000);
	pthread_t one, other;

	ASSERT_EQ(0, pthread_create(&one, NULL, with_nap, &n));
	ASSERT_EQ(0, pthread_create(&other, NULL, with_urcu, &n));
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	EXPECT_EQ((uint32_t)(2 * n * 3), shared.sum32);
	EXPECT_EQ(-(uint64_t)(2 * n * 5), shared.sum64);
	EXPECT_EQ(2 * n, shared.by_cmpxchg);
	EXPECT_EQ(0, shared.bits);
}

TEST_HARNESS_MAIN
