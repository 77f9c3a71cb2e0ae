/* SPDX-License-Identifier: MIT */
/*
 * The ring of src/queue/ring.h: its owner pushes and pops while thieves steal. Four slots, and
 * indices that pass 2^32 with the third task. In all of them: no task is lost, none runs twice, and
 * a thread that takes several takes them oldest first.
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

/* Tasks one by one and as a list; the owner pops, each thief takes half. Shows [R1]. */
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

/* A helper from outside takes the oldest only, whatever the thieves with rings do. */
CHECK_SCENARIO(ring_steal_one,
	.about = "ring: thieves that take the oldest task only, beside one that takes half",
	.setup = begin, .finally = judge_four,
	.threads = { { owner, NULL, "owner" }, { steal_one_twice, NULL, "helper" },
		     { steal_half, &thief_ring[0], "thief" } });

/* ---- a thief whose loot is stolen */

static void owner_of_four(void *arg)
{
	(void)arg;
	ring_push_jobs(&ring, 0, 4);
	job_run(ring_pop(&ring));
}

/*
 * The one that steals from the thief has never looked at the owner's ring: the thief's commit
 * passes on what the owner wrote [R1].
 */
CHECK_SCENARIO(ring_stolen_again,
	.about = "ring: what was stolen into a ring is stolen from there",
	.setup = begin, .finally = judge_four,
	.threads = { { owner_of_four, NULL, "owner" }, { steal_half, &thief_ring[0], "thief" },
		     { steal_from_thief, &thief_ring[1], "thief's thief" } });

/* ---- counting */

/*
 * Two of three that were there before are taken at most: at least one is there all the time. The
 * owner pushes one more: there are never more than four.
 */
static void count(void *arg)
{
	uint32_t n = ring_count(&ring);

	(void)arg;
	CHECK(n >= 1 && n <= 4);
}

/* With three there and one helper, the pop finds one. */
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
