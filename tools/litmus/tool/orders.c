/* SPDX-License-Identifier: MIT */
/* The fences and stronger accesses of each dialect, the weakest first. */
#include "tool/order.h"

#define T(tag) BIT(TAG_##tag)

static const struct order kernel[] = {
	{ 'R', '*', "smp_load_acquire() for the first", .load = T(ONCE) | T(ACQUIRE) },
	{ '*', 'W', "smp_store_release() for the second", .store = T(ONCE) | T(RELEASE) },
	{ 'W', 'W', "smp_wmb() between them", .fence = T(WMB) },
	{ 'R', 'R', "smp_rmb() between them", .fence = T(RMB) },
	{ '*', '*', "smp_mb() between them", .fence = T(FULL) },
	{ .words = NULL },
};

#define SEQ_CST (T(RELAXED) | T(SC))
static const struct order c11[] = {
	{ 'R', '*', "memory_order_acquire for the first", .load = T(RELAXED) | T(ACQUIRE) },
	{ '*', 'W', "memory_order_release for the second", .store = T(RELAXED) | T(RELEASE) },
	{ 'R', '*', "memory_order_seq_cst for the first", .load = SEQ_CST | T(ACQUIRE) },
	{ '*', 'W', "memory_order_seq_cst for the second", .store = SEQ_CST | T(RELEASE) },
	{ 'W', 'R', "memory_order_seq_cst for both", .store_first = SEQ_CST | T(RELEASE),
	  .load_second = SEQ_CST | T(ACQUIRE) },
	{ 'R', '*', "atomic_thread_fence(memory_order_acquire) between them", .fence = T(ACQUIRE) },
	{ '*', 'W', "atomic_thread_fence(memory_order_release) between them", .fence = T(RELEASE) },
	{ '*', '*', "atomic_thread_fence(memory_order_seq_cst) between them",
	  .fence = T(SC) | T(ACQUIRE) | T(RELEASE) },
	{ .words = NULL },
};

static const struct order aarch64[] = {
	{ 'R', '*', "LDAPR for the first", .load = T(ACQUIRE_PC) },
	{ 'R', '*', "LDAR for the first", .load = T(ACQUIRE) },
	{ '*', 'W', "STLR for the second", .store = T(RELEASE) },
	{ 'W', 'R', "STLR for the first and LDAR for the second", .store_first = T(RELEASE),
	  .load_second = T(ACQUIRE) },
	{ 'R', '*', "DMB ISHLD between them", .fence = T(FENCE_LD) },
	{ 'W', 'W', "DMB ISHST between them", .fence = T(FENCE_ST) },
	{ '*', '*', "DMB ISH between them", .fence = T(FULL) },
	{ .words = NULL },
};

static const struct order riscv[] = {
	{ 'R', 'R', "fence r,r between them", .fence = T(PRED_R) | T(SUCC_R) },
	{ 'R', 'W', "fence r,w between them", .fence = T(PRED_R) | T(SUCC_W) },
	{ 'W', 'W', "fence w,w between them", .fence = T(PRED_W) | T(SUCC_W) },
	{ 'W', 'R', "fence w,r between them", .fence = T(PRED_W) | T(SUCC_R) },
	{ '*', '*', "fence rw,rw between them",
	  .fence = T(PRED_R) | T(PRED_W) | T(SUCC_R) | T(SUCC_W) },
	{ .words = NULL },
};

static const struct order x86[] = {
	{ '*', '*', "mfence between them", .fence = T(FULL) },
	{ .words = NULL },
};

const struct order *orders_of(enum dialect dialect)
{
	static const struct order *const tables[] = {
		[DIALECT_KERNEL] = kernel, [DIALECT_C11] = c11, [DIALECT_AARCH64] = aarch64,
		[DIALECT_RISCV] = riscv, [DIALECT_X86] = x86,
	};

	return tables[dialect];
}
