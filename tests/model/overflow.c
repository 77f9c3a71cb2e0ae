/* SPDX-License-Identifier: MIT */
/*
 * A full ring: the owner moves half of the ring and the new tasks to the overflow as one list, as
 * push_own() of src/sched/schedule_as.c does, while thieves steal from the ring and from the
 * overflow. Invariants: no task is lost or runs twice, whichever way it went; the thread that
 * runs a task sees what the task points to.
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

/* Each kind of queue has scenarios with names of their own. */
#define NAME(id) NAP__CALL(overflow_##id##_, NAP_OVERFLOW)

/* Setup: the ring is full. */
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

/* Pushes as push_own() does, without the counting. */
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
		/* By now thieves have made room. */
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

/*
 * Returns the overflow's next task, and moves the tasks after it into @own, as
 * nap__refill_overflow() of src/sched/steal.c does.
 */
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

/* Steals from the overflow first, and then from the ring, as a worker does. */
static void thief(void *own)
{
	if (job_run(refill(own)))
		job_run(ring_pop(own));
	else
		ring_steal_and_run(&ring, own);
}

/*
 * A list of one or two tasks does not fit, and thieves may make room for some or for all of the
 * list.
 */
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

/*
 * A task goes from the overflow to a thief's ring, and from there to a second thief. The second
 * thief is ordered after the owner only by way of two other threads.
 */
KIND_SCENARIO(NAME(stolen_again),
	.about = "from the overflow into a thief's ring, and stolen from there",
	.setup = begin, .finally = judge_two,
	.threads = { { owner_who_overflows, NULL, "owner" }, { thief, &thief_ring[0], "thief" },
		     { steal_from_thief, &thief_ring[1], "thief's thief" } });
