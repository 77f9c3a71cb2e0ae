/* SPDX-License-Identifier: MIT */
/*
 * The ring of src/queue/ring.h when its owner, or a thief, stops for ever in the middle of an
 * operation. Invariants: the other threads complete their operations; jobs that the stopped
 * thread had not published, or had taken out, are lost; all other jobs can be taken, once.
 */
#define NAP_RING_SIZE	4
#define NAP_RING_START	0xfffffffeu
#define NAP_OVERFLOW	treiber

#include "queue/ring.h"
#include "queue/kind.h"

#include "queue_stopped.h"
#include "ring_setup.h"

#define OWNER	0u
#define THIEF	1u

/*
 * The jobs that the owner has made and not published, or has taken out of its ring. Volatile, so
 * that it is set before the next operation, at which the owner may stop.
 */
static volatile uint32_t in_hand;

static void begin(void)
{
	queue_name();
	rings_init(0);
}

static void begin_with_three(void)
{
	rings_init(3);
}

static void begin_full(void)
{
	queue_name();
	rings_init(NAP_RING_SIZE);
}

/* .finally: takes all jobs as a thief, which owns none of the rings. */
static void have_all(void)
{
	struct nap__ring *rings[] = { &ring, &thief_ring[0], &thief_ring[1] };

	for (uint32_t i = 0; i < 3; i++)
		while (job_run(ring_steal_one(rings[i])))
			;
	queue_drain();
}

/* ---- the owner stops: ring_push, ring_pop */

static void push_own_jobs(uint32_t first, uint32_t n)
{
	in_hand |= (JOB_BIT(n) - 1) << first;
	ring_push_jobs(&ring, first, n);
	in_hand = 0;
}

static void owner(void *arg)
{
	(void)arg;
	push_own_jobs(0, 1);
	push_own_jobs(1, 2);
	job_run(ring_pop(&ring));
	push_own_jobs(3, 1);
	job_run(ring_pop(&ring));
}

/* Judges the owner. Jobs that were never made are missing, too. */
static void judge_owner(void)
{
	uint32_t made = (uint32_t)(ring.tail - NAP_RING_START);

	jobs_judge_order();
	have_all();
	judge_missing(4, 0xfu & ~(JOB_BIT(made) - 1));
	CHECK(!in_hand || check_stopped(OWNER));
}

CHECK_SCENARIO(stopped_ring_owner,
	.about = "ring: its owner stops in push or pop: thieves complete, "
		 "what was published is had",
	.setup = begin, .finally = judge_owner, .may_stop = 1u << OWNER,
	.threads = { { owner, NULL, "owner" }, { steal_half, &thief_ring[0], "thief 0" },
		     { steal_half, &thief_ring[1], "thief 1" } });

/* ---- the owner stops: a full ring, ring_migrate, on to the overflow */

/* Pushes into a full ring, as push_own() of src/sched/schedule_as.c does. */
static void overflow_own(void *arg)
{
	const uint32_t new = NAP_RING_SIZE;
	struct nap_batch batch = job_batch(new, 2);
	struct nap_task *head = batch.head, *first, *last;
	uint32_t out, fit;

	(void)arg;
	in_hand = JOB_BIT(new) | JOB_BIT(new + 1);
	for (;;) {
		fit = ring_push(&ring, &head, batch.tail);
		in_hand &= ~(((JOB_BIT(fit) - 1) << (new + 2 - batch.count)));
		batch.count -= fit;
		if (!head)
			return;
		out = ring_migrate(&ring, &first, &last);
		if (out)
			break;
	}
	for (uint32_t i = 0; i < out; i++)
		in_hand |= JOB_BIT(job_number(first) + i);
	last->next = head;
	overflow_push(&queue, first, batch.tail);
	in_hand = 0;
}

static void take_overflow(void *arg)
{
	bool more = false;

	(void)arg;
	job_run(overflow_take(&queue, &more));
}

static void judge_overflow(void)
{
	have_all();
	judge_missing(NAP_RING_SIZE + 2, in_hand);
	CHECK(!in_hand || check_stopped(OWNER));
}

CHECK_SCENARIO(stopped_ring_migrate,
	.about = "ring: its owner stops on the way to the overflow, half a ring in its hands",
	.setup = begin_full, .finally = judge_overflow, .may_stop = 1u << OWNER,
	.threads = { { overflow_own, NULL, "owner" }, { steal_half, &thief_ring[0], "thief" },
		     { take_overflow, NULL, "thief of the overflow" } });

/* ---- a thief stops: ring_steal, and what follows from it */

static void pop_and_push(void *arg)
{
	(void)arg;
	job_run(ring_pop(&ring));
	ring_push_jobs(&ring, 3, 1);
	job_run(ring_pop(&ring));
}

static bool is_uncommitted(const struct nap_task *task)
{
	for (uint32_t i = 0; i < NAP_RING_SIZE; i++)
		if (*ring_slot(&thief_ring[0], thief_ring[0].tail + i) == task)
			return true;
	return false;
}

/*
 * Judges the thief. The jobs of one steal may be missing. These are neighbours, at most half of
 * the ring; all except the oldest are in the thief's ring, not committed yet.
 */
static void judge_thief(void)
{
	uint32_t missing, oldest;

	have_all();
	missing = jobs_missing(4);
	if (!missing)
		return;
	CHECK(check_stopped(THIEF));
	oldest = (uint32_t)__builtin_ctz(missing);
	CHECK(missing == JOB_BIT(oldest) || missing == JOB_BIT(oldest) * 3);
	CHECK(missing == JOB_BIT(oldest) || is_uncommitted(&jobs[oldest + 1].task));
}

static bool holds_two(void)
{
	return __builtin_popcount(jobs_missing(4)) == 2;
}

CHECK_SCENARIO(stopped_ring_thief,
	.about = "ring: a thief stops in its steal: owner and another thief complete, "
		 "and have the rest",
	.setup = begin_with_three, .finally = judge_thief, .may_stop = 1u << THIEF,
	.exists = holds_two, .allowed = CHECK_RC11,
	.threads = { { pop_and_push, NULL, "owner" }, { steal_half, &thief_ring[0], "thief 0" },
		     { steal_half, &thief_ring[1], "thief 1" } });

/* Judges the helper from outside, which takes one job at a time, and so holds no other job. */
static void judge_helper(void)
{
	have_all();
	judge_missing(4, 0);
}

CHECK_SCENARIO(stopped_ring_helper,
	.about = "ring: one who takes the oldest task only stops: the others have all the rest",
	.setup = begin_with_three, .finally = judge_helper, .may_stop = 1u << THIEF,
	.threads = { { pop_and_push, NULL, "owner" }, { steal_one, NULL, "helper" },
		     { steal_half, &thief_ring[1], "thief" } });
