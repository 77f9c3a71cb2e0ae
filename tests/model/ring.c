/* SPDX-License-Identifier: MIT */
/*
 * The ring of src/queue/ring.h with four slots, whose indices pass 2^32 with the third task: the
 * owner pushes and pops while thieves steal. Invariants, in every scenario: no task is lost or
 * runs twice, and a thread that takes several tasks takes them oldest first.
 */
#define NAP_RING_SIZE	4
#define NAP_RING_START	0xfffffffeu

#include "queue/ring.h"

#include "ring_setup.h"

static void begin(void)
{
	rings_init(0);
}

static void begin_with_three(void)
{
	rings_init(3);
}

static void judge_four(void)
{
	rings_judge(4);
}

/* ---- owner and two thieves */

static void owner(void *arg)
{
	(void)arg;
	ring_push_jobs(&ring, 0, 1);
	ring_push_jobs(&ring, 1, 2);
	job_run(ring_pop(&ring));
	ring_push_jobs(&ring, 3, 1);
	job_run(ring_pop(&ring));
}

/*
 * The owner pushes tasks one by one and as a list, and pops; each thief takes half. A test of
 * [R1] in ordering.rst.
 */
CHECK_SCENARIO(ring_two_thieves,
	.about = "ring: push, pop and two thieves: no task is lost, none runs twice, oldest first",
	.setup = begin, .finally = judge_four,
	.threads = { { owner, NULL, "owner" }, { steal_half_twice, &thief_ring[0], "thief 0" },
		     { steal_half, &thief_ring[1], "thief 1" } });

/* ---- thieves without a ring */

static void steal_one_twice(void *arg)
{
	steal_one(arg);
	steal_one(arg);
}

/* A helper from outside takes only the oldest task, whatever the thieves with rings do. */
CHECK_SCENARIO(ring_steal_one,
	.about = "ring: thieves that take the oldest task only, beside one that takes half",
	.setup = begin, .finally = judge_four,
	.threads = { { owner, NULL, "owner" }, { steal_one_twice, NULL, "helper" },
		     { steal_half, &thief_ring[0], "thief" } });

/* ---- tasks that are stolen from a thief */

static void owner_of_four(void *arg)
{
	(void)arg;
	ring_push_jobs(&ring, 0, 4);
	job_run(ring_pop(&ring));
}

/*
 * The second thief has never read the owner's ring: the first thief's commit passes on what the
 * owner wrote [R1].
 */
CHECK_SCENARIO(ring_stolen_again,
	.about = "ring: what was stolen into a ring is stolen from there",
	.setup = begin, .finally = judge_four,
	.threads = { { owner_of_four, NULL, "owner" }, { steal_half, &thief_ring[0], "thief" },
		     { steal_from_thief, &thief_ring[1], "thief's thief" } });

/* ---- counting */

/*
 * Counts. Of the three tasks that were there before at most two are taken, so at least one is
 * there all the time. The owner pushes one more, so there are never more than four.
 */
static void count(void *arg)
{
	uint32_t n = ring_count(&ring);

	(void)arg;
	CHECK(n >= 1 && n <= 4);
}

/* Pops and pushes. Three tasks are there and one helper takes one, so the pop finds a task. */
static void pop_and_push(void *arg)
{
	(void)arg;
	CHECK(job_run(ring_pop(&ring)));
	ring_push_jobs(&ring, 3, 1);
}

CHECK_SCENARIO(ring_count,
	.about = "ring: a count never misses a task that nobody takes, and is never over the size",
	.setup = begin_with_three, .finally = judge_four,
	.threads = { { pop_and_push, NULL, "owner" }, { steal_one, NULL, "helper" },
		     { count, NULL, "counter" } });
