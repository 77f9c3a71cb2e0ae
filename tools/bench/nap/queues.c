/* SPDX-License-Identifier: MIT */
/*
 * The queues alone: each of several threads puts an element in and takes one out. Each thread has
 * a ring of its own; the threads share the other two queues.
 */
#include "nap.h"

#include "common/threads.h"
#include "queue/ring.h"
#include "queue/treiber.h"
#include "queue/vyukov.h"

struct own {
	struct nap__ring ring;
	struct nap_task element nap__line;
};

static struct own own[THREADS_MAX];
static struct nap__queue queue;

static void ring_alone(unsigned thread, uint64_t n)
{
	struct nap__ring *ring = &own[thread].ring;
	struct nap_task *element = &own[thread].element;
	bool was_empty;

	for (uint64_t i = 0; i < n; i++) {
		ring_push_one(ring, element, &was_empty);
		element = ring_pop(ring);
	}
}

/* Tries again: another thread may have taken the element, or may hold the lock. */
#define UNBOUNDED(kind)							\
static struct nap_task *kind##_take(void)				\
{									\
	struct nap__consumer c;						\
	struct nap_task *element;					\
									\
	if (!kind##_lock(&queue, &c))					\
		return NULL;						\
	element = kind##_pop(&c);					\
	kind##_unlock(&c);						\
	return element;							\
}									\
static void kind##_alone(unsigned thread, uint64_t n)			\
{									\
	struct nap_task *element = &own[thread].element;		\
									\
	for (uint64_t i = 0; i < n; i++) {				\
		element->next = NULL;					\
		kind##_push(&queue, element, element);			\
		while (!(element = kind##_take()))			\
			nap_cpu_relax();				\
	}								\
}

UNBOUNDED(vyukov)
UNBOUNDED(treiber)

static void ring_begin(const struct size *unused)
{
	(void)unused;
	for (unsigned i = 0; i < THREADS_MAX; i++)
		ring_init(&own[i].ring);
}

/* ---- one task out of another thread's ring, without contention */

static void steal(unsigned thread, uint64_t n)
{
	struct nap_task *element = &own[thread].element;
	bool was_empty;

	for (uint64_t i = 0; i < n; i++) {
		ring_push_one(&own[thread].ring, element, &was_empty);
		element = ring_steal_one(&own[thread].ring);
	}
}

const struct row queue_rows[] = {
	ROW_ALONE("ring", ring_begin, ring_alone),
	ROW_ALONE("fifo", NULL, vyukov_alone),
	ROW_ALONE("stack", NULL, treiber_alone),
	ROW_ALONE("steal", NULL, steal),
	ROWS_END,
};
