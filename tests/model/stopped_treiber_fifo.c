/* SPDX-License-Identifier: MIT */
/*
 * stopped_treiber.c with the kind of queue that reverses what it grabs. Here jobs must also be
 * taken in order.
 */
#define NAP_OVERFLOW treiber_fifo

#include "stopped_treiber.c"

static void judge_order(void)
{
	consume_fifo(THREAD(JOBS));
	judge_missing(5, 0x1c & ~pushed);
}

CHECK_SCENARIO(stopped_fifo_order,
	.about = "treiber: a producer stops: what it has pushed is had oldest first",
	.setup = begin_with_two, .finally = judge_order, .may_stop = 1u << STOPPER,
	.threads = { { push_three, THREAD(2), "P0" }, { push_one, THREAD(6), "P1" },
		     { consume_fifo, THREAD(1), "C" } });
