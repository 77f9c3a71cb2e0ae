/* SPDX-License-Identifier: MIT */
/*
 * Tests the contract on nap's queues. The program is built with every variant of the library, and
 * also as stress/contract.
 */
#include "compare/contract.h"

#include "queue/ring.h"
#include "queue/treiber.h"
#include "queue/vyukov.h"

static void nothing(void)
{
}

static struct element *element_of(struct nap_task *task)
{
	return task ? nap_container_of(task, struct element, node) : NULL;
}

/*
 * The unbounded queues. Consumer 0 takes one task under a lock, consumer 1 up to two, and so on.
 * A consumer keeps the tasks beyond the first for its next calls.
 */
static struct nap__queue queue;
static struct nap_batch kept[MAX_CONSUMERS];

static void queue_init(void)
{
	memset(&queue, 0, sizeof(queue));
	memset(kept, 0, sizeof(kept));
}

#define UNBOUNDED(kind, is_fifo)							\
static bool kind##_enqueue_list(struct element *first, unsigned int n)			\
{											\
	for (unsigned int i = 0; i < n; i++)						\
		first[i].node.next = i + 1 < n ? &first[i + 1].node : NULL;		\
	kind##_push(&queue, &first->node, &first[n - 1].node);				\
	return true;									\
}											\
static bool kind##_enqueue(struct element *e)						\
{											\
	return kind##_enqueue_list(e, 1);						\
}											\
static struct element *kind##_dequeue(unsigned int who)					\
{											\
	struct nap__consumer c;								\
	struct nap_task *task;								\
											\
	if (kept[who].count == 0 && kind##_lock(&queue, &c)) {				\
		while (kept[who].count <= who && (task = kind##_pop(&c)))		\
			nap_batch_push(&kept[who], task);				\
		kind##_unlock(&c);							\
	}										\
	return element_of(nap_batch_pop(&kept[who]));					\
}											\
QUEUE(kind, .fifo = is_fifo, .init = queue_init, .fini = nothing,			\
      .enqueue = kind##_enqueue, .enqueue_list = kind##_enqueue_list,			\
      .dequeue = kind##_dequeue);

UNBOUNDED(treiber, false)
UNBOUNDED(treiber_fifo, true)
UNBOUNDED(vyukov, true)

/*
 * The ring: the producer owns it; every consumer steals one task at a time, or half into a ring
 * of its own.
 */
static struct nap__ring ring, own[MAX_CONSUMERS];

static void rings_init(void)
{
	ring_init(&ring);
	for (int i = 0; i < MAX_CONSUMERS; i++)
		ring_init(&own[i]);
}

static bool ring_enqueue(struct element *e)
{
	struct nap_task *head = &e->node;

	return ring_push(&ring, &head, head) == 1;
}

static struct element *ring_dequeue_one(unsigned int who)
{
	(void)who;
	return element_of(ring_steal_one(&ring));
}

static struct element *ring_dequeue_half(unsigned int who)
{
	struct nap_task *task = ring_pop(&own[who]);
	uint32_t moved;

	return element_of(task ? task : ring_steal(&ring, &own[who], &moved));
}

QUEUE(ring_one, .fifo = true, .producers = 1, .init = rings_init, .fini = nothing,
      .enqueue = ring_enqueue, .dequeue = ring_dequeue_one);
QUEUE(ring_half, .fifo = true, .producers = 1, .init = rings_init, .fini = nothing,
      .enqueue = ring_enqueue, .dequeue = ring_dequeue_half);

TEST_HARNESS_MAIN
