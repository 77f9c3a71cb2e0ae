/* SPDX-License-Identifier: MIT */
/*
 * What src/queue/treiber.h promises those who would otherwise be left with a task, in either order.
 *
 * unlock returns true when tasks are left: in the cache, or pushed in the meantime. So a producer
 * that has pushed, and then finds the lock taken, may leave: either the holder takes its task or
 * the holder's unlock says that it is there. That takes no fence: it is all one word.
 *
 * empty is true only when every task whose push the caller knows of has been taken out.
 */
#define NAP_OVERFLOW treiber

#include "arch/atomic.h"
#include "queue/kind.h"

#include "queue_turned_away.h"

/* ---- one that was turned away */

CHECK_SCENARIO(treiber_unlock_tells,
	.about = "treiber: unlock tells of a task whose producer was turned away",
	.setup = begin_with_one, .finally = judge_announced,
	.threads = { { consume_all, NULL, "consumer" },
		     { push_and_consume, THREAD(1), "producer" } });

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

/* ---- empty */

static bool said_empty;

static void look(void *arg)
{
	(void)arg;
	said_empty = overflow_empty(&queue);
}

static void judge_empty(void)
{
	if (said_empty && taken[CONSUMER].nr == 0)
		check_fail("called empty while a task was there");
	queue_drain();
	jobs_judge(2);
}

CHECK_SCENARIO(treiber_empty,
	.about = "treiber: empty is not said of a queue whose task nobody has taken",
	.setup = begin_with_one, .finally = judge_empty,
	.threads = { { consume, THREAD(1), "consumer" }, { push_one, THREAD(1), "producer" },
		     { look, NULL, "looker" } });
