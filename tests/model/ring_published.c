/* SPDX-License-Identifier: MIT */
/*
 * Two faults of the ring as it was published (the blog text on Zap, "Going Lock-Free: Bounded").
 *
 * steal() is off by one. It has put the stolen tasks at the thief's tail; then it sets the tail
 * to new_tail - 1, and returns buffer[new_tail % N], which is past the stolen tasks. The youngest
 * task is lost, and steal() returns whatever that slot holds.
 *
 * pop() returns buffer[head % N] after its own compare-exchange has moved head: not the task that
 * it has taken, but the next one.
 *
 * Both faults are found under every memory model. The last scenario is the same client on nap's
 * ring.
 */
#define NAP_RING_SIZE	4

#include <stdatomic.h>

#include "queue/ring.h"

#include "queue_fixture.h"

#define SIZE	4u

struct published_ring {
	_Atomic uint32_t head, tail;
	_Atomic(struct nap_task *) buffer[SIZE];
};

static struct published_ring published, published_thief;

static void published_push(struct published_ring *ring, struct nap_task *task)
{
	uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	CHECK(tail - atomic_load_explicit(&ring->head, memory_order_relaxed) < SIZE);
	atomic_store_explicit(&ring->buffer[tail % SIZE], task, memory_order_relaxed);
	atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

static bool published_take(struct published_ring *ring, uint32_t *head, uint32_t n,
			   memory_order order)
{
	return atomic_compare_exchange_strong_explicit(&ring->head, head, *head + n, order,
						       memory_order_relaxed);
}

static struct nap_task *published_slot(struct published_ring *ring, uint32_t index)
{
	return atomic_load_explicit(&ring->buffer[index % SIZE], memory_order_relaxed);
}

static struct nap_task *published_pop(struct published_ring *ring)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	while (head != atomic_load_explicit(&ring->tail, memory_order_relaxed))
		if (published_take(ring, &head, 1, memory_order_acquire))
			return published_slot(ring, atomic_load_explicit(&ring->head,
									 memory_order_relaxed));
	return NULL;
}

/* Pops as the text describes it: returns the slot of the head that was taken. */
static struct nap_task *intended_pop(struct published_ring *ring)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	while (head != atomic_load_explicit(&ring->tail, memory_order_relaxed))
		if (published_take(ring, &head, 1, memory_order_acquire))
			return published_slot(ring, head);
	return NULL;
}

static struct nap_task *published_steal(struct published_ring *ring, struct published_ring *into)
{
	uint32_t into_tail = atomic_load_explicit(&into->tail, memory_order_relaxed);

	for (;;) {
		uint32_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
		uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
		uint32_t count = tail - head, half = count - count / 2;

		if (count == 0)
			return NULL;
		if (count > SIZE) {
			check_yield();
			continue;
		}
		for (uint32_t i = 0; i < half; i++)
			atomic_store_explicit(&into->buffer[(into_tail + i) % SIZE],
					      published_slot(ring, head + i), memory_order_relaxed);
		if (published_take(ring, &head, half, memory_order_acq_rel)) {
			into_tail += half;
			atomic_store_explicit(&into->tail, into_tail - 1, memory_order_release);
			return published_slot(into, into_tail);
		}
		check_yield();
	}
}

/* ---- the client, on either ring: jobs 0 to 2 are there, one thread pops, the other steals */

static struct nap__ring ring, thief_ring;

static void begin(void)
{
	ring_init(&ring);
	ring_init(&thief_ring);
	ring_push_jobs(&ring, 0, 3);
}

static void begin_published(void)
{
	for (uint32_t i = 0; i < 3; i++)
		published_push(&published, job_make(i));
}

static void owner(void *arg)
{
	(void)arg;
	job_run(ring_pop(&ring));
}

static void thief(void *arg)
{
	(void)arg;
	ring_steal_and_run(&ring, &thief_ring);
}

static void judge(void)
{
	ring_drain(&ring);
	ring_drain(&thief_ring);
	jobs_judge(3);
}

static void owner_published_pop(void *arg)
{
	(void)arg;
	job_run(published_pop(&published));
}

static void owner_intended_pop(void *arg)
{
	(void)arg;
	job_run(intended_pop(&published));
}

static void thief_published_steal(void *arg)
{
	(void)arg;
	job_run(published_steal(&published, &published_thief));
}

static void judge_published(void)
{
	while (job_run(intended_pop(&published)) || job_run(intended_pop(&published_thief)))
		;
	jobs_judge(3);
}

CHECK_SCENARIO(ring_published_steal,
	.about = "published form: steal is off by one, the youngest of what it takes is lost",
	.setup = begin_published, .finally = judge_published,
	.threads = { { owner_intended_pop, NULL, "owner" },
		     { thief_published_steal, NULL, "thief" } },
	.models = CHECK_ALL, .finds = "is lost");

CHECK_SCENARIO(ring_published_pop,
	.about = "published form: pop returns the task behind the one it has taken",
	.setup = begin_published, .finally = judge_published,
	.threads = { { owner_published_pop, NULL, "owner" } },
	.models = CHECK_ALL, .finds = "runs twice");

CHECK_SCENARIO(ring_published_nap,
	.about = "the same on nap's ring: nothing is lost, nothing runs twice",
	.setup = begin, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { thief, NULL, "thief" } },
	.models = CHECK_ALL);
