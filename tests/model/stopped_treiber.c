/* SPDX-License-Identifier: MIT */
/*
 * The unbounded queue on a Treiber stack when a producer or a consumer stops for ever in the
 * middle of an operation. A stopped producer delays nothing. A stopped consumer that has the lock
 * delays the tasks in the queue, but no thread: producers push, and other consumers are turned
 * away and return.
 */
#ifndef NAP_OVERFLOW
#define NAP_OVERFLOW treiber
#endif

#include "arch/atomic.h"
#include "queue/kind.h"

#include "queue_stopped.h"

/* Each kind of queue has scenarios with names of their own. */
#define NAME(id) NAP__CALL(stopped_##id##_, NAP_OVERFLOW)

#define STOPPER	0u

/* ---- a producer stops */

/* Volatile, so that it is set before the next operation, at which the producer may stop. */
static volatile uint32_t pushed;

static void push_three(void *first)
{
	uint32_t number = (uint32_t)(uintptr_t)first;

	queue_push_job(number);
	pushed |= JOB_BIT(number);
	queue_push_batch(number + 1, 2);
	pushed |= JOB_BIT(number + 1) | JOB_BIT(number + 2);
}

static void judge_producer(void)
{
	queue_drain();
	CHECK(overflow_empty(&queue));
	judge_missing(6, 0x38 & ~pushed);
}

KIND_SCENARIO(NAME(producer),
	.about = "treiber: a producer stops in its push: all that is pushed is had",
	.setup = begin_with_two, .finally = judge_producer, .may_stop = 1u << STOPPER,
	.threads = { { push_three, THREAD(3), "P0" }, { push_one, THREAD(2), "P1" },
		     { consume, THREAD(JOBS), "C" } });

/* ---- a consumer stops */

/* A job may be missing: the stopped consumer holds the lock that is needed to take it. */
static void judge_consumer(void)
{
	uint32_t missing;

	queue_drain();
	missing = jobs_missing(4);
	CHECK(!missing || check_stopped(STOPPER));
	CHECK(!missing || (queue.push & TREIBER_CONSUMING));
}

/*
 * Whether the stopped consumer holds up what was pushed after it had locked, although both
 * producers and the other consumer have ended.
 */
static bool holds_up(void)
{
	return jobs_missing(4) == 0xc;
}

KIND_SCENARIO(NAME(consumer),
	.about = "treiber: a consumer stops with the lock: others are turned away, producers go on",
	.setup = begin_with_two, .finally = judge_consumer, .may_stop = 1u << STOPPER,
	.exists = holds_up, .allowed = CHECK_RC11,
	.threads = { { consume, THREAD(JOBS), "C0" }, { consume, THREAD(JOBS), "C1" },
		     { push_one, THREAD(2), "P0" }, { push_one, THREAD(3), "P1" } });

/* Whether the consumer stopped without the lock, and so holds nothing. */
static bool locked_by_nobody(void)
{
	return check_stopped(STOPPER) && !jobs_missing(4);
}

KIND_SCENARIO(NAME(visitor),
	.about = "treiber: one who stops outside of the lock holds nothing up",
	.setup = begin_with_two, .finally = judge_consumer, .may_stop = 1u << STOPPER,
	.exists = locked_by_nobody, .allowed = CHECK_RC11,
	.threads = { { consume, THREAD(1), "C0" }, { consume, THREAD(JOBS), "C1" },
		     { push_one, THREAD(2), "P0" }, { push_one, THREAD(3), "P1" } });
