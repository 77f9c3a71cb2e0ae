/* SPDX-License-Identifier: MIT */
/*
 * An unbounded FIFO queue on Dmitry Vyukov's intrusive MPSC queue (1024cores.net), whose pop end is
 * guarded by a try-lock in the pop end's own word.
 *
 * Typically a producer exchanges the push end for its last task, and then links the task that was
 * there before to its own first task. A consumer locks, follows the links from the pop end, and
 * unlocks by storing the place where it has stopped.
 *
 *	                  push      lock      pop, unlock (lock holder)
 *	push               ok        ok        ok
 *	lock               ok        ok        ok (fails: contended)
 *
 * push is wait-free: one exchange and one store. Consumers are not lock-free: a producer that is
 * stopped between exchange and store hides the tasks that follow, and the one task right before
 * them (which may not leave before its link is written). So "can be taken" means *linked*, and a
 * producer notifies after it has linked.
 *
 * The pop end: a task's address (0 stands for the stub), or CONSUMING while locked, to which
 * WANTED is added when a consumer is turned away. Zap's form (the blog text, "Vyukov MPSC queue -
 * made non-blocking MC") lacks WANTED: if a worker was woken for a task, found the lock taken, and
 * parked, no worker takes the task. With WANTED the unlocking thread knows of that worker, without
 * a fence, because both use one word.
 */
#ifndef NAP_QUEUE_VYUKOV_H
#define NAP_QUEUE_VYUKOV_H

#include <stdbool.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "queue/consumer.h"

#define VYUKOV_CONSUMING	((uintptr_t)1)
#define VYUKOV_WANTED		((uintptr_t)2)

_Static_assert(_Alignof(struct nap_task) > (VYUKOV_CONSUMING | VYUKOV_WANTED),
	       "two tag bits below a task's address");

/* Any thread: appends the list @head .. @tail. */
static inline void vyukov_push(struct nap__queue *q, struct nap_task *head, struct nap_task *tail)
{
	uintptr_t last;
	struct nap_task *prev;

	nap_store_relaxed(&tail->next, NULL);
	/*
	 * Release: the next producer writes tail->next after this NULL. Acquire: this producer
	 * writes prev->next after the NULL there. Both sides of the pair are this line. [V1]
	 */
	last = nap_xchg_acq_rel(&q->push, (uintptr_t)tail);
	prev = last ? (struct nap_task *)last : &q->stub;
	/* Publishes the list's links, and the tasks' contents: pairs with pop. [V2] */
	nap_store_release(&prev->next, head);
}

static inline bool vyukov__is_stub(struct nap__queue *q, uintptr_t word)
{
	return word == 0 || word == (uintptr_t)&q->stub;
}

/* Any thread: whether there was no task to take at some time during the call. */
static inline bool vyukov_empty(struct nap__queue *q)
{
	/*
	 * Loads the push end first. A load that finds the stub also sees the lock of the consumer
	 * that has put the stub back [V1]. So the load of the pop end, which comes next, finds this
	 * lock or a later value.
	 */
	uintptr_t last = nap_load_acquire(&q->push);

	return vyukov__is_stub(q, last) && vyukov__is_stub(q, nap_load_relaxed(&q->pop));
}

/* Any thread: becomes the consumer. False: there is no task, or another thread is consuming. */
static inline bool vyukov_lock(struct nap__queue *q, struct nap__consumer *c)
{
	for (;;) {
		bool empty = vyukov_empty(q);
		uintptr_t word = nap_load_relaxed(&q->pop);

		if (word & VYUKOV_CONSUMING) {
			/* Set WANTED. If the holder has just unlocked, try again. */
			if ((word & VYUKOV_WANTED) ||
			    nap_cmpxchg_relaxed(&q->pop, word, word | VYUKOV_WANTED) == word)
				return false;
			continue;
		}
		if (empty)
			return false;
		/*
		 * Sees the place where the last consumer stopped, and the stub: pairs with its
		 * unlock. [V3]
		 */
		if (nap_cmpxchg_acquire(&q->pop, word, VYUKOV_CONSUMING) != word)
			continue;
		c->queue = q;
		c->first = word ? (struct nap_task *)word : &q->stub;
		c->drained = false;
		return true;
	}
}

/* Lock holder: returns the next task, or NULL if none is linked. */
static inline struct nap_task *vyukov_pop(struct nap__consumer *c)
{
	struct nap__queue *q = c->queue;
	struct nap_task *task = c->first, *next;

	/* sees the task's contents: pairs with push [V2] */
	next = nap_load_acquire(&task->next);
	if (task == &q->stub) {
		if (!next)
			goto drained;
		c->first = task = next;
		/* sees the task's contents: pairs with push [V2] */
		next = nap_load_acquire(&task->next);
	}
	if (!next) {
		/* If this is the last task, it can be popped once the stub follows it. */
		if (nap_load_relaxed(&q->push) != (uintptr_t)task)
			goto drained;			/* its successor is not linked yet */
		vyukov_push(q, &q->stub, &q->stub);
		/* sees the link of another producer: pairs with push [V2] */
		next = nap_load_acquire(&task->next);
		if (!next)
			/* another producer was faster, and its task is not linked yet */
			goto drained;
	}
	c->first = next;
	return task;
drained:
	c->drained = true;
	return NULL;
}

/* Lock holder: whether the next pop would find a task. */
static inline bool vyukov__ready(struct nap__consumer *c)
{
	struct nap__queue *q = c->queue;

	return nap_load_relaxed(&c->first->next) ||
	       (c->first != &q->stub && nap_load_relaxed(&q->push) == (uintptr_t)c->first);
}

/*
 * Lock holder: stops consuming. True: tasks are left, or a consumer was turned away; then the
 * caller notifies. False if only unlinked tasks are left: their producer will notify, and a
 * notification by the caller would only come back to the caller.
 */
static inline bool vyukov_unlock(struct nap__consumer *c)
{
	bool more = !c->drained && vyukov__ready(c);

	/*
	 * Publishes the place and the stub: pairs with the next consumer's lock. Afterwards the
	 * caller may not read the tasks. [V3]
	 */
	return (nap_xchg_release(&c->queue->pop, (uintptr_t)c->first) & VYUKOV_WANTED) || more;
}

#endif /* NAP_QUEUE_VYUKOV_H */
