/* SPDX-License-Identifier: MIT */
/*
 * A full ring: half of it and what is new move to the overflow as one list, as push_own() of
 * src/sched/schedule_as.c does it, while thieves steal from the ring and from the overflow. No task
 * is lost, none runs twice, whichever way it went; what a task points to is seen by the thread that
 * runs it.
 */
#ifndef NAP_RING_SIZE
#define NAP_RING_SIZE	4
#define NAP_RING_START	0xfffffffdu
#endif

#ifndef NAP_OVERFLOW
#define NAP_OVERFLOW treiber
#endif

#include "queue/ring.h"
#include "queue/kind.h"

#include "ring_setup.h"

/* Each kind's scenarios have names of their own. */
#define NAME(id) NAP__CALL(overflow_##id##_, NAP_OVERFLOW)

/* Full, with as many jobs as fit. */
static void begin(void)
{
	queue_name();
	rings_init(NAP_RING_SIZE);
}

static void judge(uint32_t nr)
{
	rings_drain();
	queue_drain();
	jobs_judge(nr);
}

static void judge_one(void)
{
	judge(NAP_RING_SIZE + 1);
}

static void judge_two(void)
{
	judge(NAP_RING_SIZE + 2);
}

/* As push_own(), of which the counting is left out. */
static void push_own(uint32_t number, uint32_t n)
{
	struct nap_batch batch = job_batch(number, n);
	struct nap_task *head = batch.head, *first, *last;

	ring_push(&ring, &head, batch.tail);
	while (head) {
		if (ring_migrate(&ring, &first, &last)) {
			last->next = head;
			overflow_push(&queue, first, batch.tail);
			return;
		}
		/* Thieves have made room by then. */
		ring_push(&ring, &head, batch.tail);
	}
}

static void owner_of_one(void *arg)
{
	(void)arg;
	push_own(NAP_RING_SIZE, 1);
}

static void owner_of_two(void *arg)
{
	(void)arg;
	push_own(NAP_RING_SIZE, 2);
}

/* As nap__refill_overflow() of src/sched/steal.c: the next one, and those after it into the own ring. */
static struct nap_task *refill(struct nap__ring *own)
{
	struct nap__consumer c;
	struct nap_task *first, *task;
	uint32_t n = 0;

	if (!overflow_lock(&queue, &c))
		return NULL;
	first = overflow_pop(&c);
	while (first && n < NAP_RING_SIZE / 2 && (task = overflow_pop(&c)))
		ring_put(own, n++, task);
	if (n)
		ring_commit(own, n);
	queue_unlock(&c);
	return first;
}

/* First from the overflow, then from the ring, as a worker does that steals. */
static void thief(void *own)
{
	if (job_run(refill(own)))
		job_run(ring_pop(own));
	else
		ring_steal_and_run(&ring, own);
}

/* A list of one or of two that does not fit, and thieves that may make room for some or for all. */
KIND_SCENARIO(NAME(one),
	.about = "a full ring moves half to the overflow while two thieves steal",
	.setup = begin, .finally = judge_one,
	.threads = { { owner_of_one, NULL, "owner" }, { thief, &thief_ring[0], "thief 0" },
		     { thief, &thief_ring[1], "thief 1" } });

KIND_SCENARIO(NAME(two),
	.about = "the same with two new tasks, of which only one may fit",
	.setup = begin, .finally = judge_two,
	.threads = { { owner_of_two, NULL, "owner" }, { thief, &thief_ring[0], "thief 0" },
		     { steal_half, &thief_ring[1], "thief 1" } });

/* ---- from the overflow into a ring, and stolen from there */

static void owner_who_overflows(void *arg)
{
	push_own(NAP_RING_SIZE, 2);
	(void)arg;
	job_run(ring_pop(&ring));
}

/* Overflow, a thief's ring, another's: the last one knows the owner by two others only. */
KIND_SCENARIO(NAME(stolen_again),
	.about = "from the overflow into a thief's ring, and stolen from there",
	.setup = begin, .finally = judge_two,
	.threads = { { owner_who_overflows, NULL, "owner" }, { thief, &thief_ring[0], "thief" },
		     { steal_from_thief, &thief_ring[1], "thief's thief" } });
