/* SPDX-License-Identifier: MIT */
/*
 * The compiler must not move accesses across an operation with an order: it completes earlier
 * stores before the operation, and loads objects anew after it. Without the "memory" clobber the
 * compiler moves accesses, and no processor can restore their order.
 *
 * The test stops the operation in its middle: the operand is on a page that may not be accessed, so
 * the operation traps. The handler checks that the store before the operation is visible, changes
 * @other, and lets the operation go on. The compiler takes the operand and @other for different
 * objects, so only the operation's "memory" clobber says that @other may have changed.
 */
#include "arch/atomic.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "harness.h"

#define PAGE_MAX 65536

static _Alignas(PAGE_MAX) union {
	uint32_t word32;
	uint64_t word64;
	char bytes[PAGE_MAX];
} page;

uint32_t other;
static uint32_t seen, traps;

static void look_and_change(int signal)
{
	(void)signal;
	seen = other;
	other = 5;
	traps++;
	mprotect(&page, sizeof(page), PROT_READ | PROT_WRITE);
}

#define CALL_load(bits, order) (void)nap__load##bits##_##order(&page.word##bits)
#define CALL_store(bits, order) nap__store##bits##_##order(&page.word##bits, 1)
#define CALL_xchg(bits, order) (void)nap__xchg##bits##_##order(&page.word##bits, 1)
#define CALL_cmpxchg(bits, order) (void)nap__cmpxchg##bits##_##order(&page.word##bits, 1, 2)
#define CALL_fetch_add(bits, order) (void)nap__fetch_add##bits##_##order(&page.word##bits, 1)
#define CALL_fetch_or(bits, order) (void)nap__fetch_or##bits##_##order(&page.word##bits, 1)
#define CALL_fetch_and(bits, order) (void)nap__fetch_and##bits##_##order(&page.word##bits, 1)

#define IS_ORDERED_relaxed 0
#define IS_ORDERED_acquire 1
#define IS_ORDERED_release 1
#define IS_ORDERED_acq_rel 1
#define IS_ORDERED_seq_cst 1

#define TRAP_IN(op, bits, order)							\
static uint32_t trap_in_##op##bits##_##order(void)					\
{											\
	other = 1;									\
	CALL_##op(bits, order);								\
	return other;									\
}
#define EACH(X)										\
	NAP__OPS(X)									\
	NAP__RMW_ORDERS(X, fetch_or, 32)						\
	NAP__RMW_ORDERS(X, fetch_or, 64)						\
	NAP__RMW_ORDERS(X, fetch_and, 32)						\
	NAP__RMW_ORDERS(X, fetch_and, 64)
EACH(TRAP_IN)

static const struct trap {
	const char *name;
	uint32_t (*in)(void);
	bool ordered;
} trap[] = {
#define ROW(op, bits, order)								\
	{ #op #bits "_" #order, trap_in_##op##bits##_##order, IS_ORDERED_##order },
	EACH(ROW)
};

TEST(the_compiler_moves_nothing_across_an_ordered_operation)
{
	struct sigaction action = { .sa_handler = look_and_change };
	unsigned long n = sizeof(trap) / sizeof(trap[0]);

	ASSERT_EQ(sigaction(SIGSEGV, &action, NULL), 0);
	for (unsigned long i = 0; i < n; i++) {
		uint32_t loaded;

		ASSERT_EQ(mprotect(&page, sizeof(page), PROT_NONE), 0);
		loaded = trap[i].in();
		ASSERT_EQ(traps, i + 1) TH_LOG("%s", trap[i].name);
		if (!trap[i].ordered)
			continue;
		EXPECT_EQ(seen, 1) TH_LOG("a store is moved behind %s", trap[i].name);
		EXPECT_EQ(loaded, 5) TH_LOG("a load is moved before %s", trap[i].name);
	}
}

TEST_HARNESS_MAIN
