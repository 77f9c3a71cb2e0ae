/* SPDX-License-Identifier: MIT */
/* The overflow of overflow.c as a Vyukov queue (make OVERFLOW=vyukov), with a smaller ring. */
#define NAP_RING_SIZE	2
#define NAP_RING_START	0xffffffffu
#define NAP_OVERFLOW	vyukov

#include "overflow.c"

static void judge_in_order(void)
{
	jobs_judge_order();
	judge_two();
}

/*
 * The tasks that move are older than the new ones. A Vyukov queue keeps that order, whichever
 * thread takes.
 */
CHECK_SCENARIO(overflow_in_order_vyukov,
	.about = "what has moved comes out of the overflow before what was new",
	.setup = begin, .finally = judge_in_order,
	.threads = { { owner_of_two, NULL, "owner" }, { consume, THREAD(2), "thief 0" },
		     { consume, THREAD(2), "thief 1" } });
