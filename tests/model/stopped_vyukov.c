/* SPDX-License-Identifier: MIT */
/*
 * Vyukov's unbounded queue when a producer or a consumer stops for ever in the middle of an
 * operation. Producers wait for no thread, and consumers return. But a producer that stops
 * between its exchange and its link (the gap) hides the tasks after its own, and also the task
 * right before its own: a consumer may not take the last task that is linked, because a producer
 * is about to write that task's link.
 */
#define NAP_OVERFLOW vyukov

#include "arch/atomic.h"
#include "queue/kind.h"

#include "queue_stopped.h"

#define STOPPER	0u

/* ---- a producer stops */

/* Volatile, so that it is set before the end, at which the producer may stop. */
static volatile bool pushed;

static void push_and_say(void *number)
{
	push_one(number);
	pushed = true;
}

/*
 * Jobs 0 and 1 were there before; the producer that may stop pushes job 2, another pushes job 3.
 * A producer that stops before its exchange leaves job 2 missing. If it stops in the gap, job 2 is
 * behind job 3, behind the stub, or behind job 1.
 */
static void judge_producer(void)
{
	uint32_t missing;

	queue_drain();
	missing = jobs_missing(4);
	if (pushed)
		CHECK(missing == 0);
	else
		CHECK(missing == 0x4 || missing == 0xc || missing == 0xe);
	CHECK(pushed || check_stopped(STOPPER));
}

/* Whether job 1 is hidden: it was linked before the scenario began, and no thread has taken it. */
static bool hides_the_one_before(void)
{
	return jobs_missing(4) == 0xe;
}

CHECK_SCENARIO(stopped_vyukov_producer,
	.about = "vyukov: a producer stops in the gap: consumers return, "
		 "another producer completes",
	.setup = begin_with_two, .finally = judge_producer, .may_stop = 1u << STOPPER,
	.exists = hides_the_one_before, .allowed = CHECK_RC11,
	.threads = { { push_and_say, THREAD(2), "P0" }, { push_one, THREAD(3), "P1" },
		     { consume, THREAD(JOBS), "C" } });

/* Checks, after a push, that a queue with a gap is not called empty. */
static void look(void *arg)
{
	(void)arg;
	CHECK(!overflow_empty(&queue));
}

static void judge_lookers(void)
{
	queue_drain();
	CHECK(!(jobs_missing(3) & 1));
	CHECK(pushed || check_stopped(STOPPER));
}

CHECK_SCENARIO(stopped_vyukov_two_consumers,
	.about = "vyukov: in front of a gap two consumers return, and what was linked is had",
	.setup = begin_with_two, .finally = judge_lookers, .may_stop = 1u << STOPPER,
	.threads = { { push_and_say, THREAD(2), "P" }, { consume, THREAD(JOBS), "C0" },
		     { consume, THREAD(1), "C1" } });

static void push_and_look(void *number)
{
	push_one(number);
	look(NULL);
}

CHECK_SCENARIO(stopped_vyukov_empty,
	.about = "vyukov: a producer behind a gap does not find the queue empty",
	.setup = queue_name, .may_stop = 1u << STOPPER,
	.threads = { { push_one, THREAD(0), "P0" }, { push_and_look, THREAD(1), "P1" } });

/* ---- a consumer stops */

/* A job may be missing: the stopped consumer holds the lock that is needed to take it. */
static void judge_consumer(void)
{
	uint32_t missing;

	queue_drain();
	missing = jobs_missing(4);
	CHECK(!missing || check_stopped(STOPPER));
	CHECK(!missing || (queue.pop & VYUKOV_CONSUMING));
}

static bool holds_all(void)
{
	return jobs_missing(4) == 0xf;
}

CHECK_SCENARIO(stopped_vyukov_consumer,
	.about = "vyukov: a consumer stops with the lock: others are turned away, producers go on",
	.setup = begin_with_two, .finally = judge_consumer, .may_stop = 1u << STOPPER,
	.exists = holds_all, .allowed = CHECK_RC11,
	.threads = { { consume, THREAD(JOBS), "C0" }, { consume, THREAD(1), "C1" },
		     { push_one, THREAD(2), "P0" }, { push_one, THREAD(3), "P1" } });
