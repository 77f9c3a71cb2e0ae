/* SPDX-License-Identifier: MIT */
/*
 * Promises of src/queue/vyukov.h to threads that would otherwise be left with a task.
 *
 * A producer between its exchange and its link hides what others push after it. No task is lost by
 * that: the hidden tasks come out when the link is there.
 *
 * empty is true only when every task whose push the caller knows of has been popped, and the thread
 * that popped it has unlocked. Hidden tasks are no exception.
 *
 * A consumer that is turned away sets WANTED, and the holder's unlock returns true. unlock also
 * returns true when it leaves a task that is linked. So a producer that has pushed, and finds the
 * lock taken, may leave: the holder has to find the task. WANTED is set and read by relaxed
 * accesses. So the promise needs the fence that comes before every notification and before every
 * search [S1].
 */
#define NAP_OVERFLOW vyukov

#include "arch/atomic.h"
#include "queue/kind.h"

#include "queue_turned_away.h"

/* ---- hidden tasks */

static bool hidden;

/* Pushes, and then at once tries to take a task. */
static void push_and_take(void *number)
{
	struct nap__consumer c;

	push_one(number);
	if (!overflow_lock(&queue, &c))
		return;
	hidden = queue_run(&c, 1) == 0;
	queue_unlock(&c);
}

static void judge_two(void)
{
	CHECK(queue_drain() <= 2);
	jobs_judge(2);
}

static bool was_hidden(void)
{
	return hidden;
}

CHECK_SCENARIO(vyukov_hidden,
	.about = "vyukov: a producer may find nothing behind its own push, and nothing is lost",
	.setup = queue_name, .finally = judge_two,
	.threads = { { push_one, THREAD(0), "slow" }, { push_and_take, THREAD(1), "fast" } },
	.models = CHECK_ALL, .exists = was_hidden, .allowed = CHECK_ALL);

/* ---- empty: asked by the producer itself */

static void push_and_look(void *number)
{
	push_one(number);
	look(NULL);
}

static void judge_own(void)
{
	if (said_empty && taken[CONSUMER].nr == 0)
		check_fail("called empty by one whose task nobody has taken");
	queue_drain();
	jobs_judge(2);
}

/* A producer does not find the queue empty while its own task is there, hidden or not. */
CHECK_SCENARIO(vyukov_empty_own,
	.about = "vyukov: a producer does not find the queue empty, hidden as its task may be",
	.setup = queue_name, .finally = judge_own,
	.threads = { { consume, THREAD(JOBS), "consumer" }, { push_and_look, THREAD(0), "fast" },
		     { push_one, THREAD(1), "slow" } });

/* ---- nothing is stranded */

static void begin_fenced(void)
{
	queue_name();
	fenced = true;
}

static void begin_fenced_with_one(void)
{
	begin_with_one();
	fenced = true;
}

static void judge_stranded_two(void)
{
	judge_stranded(2);
}

static void judge_stranded_three(void)
{
	judge_stranded(3);
}

CHECK_SCENARIO(vyukov_not_stranded,
	.about = "vyukov: when each comes again that unlock tells to, no task is left",
	.setup = begin_fenced, .finally = judge_stranded_two,
	.threads = { { work, THREAD(0), "W0" }, { work, THREAD(1), "W1" } },
	.models = CHECK_ALL);

CHECK_SCENARIO(vyukov_not_stranded_3,
	.about = "vyukov: the same with a task that was there before",
	.setup = begin_fenced_with_one, .finally = judge_stranded_three,
	.threads = { { work, THREAD(1), "W0" }, { work, THREAD(2), "W1" } });

CHECK_SCENARIO(vyukov_stranded_without_fence,
	.about = "vyukov: without the fences who is told to come again may not see the task",
	.setup = queue_name, .finally = judge_stranded_two,
	.threads = { { work, THREAD(0), "W0" }, { work, THREAD(1), "W1" } },
	.models = CHECK_ALL, .finds = "stranded", .finds_in = CHECK_RC11);
