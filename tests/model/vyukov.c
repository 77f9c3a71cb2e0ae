/* SPDX-License-Identifier: MIT */
/*
 * The unbounded queue on Vyukov's MPSC queue with a try-lock (src/queue/vyukov.h), which is FIFO.
 * Invariants, in every scenario: no task is lost, none runs twice, and of one producer's tasks
 * none overtakes another, whichever thread takes them.
 */
#define NAP_OVERFLOW vyukov

#include "arch/atomic.h"
#include "queue/kind.h"

#include "queue_fixture.h"

/* .finally, for consumers that do not check the order. */
static void judge_any_four(void)
{
	queue_drain();
	jobs_judge(4);
}

static void judge_two(void)
{
	judge_rest_fifo(2);
}

static void judge_five(void)
{
	judge_rest_fifo(5);
}

/*
 * Three producers, one of which pushes twice, two consumers. A test of [V1], [V2] and [V3] in
 * ordering.rst.
 */
CHECK_SCENARIO(vyukov_3_producers,
	.about = "vyukov: three producers, two consumers, in each producer's order",
	.setup = queue_name, .finally = judge_five,
	.threads = { { push_two, THREAD(0), "P0" }, { push_batch, THREAD(2), "P1" },
		     { push_one, THREAD(4), "P2" }, { consume_fifo, THREAD(2), "C0" },
		     { consume_fifo, THREAD(1), "C1" } });

/*
 * The link inside a list is plain, and ordered by the link to the list [V2]; for the second
 * consumer, it is ordered by the lock [V3].
 */
CHECK_SCENARIO(vyukov_batches,
	.about = "vyukov: lists of tasks, consumers that leave some for each other",
	.setup = queue_name, .finally = judge_any_four,
	.threads = { { push_batch, THREAD(0), "P0" }, { push_batch, THREAD(2), "P1" },
		     { consume, THREAD(1), "C0" }, { consume, THREAD(2), "C1" } });

/*
 * Each producer first stores NULL in its own task's link; the next producer then writes its link
 * over that NULL. In the other order all tasks that follow would be lost [V1]. No thread
 * consumes; the tasks that are left show the order.
 */
CHECK_SCENARIO(vyukov_pushes,
	.about = "vyukov: three producers at once: all is linked in the end",
	.setup = queue_name, .finally = judge_any_four,
	.threads = { { push_one, THREAD(0), "P0" }, { push_one, THREAD(1), "P1" },
		     { push_batch, THREAD(2), "P2" } });

/* ---- the stub comes back */

static void consume_one_twice(void *arg)
{
	(void)arg;
	consume_fifo(THREAD(1));
	consume_fifo(THREAD(1));
}

/*
 * Each time the last task goes, the consumer pushes the stub after it, and the next consumer begins
 * at the stub. A producer may push between the last task and the stub. Then the last task stays for
 * now.
 */
CHECK_SCENARIO(vyukov_stub,
	.about = "vyukov: the stub is pushed again and again, handed over, and overtaken",
	.setup = queue_name, .finally = judge_two,
	.threads = { { push_two, THREAD(0), "producer" }, { consume_one_twice, NULL, "C0" },
		     { consume_one_twice, NULL, "C1" } });

/*
 * Takes a task and pushes it again, as a task does that schedules itself: its link is written
 * anew.
 */
static void consume_and_push_again(void *arg)
{
	struct nap__consumer c;
	struct nap_task *task = NULL;

	(void)arg;
	if (!overflow_lock(&queue, &c))
		return;
	task = overflow_pop(&c);
	queue_unlock(&c);
	if (task && job_number(task) == 0) {
		CHECK(jobs[0].payload == PAYLOAD);
		queue_push_job(0);
	} else {
		job_run(task);
	}
}

CHECK_SCENARIO(vyukov_again,
	.about = "vyukov: a task that has been taken is pushed again",
	.setup = begin_with_one, .finally = judge_any_four,
	.threads = { { push_one, THREAD(1), "P0" }, { push_batch, THREAD(2), "P1" },
		     { consume_and_push_again, NULL, "C0" }, { consume, THREAD(1), "C1" } });
