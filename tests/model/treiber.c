/* SPDX-License-Identifier: MIT */
/*
 * The unbounded queue on a Treiber stack (src/queue/treiber.h), mostly LIFO: producers push;
 * consumers take a try-lock, so that there is one consumer at a time. Invariant, in every
 * scenario: no task is lost, and none runs twice.
 *
 * unlock returns true when tasks are left in the cache, or were pushed by then. This takes no
 * fence, because the queue is one word.
 */
#define NAP_OVERFLOW treiber

#include "arch/atomic.h"
#include "queue/kind.h"

#include "queue_turned_away.h"

static void judge_rest(uint32_t nr)
{
	queue_drain();
	CHECK(overflow_empty(&queue));
	jobs_judge(nr);
}

static void judge_three(void)
{
	judge_rest(3);
}

static void judge_four(void)
{
	judge_rest(4);
}

/*
 * Three producers, and two consumers, which run what they find. A test of [T1] and [T2] in
 * ordering.rst.
 */
CHECK_SCENARIO(treiber_3_producers,
	.about = "treiber: three producers, two consumers: no task is lost, none runs twice",
	.setup = queue_name, .finally = judge_three,
	.threads = { { push_one, THREAD(0), "P0" }, { push_one, THREAD(1), "P1" },
		     { push_one, THREAD(2), "P2" }, { consume, THREAD(JOBS), "C0" },
		     { consume, THREAD(1), "C1" } });

/*
 * A consumer that takes the first task of a list leaves the second in the cache, for the next
 * consumer. The lock alone orders that consumer after the producer [T2].
 */
CHECK_SCENARIO(treiber_batches,
	.about = "treiber: lists of tasks, consumers that leave some for each other",
	.setup = queue_name, .finally = judge_four,
	.threads = { { push_batch, THREAD(0), "P0" }, { push_batch, THREAD(2), "P1" },
		     { consume, THREAD(1), "C0" }, { consume, THREAD(1), "C1" } });

/* ---- within one grab the youngest comes first */

/* The order in which jobs came out; only lock holders touch it. */
static uint32_t order[JOBS], ordered;

static void note_one(struct nap_task *task)
{
	CHECK(ordered < JOBS);
	order[ordered++] = job_number(task);
	job_run(task);
}

static void consume_noting(void *n)
{
	struct nap__consumer c;
	struct nap_task *task;

	if (!overflow_lock(&queue, &c))
		return;
	for (uintptr_t i = 0; i < (uintptr_t)n && (task = overflow_pop(&c)); i++)
		note_one(task);
	queue_unlock(&c);
}

/*
 * Judges the order. One producer pushes tasks one by one, and a grab takes all tasks there are.
 * So the tasks come out in runs: each run goes downwards without a gap, and lies above all runs
 * before it. The first run has both tasks that were there in the beginning.
 */
static void judge_grabs(void)
{
	uint32_t low = 0, i = 0;

	consume_noting(THREAD(JOBS));
	CHECK(order[0] >= 1);
	while (i < ordered) {
		uint32_t high = order[i];

		CHECK(high >= low);
		for (uint32_t job = high + 1; job-- > low; i++)
			CHECK(i < ordered && order[i] == job);
		low = high + 1;
	}
	jobs_judge(4);
}

CHECK_SCENARIO(treiber_grabs,
	.about = "treiber: within what one grab has taken, the youngest comes first",
	.setup = begin_with_two, .finally = judge_grabs,
	.threads = { { push_two, THREAD(2), "producer" }, { consume_noting, THREAD(2), "C0" },
		     { consume_noting, THREAD(1), "C1" } });

/* ---- nothing is stranded */

static void judge_two(void)
{
	judge_stranded(2);
}

CHECK_SCENARIO(treiber_not_stranded,
	.about = "treiber: when each comes again that unlock tells to, no task is left",
	.setup = queue_name, .finally = judge_two,
	.threads = { { work, THREAD(0), "W0" }, { work, THREAD(1), "W1" },
		     { come, NULL, "W2" } });
