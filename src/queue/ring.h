/* SPDX-License-Identifier: MIT */
/*
 * A worker's ring: bounded, lock-free, one producer, many consumers.
 *
 * Typically the owner writes a task into the slot at the tail and moves the tail on (a release),
 * and takes the task at the head by a compare-exchange of the head. A thief copies half of the
 * tasks between head and tail, and then moves the head past them by one compare-exchange.
 *
 *	                 owner's     owner's     owner's       thief's
 *	                 ring_push   ring_pop    ring_migrate  ring_steal*
 *	owner's              -           -           -            ok
 *	another thief's     ok          ok          ok            ok
 *
 * "Owner's" functions are called by the one thread that owns the ring (or by the thread that has
 * joined the owner). Tasks leave at the head, oldest first, whichever thread takes them; they enter
 * at the tail. The indices count for ever and wrap at 2^32; a slot is index modulo size.
 *
 * The ring is Go's run queue by way of Zap (the blog text, "Going Lock-Free: Bounded", whose steal
 * is off by one: it stores new_tail - 1 and returns the task beyond). Here the thief runs the
 * oldest task first and keeps the younger ones, so that the order is kept.
 *
 * Why a thief may copy slots before it has claimed them: its compare-exchange succeeds only if head
 * has not moved since the thief read it. The owner overwrites a slot of [head, tail) only after it
 * has seen head move past the slot [R2]. So the copied tasks are the right ones. (Head may also
 * have moved by a multiple of 2^32: if the thief was stopped for 24 seconds or more, and for
 * exactly that many dequeues. Then it takes tasks that ran long ago: Documentation/design.rst,
 * "Numbers that come round".)
 */
#ifndef NAP_QUEUE_RING_H
#define NAP_QUEUE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"

#ifndef NAP_RING_SIZE
#define NAP_RING_SIZE 256
#endif
#ifndef NAP_RING_START
#define NAP_RING_START 0u
#endif

_Static_assert(NAP_RING_SIZE >= 2 && (NAP_RING_SIZE & (NAP_RING_SIZE - 1)) == 0,
	       "the ring's size is a power of two, so that indices may wrap");

/*
 * Access letters: O: only the owner writes, A: atomic. Thieves write the first cache line, the
 * owner the others.
 */
struct nap__ring {
	uint32_t head nap__line;			/* A */
	uint32_t tail nap__line;			/* A, O */
	struct nap_task *slot[NAP_RING_SIZE] nap__line;	/* A, O */
};

static inline void ring_init(struct nap__ring *ring)
{
	ring->head = NAP_RING_START;
	ring->tail = NAP_RING_START;
}

static inline struct nap_task **ring_slot(struct nap__ring *ring, uint32_t index)
{
	return &ring->slot[index % NAP_RING_SIZE];
}

/* Any thread: returns how many tasks were in the ring at some time during the call. */
static inline uint32_t ring_count(struct nap__ring *ring)
{
	uint32_t head, tail;

	for (;;) {
		head = nap_load_relaxed(&ring->head);
		tail = nap_load_relaxed(&ring->tail);	/* relaxed, because no slot is read */
		if (tail - head <= NAP_RING_SIZE)
			return tail - head;
		nap_cpu_relax();	/* the tail was read too long after the head */
	}
}

/* Owner: returns how many slots may be written from the tail on. */
static inline uint32_t ring_room(struct nap__ring *ring)
{
	/*
	 * The thieves have read the slots before the owner overwrites them: pairs with the thieves'
	 * compare-exchange. [R2]
	 */
	return NAP_RING_SIZE - (ring->tail - nap_load_acquire(&ring->head));
}

/* Owner: writes slot @n after the tail; not visible before ring_commit(). */
static inline void ring_put(struct nap__ring *ring, uint32_t n, struct nap_task *task)
{
	nap_store_relaxed(ring_slot(ring, ring->tail + n), task);
}

/* Owner: publishes the @n tasks that were put. */
static inline void ring_commit(struct nap__ring *ring, uint32_t n)
{
	/*
	 * Publishes the slots, and the tasks' contents: pairs with the thieves' load of tail. [R1]
	 */
	nap_store_release(&ring->tail, ring->tail + n);
}

/*
 * Owner: moves tasks of the list *@head .. @last into the ring while there is room. Returns how
 * many were moved; *@head becomes the first task that did not fit, or NULL.
 */
static inline uint32_t ring_push(struct nap__ring *ring, struct nap_task **head,
				 struct nap_task *last)
{
	uint32_t room = ring_room(ring);
	struct nap_task *task = *head;
	uint32_t n = 0;

	while (task && n < room) {
		struct nap_task *next = task == last ? NULL : task->next;

		ring_put(ring, n++, task);
		task = next;
	}
	if (n)
		ring_commit(ring, n);
	*head = task;
	return n;
}

