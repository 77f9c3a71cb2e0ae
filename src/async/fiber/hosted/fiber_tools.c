/* SPDX-License-Identifier: MIT */
/*
 * Finds out which tools watch the program, and notifies valgrind of fibers:
 * src/async/fiber/tools.h.
 */
#include "async/fiber/tools.h"

#include "valgrind.h"

/* These numbers are from valgrind.h of valgrind 3.19, and do not change. */
#define RUNNING_ON_VALGRIND	0x1001
#define STACK_REGISTER		0x1501
#define STACK_DEREGISTER	0x1502

/*
 * ThreadSanitizer can have 8,128 threads (compiler-rt, tsan_defs.h and tsan_rtl_thread.cpp; gcc's
 * is the same), and each fiber that has begun is one. The remaining threads are for the program.
 */
#define TSAN_FIBERS	7000u

uint32_t nap__tools_found;
static uint32_t nr_fibers;	/* A: fibers that were spawned, and have not ended */

static uint64_t valgrind_request(uint64_t number, uint64_t first, uint64_t second)
{
	/* Not noticed in tests when 1 for 0, 1 for 0 (2) or 1 for 0 (3): these are not read. */
	const uint64_t request[] = { number, first, second, 0, 0, 0 };

	return nap__valgrind(request, 0);
}

void nap__tools_look(void)
{
	/* Not noticed in tests when && for ||: unit/fiber_tools stands for both sanitizers. */
	if (__tsan_create_fiber || __sanitizer_start_switch_fiber ||
	    valgrind_request(RUNNING_ON_VALGRIND, 0, 0))
		nap_store_relaxed(&nap__tools_found, true);
}

void nap__tools_stack(struct nap__tools_fiber *tools, const void *low, const void *top)
{
	/* Not noticed in tests when dropped: only valgrind notices. */
	tools->valgrind = valgrind_request(STACK_REGISTER, (uintptr_t)low, (uintptr_t)top);
}

void nap__tools_no_stack(struct nap__tools_fiber *tools)
{
	/* Not noticed in tests when dropped or 1 for 0: only valgrind notices. */
	valgrind_request(STACK_DEREGISTER, tools->valgrind, 0);
}

bool nap__tools_may_spawn(void)
{
	if (nap_fetch_add_relaxed(&nr_fibers, 1) < TSAN_FIBERS || !__tsan_create_fiber)
		return true;
	nap__tools_ended();
	return false;
}

void nap__tools_ended(void)
{
	nap_fetch_sub_relaxed(&nr_fibers, 1);
}
