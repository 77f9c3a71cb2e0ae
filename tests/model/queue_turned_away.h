/* SPDX-License-Identifier: MIT */
/*
 * Two promises of each kind of unbounded queue, as scenarios on a queue with one task. The kind
 * is that for which queue_fixture.h was included.
 *
 * A producer that has pushed a task, and then finds the consumer's lock taken, may leave. An
 * unlock, by the lock's holder or by the producer, reports that a task is left.
 *
 * empty is true only when every task whose push the caller knows of has been taken out.
 */
#ifndef MODEL_QUEUE_TURNED_AWAY_H
#define MODEL_QUEUE_TURNED_AWAY_H

#include "queue_fixture.h"

#define CONSUMER	0u
#define PRODUCER	1u

static bool locked[2];

/* Runs all tasks, if the lock is free, and records what unlock said. */
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

/* .finally: checks that an unlock has reported a task that is left. */
static void judge_announced(void)
{
	if (queue_drain() > 0 && !told[CONSUMER] && !told[PRODUCER])
		check_fail("a task was left, its producer turned away, and nobody was told");
	if (!locked[PRODUCER])
		CHECK(locked[CONSUMER]);
	jobs_judge(2);
}

KIND_SCENARIO(NAP__CALL(NAP_OVERFLOW, _unlock_tells),
	.about = KIND ": unlock tells of a task whose producer was turned away",
	.setup = begin_with_one, .finally = judge_announced,
	.threads = { { consume_all, NULL, "consumer" },
		     { push_and_consume, THREAD(1), "producer" } });

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

/*
 * In a queue with a stub: the consumer puts the stub back. But a producer has pushed a task just
 * before the stub, and has not linked it yet, so the consumer leaves the first task. Now the push
 * end is the stub, although two tasks are there. The pop end was the stub, too, until the consumer
 * locked. So the looker, if it reads the new push end, must not read the old pop end [V1].
 */
KIND_SCENARIO(NAP__CALL(NAP_OVERFLOW, _empty),
	.about = KIND ": empty is not said of a queue whose task nobody has taken",
	.setup = begin_with_one, .finally = judge_empty,
	.threads = { { consume, THREAD(1), "consumer" }, { push_one, THREAD(1), "producer" },
		     { look, NULL, "looker" } });

#endif /* MODEL_QUEUE_TURNED_AWAY_H */
