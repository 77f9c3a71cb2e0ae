/* SPDX-License-Identifier: MIT */
/*
 * The FIFO queue of src/queue/treiber.h, whose grabs are reversed. Invariants, in every scenario:
 * no task is lost or runs twice, and the tasks of one producer come out in order, whichever
 * threads take them.
 */
#define NAP_OVERFLOW treiber_fifo

#include "arch/atomic.h"
#include "queue/kind.h"

#include "queue_fixture.h"

static void judge_four(void)
{
	judge_rest_fifo(4);
}

static void judge_five(void)
{
	judge_rest_fifo(5);
}

/* Three producers, two consumers. */
CHECK_SCENARIO(treiber_fifo_3_producers,
	.about = "treiber_fifo: three producers, two consumers, in each producer's order",
	.setup = queue_name, .finally = judge_five,
	.threads = { { push_batch, THREAD(0), "P0" }, { push_batch, THREAD(2), "P1" },
		     { push_one, THREAD(4), "P2" }, { consume_fifo, THREAD(2), "C0" },
		     { consume_fifo, THREAD(1), "C1" } });

/* A list is reversed by its producer, a grab by its consumer: together they are in order. */
CHECK_SCENARIO(treiber_fifo_batches,
	.about = "treiber_fifo: lists and grabs, consumers that leave some for each other",
	.setup = queue_name, .finally = judge_four,
	.threads = { { push_batch, THREAD(0), "P0" }, { push_batch, THREAD(2), "P1" },
		     { consume_fifo, THREAD(1), "C0" }, { consume_fifo, THREAD(2), "C1" } });

/* A task that is pushed while an older grab is handed out comes out after all of that grab. */
CHECK_SCENARIO(treiber_fifo_grabs,
	.about = "treiber_fifo: tasks pushed during a grab come behind it",
	.setup = begin_with_two, .finally = judge_four,
	.threads = { { push_two, THREAD(2), "producer" }, { consume_fifo, THREAD(1), "C0" },
		     { consume_fifo, THREAD(JOBS), "C1" } });

static void judge_two(void)
{
	judge_stranded(2);
}

CHECK_SCENARIO(treiber_fifo_not_stranded,
	.about = "treiber_fifo: when each comes again that unlock tells to, no task is left",
	.setup = queue_name, .finally = judge_two,
	.threads = { { work, THREAD(0), "W0" }, { work, THREAD(1), "W1" },
		     { come, NULL, "W2" } });