/* Owner: puts one task at the tail, and publishes it. False: there is no room. */
static inline bool ring_push_one(struct nap__ring *ring, struct nap_task *task, bool *was_empty)
{
	uint32_t tail = ring->tail;
	/* pairs with the thieves' compare-exchange [R2] */
	uint32_t count = tail - nap_load_acquire(&ring->head);

	*was_empty = count == 0;
	if (count == NAP_RING_SIZE)
		return false;
	nap_store_relaxed(ring_slot(ring, tail), task);
	/* pairs with the thieves' load of tail [R1] */
	nap_store_release(&ring->tail, tail + 1);
	return true;
}

/* Owner: takes the oldest task, or NULL. */
static inline struct nap_task *ring_pop(struct nap__ring *ring)
{
	uint32_t head = nap_load_relaxed(&ring->head);

	while (head != ring->tail) {
		/*
		 * Relaxed, because thieves publish nothing to the owner, and the owner wrote the
		 * slots.
		 */
		if (nap_try_cmpxchg_relaxed(&ring->head, &head, head + 1)) {
			struct nap_task *task = *ring_slot(ring, head);

			if (!task)
				__builtin_unreachable();	/* no queued task is NULL */
			return task;
		}
	}
	return NULL;
}

/*
 * Owner: takes the older half of the tasks out, as a list, to make room. Returns how many; 0:
 * thieves were faster, and have made room.
 */
static inline uint32_t ring_migrate(struct nap__ring *ring, struct nap_task **first,
				    struct nap_task **last)
{
	uint32_t head = nap_load_relaxed(&ring->head);
	uint32_t n = (ring->tail - head) / 2;

	if (n == 0 || nap_cmpxchg_relaxed(&ring->head, head, head + n) != head)
		return 0;
	*first = *last = *ring_slot(ring, head);
	for (uint32_t i = 1; i < n; i++) {
		(*last)->next = *ring_slot(ring, head + i);
		*last = (*last)->next;
	}
	(*last)->next = NULL;
	return n;
}

/*
 * Thief: takes the oldest task of @from, or with @half the older half of its tasks, rounded up.
 * Returns the oldest; puts the others into @into from its tail on, uncommitted. *@n: how many were
 * taken. NULL: @from was empty.
 */
static inline struct nap_task *ring__steal(struct nap__ring *from, struct nap__ring *into,
					 bool half, uint32_t *n)
{
	for (;;) {
		uint32_t head = nap_load_relaxed(&from->head);
		/*
		 * Sees the slots up to the tail, and the tasks' contents: pairs with ring_commit().
		 * [R1]
		 */
		uint32_t tail = nap_load_acquire(&from->tail);
		uint32_t count = tail - head;
		struct nap_task *oldest;

		if (count == 0)
			return NULL;
		if (count > NAP_RING_SIZE) {	/* the tail was read too long after the head */
			nap_cpu_relax();
			continue;
		}
		*n = half ? count - count / 2 : 1;
		oldest = nap_load_relaxed(ring_slot(from, head));
		for (uint32_t i = 1; i < *n; i++)
			ring_put(into, i - 1, nap_load_relaxed(ring_slot(from, head + i)));
		/* The slots were read before they are given back: pairs with ring_room(). [R2] */
		if (nap_cmpxchg_release(&from->head, head, head + *n) == head)
			return oldest;
		nap_cpu_relax();
	}
}

/*
 * Thief that owns @into, which is empty: takes half (rounded up) of @from. Returns the oldest; the
 * others go into @into, and *@moved is their number. NULL: @from was empty.
 */
static inline struct nap_task *ring_steal(struct nap__ring *from, struct nap__ring *into,
					  uint32_t *moved)
{
	struct nap_task *oldest;
	uint32_t n = 0;

	*moved = 0;
	if (ring_room(into) < NAP_RING_SIZE)
		return NULL;
	oldest = ring__steal(from, into, true, &n);
	if (oldest && n > 1) {
		*moved = n - 1;
		ring_commit(into, n - 1);
	}
	return oldest;
}

/* The number of pauses that a thief waits before it takes a lone task: about a microsecond. */
#ifndef NAP_LONE_PAUSES
#define NAP_LONE_PAUSES 30
#endif

/*
 * Thief: waits for a moment, and returns true if the lone task was taken in that time. Then the
 * owner takes one task after another, and a steal does not pay.
 */
static inline bool ring_moves(struct nap__ring *ring)
{
	uint32_t head = nap_load_relaxed(&ring->head);

	if (nap_load_relaxed(&ring->tail) - head != 1)
		return false;
	for (int i = 0; nap_load_relaxed(&ring->head) == head; i++) {
		if (i >= NAP_LONE_PAUSES)
			return false;
		nap_cpu_relax();
	}
	return true;
}

/* Any thread: takes the oldest task only. */
static inline struct nap_task *ring_steal_one(struct nap__ring *from)
{
	uint32_t n;

	return ring__steal(from, NULL, false, &n);
}

#endif /* NAP_QUEUE_RING_H */
