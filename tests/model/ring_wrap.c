/* SPDX-License-Identifier: MIT */
/*
 * The ring of src/queue/ring.h when it is small and full and its indices pass 2^32, while thieves
 * steal. A slot may be written anew while a thief copies it. A thief may read a head that is
 * older than its tail by a whole round, or a tail that is older than its head. A thief must not
 * believe what it has copied from such a slot. Invariants: no task is lost, none runs twice, and
 * a thread that takes several tasks takes them oldest first.
 */
#define NAP_RING_SIZE	2
#define NAP_RING_START	0xffffffffu

#include "queue/ring.h"

#include "ring_setup.h"

static void begin(void)
{
	rings_init(NAP_RING_SIZE);
}

static void judge_three(void)
{
	rings_judge(3);
}

static void judge_four(void)
{
	rings_judge(4);
}

static void pop_and_push(uint32_t number)
{
	job_run(ring_pop(&ring));
	ring_push_jobs(&ring, number, 1);
}

static void owner_once(void *arg)
{
	(void)arg;
	pop_and_push(2);
}

static void owner_twice(void *arg)
{
	(void)arg;
	pop_and_push(2);
	pop_and_push(3);
}

/*
 * Job 2 goes into the slot of job 0, whichever thread takes job 0, perhaps while thieves read the
 * slot.
 */
CHECK_SCENARIO(ring_wrap_two_thieves,
	.about = "small ring: a slot is written anew while two thieves copy it",
	.setup = begin, .finally = judge_three,
	.threads = { { owner_once, NULL, "owner" }, { steal_half, &thief_ring[0], "thief 0" },
		     { steal_half, &thief_ring[1], "thief 1" } });

/* The owner goes round twice: an old head lies up to four tasks behind the tail. */
CHECK_SCENARIO(ring_wrap_round,
	.about = "small ring: the head that a thief reads is older than its tail by a round",
	.setup = begin, .finally = judge_four,
	.threads = { { owner_twice, NULL, "owner" }, { steal_half, &thief_ring[0], "thief" } });

CHECK_SCENARIO(ring_wrap_steal_one,
	.about = "small ring: the same with thieves that take the oldest task only",
	.setup = begin, .finally = judge_four,
	.threads = { { owner_twice, NULL, "owner" }, { steal_one, NULL, "helper 0" },
		     { steal_one, NULL, "helper 1" } });

/*
 * Counts the tasks. The head is read before the tail: if the ring has gone round twice in between,
 * the difference of the two may be four.
 */
static void count(void *arg)
{
	uint32_t n = ring_count(&ring);

	(void)arg;
	CHECK(n <= NAP_RING_SIZE);
}

CHECK_SCENARIO(ring_wrap_count,
	.about = "small ring: a count is never over the ring's size, however old its head",
	.setup = begin, .finally = judge_four,
	.threads = { { owner_twice, NULL, "owner" }, { steal_one, NULL, "helper" },
		     { count, NULL, "counter" } });

/* ---- the thief's own ring has wrapped, too */

/*
 * The thief steals twice: the second time into slots that another thief has read, or still reads.
 */
CHECK_SCENARIO(ring_wrap_stolen_again,
	.about = "small ring: what is stolen is stolen again, while the thief goes on stealing",
	.setup = begin, .finally = judge_three,
	.threads = { { owner_once, NULL, "owner" }, { steal_half_twice, &thief_ring[0], "thief" },
		     { steal_from_thief, &thief_ring[1], "thief's thief" } });
