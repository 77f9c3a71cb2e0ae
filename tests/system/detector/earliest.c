/* SPDX-License-Identifier: MIT */
/*
 * Calls nap before every constructor, the library's included: this first call has to find out
 * which detector watches.
 */
#include "program.h"

static struct nap_pool earliest_pool = NAP_POOL_INIT(.max_workers = 1);
static struct work earliest = { .task = NAP_TASK_INIT(square) };

static void before_all(void)
{
	earliest.in = 6;
	want(!nap_schedule(&earliest_pool, &earliest.task), "schedule");
}

static __attribute__((section(".preinit_array"), used)) void (*const first)(void) = before_all;

static __attribute__((destructor)) void after_all(void)
{
	if (nap_pool_join(&earliest_pool, NULL) || earliest.out != 36)
		_exit(2);
}
