/* SPDX-License-Identifier: MIT */
/*
 * One that was turned away: a producer that has pushed a task, and then finds the consumer's lock
 * taken, may leave, because it or the holder is told of the task. On a queue that has one task. For
 * the kind of unbounded queue that queue_fixture.h was included for.
 */
#ifndef MODEL_QUEUE_TURNED_AWAY_H
#define MODEL_QUEUE_TURNED_AWAY_H

#include "queue_fixture.h"

#define CONSUMER	0u
#define PRODUCER	1u

static bool locked[2];

static void begin_with_one(void)
{
	queue_name();
	queue_push_job(0);
}

/* Runs all it finds, or nothing; and writes down what unlock said. */
static void consume_all(void *arg)
{
	struct nap__consumer c;
	unsigned int self = check_self();

	(void)arg;
	locked[self] = overflow_lock(&queue, &c);
	if (!locked[self])
		return;
	queue_run(&c, JOBS);
	queue_unlock(&c);
}

static void push_and_consume(void *number)
{
	push_one(number);
	consume_all(NULL);
}

/* .finally: a task that is left was announced. */
static void judge_announced(void)
{
	if (queue_drain() > 0 && !told[CONSUMER] && !told[PRODUCER])
		check_fail("a task was left, its producer turned away, and nobody was told");
	if (!locked[PRODUCER])
		CHECK(locked[CONSUMER]);
	jobs_judge(2);
}

#endif /* MODEL_QUEUE_TURNED_AWAY_H */
