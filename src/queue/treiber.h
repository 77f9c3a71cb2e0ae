/* SPDX-License-Identifier: MIT */
/*
 * An unbounded queue on a Treiber stack: any number of producers, consumers one at a time by a
 * try-lock that lives in the stack's own word.
 *
 * Typically a producer puts its list on top by one compare-exchange. A consumer finds the cache
 * empty, locks and takes the whole stack by one compare-exchange, pops some tasks, and unlocks with
 * the rest in the cache.
 *
 *	                  push      lock      pop, unlock (lock holder)
 *	push               ok        ok        ok
 *	lock               ok        ok        ok (fails: contended)
 *
 * push is lock-free and never waits for a consumer; lock never waits at all. A consumer takes the
 * whole stack with one exchange, and keeps the tasks in a cache that only lock holders see.
 *
 * Two orders. treiber_*: mostly LIFO; of the tasks that a consumer grabs at once the youngest comes
 * first. treiber_fifo_*: each grab is reversed, which makes the queue FIFO: a consumer grabs only
 * when the cache is empty, and tasks that are pushed until then are younger than all cached ones. A
 * producer reverses its batch.
 *
 * The word: a task's address | CACHED (the cache is not empty) | CONSUMING (locked). From Zap (the
 * blog text, "Treiber stack based MPSC queue"; its `new = s = CONSUMING | CACHED` is a misprint for
 * `s | ...`). nap adds the result of unlock: the word before the unlock shows whether a producer
 * has pushed since the lock. (That producer's notification may have woken a consumer that was
 * turned away.)
 */
#ifndef NAP_QUEUE_TREIBER_H
#define NAP_QUEUE_TREIBER_H

#include <stdbool.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "queue/consumer.h"
#include "queue/list.h"

#define TREIBER_CACHED		((uintptr_t)1)
#define TREIBER_CONSUMING	((uintptr_t)2)
#define TREIBER_TAGS		(TREIBER_CACHED | TREIBER_CONSUMING)

_Static_assert(_Alignof(struct nap_task) > TREIBER_TAGS, "two tag bits below a task's address");

static inline struct nap_task *treiber__task(uintptr_t word)
{
	return (struct nap_task *)(word & ~TREIBER_TAGS);
}

/* Any thread: pushes the list @head .. @tail, of which @head comes out first. */
static inline void treiber_push(struct nap__queue *q, struct nap_task *head, struct nap_task *tail)
{
	uintptr_t word = nap_load_relaxed(&q->push);

	for (;;) {
		tail->next = treiber__task(word);
		/*
		 * Publishes the list's links, and the tasks' contents: pairs with lock and grab.
		 * [T1]
		 */
		if (nap_try_cmpxchg_release(&q->push, &word,
					    (uintptr_t)head | (word & TREIBER_TAGS)))
			return;
	}
}

static inline void treiber_fifo_push(struct nap__queue *q, struct nap_task *head,
				     struct nap_task *tail)
{
	if (head != tail) {
		tail->next = NULL;
		list_reverse(head);
	}
	treiber_push(q, tail, head);
}

/* Any thread: becomes the consumer. False: there is no task, or another thread is consuming. */
static inline bool treiber__lock(struct nap__queue *q, struct nap__consumer *c, bool fifo)
{
	uintptr_t word = nap_load_relaxed(&q->push);

	for (;;) {
		uintptr_t locked = word | TREIBER_TAGS;

		if ((word & TREIBER_CONSUMING) || word == 0)
			return false;
		if (!(word & TREIBER_CACHED))
			locked &= TREIBER_TAGS;	/* the cache is empty: take the stack, too */
		/*
		 * Sees the tasks: pairs with push [T1]. Sees the cache: pairs with the last
		 * consumer's unlock [T2].
		 */
		if (nap_try_cmpxchg_acquire(&q->push, &word, locked))
			break;
	}
	c->queue = q;
	if (word & TREIBER_CACHED)
		c->first = (struct nap_task *)q->pop;
	else
		c->first = fifo ? list_reverse(treiber__task(word)) : treiber__task(word);
	return true;
}

/* Lock holder: returns the next task, or NULL. */
static inline struct nap_task *treiber__pop(struct nap__consumer *c, bool fifo)
{
	struct nap_task *task = c->first;

	if (!task) {
		/* Loads first, because the exchange takes the cache line from the producers. */
		if (!treiber__task(nap_load_relaxed(&c->queue->push)))
			return NULL;
		/* Sees the tasks: pairs with push. [T1] */
		task = treiber__task(nap_xchg_acquire(&c->queue->push, TREIBER_TAGS));
		if (fifo)
			task = list_reverse(task);
	}
	c->first = task->next;
	return task;
}

/*
 * Lock holder: stops consuming. True: tasks are left. Then the caller notifies, because this lock
 * may have turned away the consumer that was to run them.
 */
static inline bool treiber_unlock(struct nap__consumer *c)
{
	uintptr_t tags = c->first ? TREIBER_CONSUMING : TREIBER_TAGS;
	uintptr_t word;

	c->queue->pop = (uintptr_t)c->first;
	/* Publishes the cache: pairs with the next consumer's lock. [T2] */
	word = nap_fetch_sub_release(&c->queue->push, tags);
	return c->first || treiber__task(word);
}

/* Any thread: whether there was no task to take at some time during the call. */
static inline bool treiber_empty(struct nap__queue *q)
{
	return (nap_load_relaxed(&q->push) & ~TREIBER_CONSUMING) == 0;
}

static inline bool treiber_lock(struct nap__queue *q, struct nap__consumer *c)
{
	return treiber__lock(q, c, false);
}

static inline struct nap_task *treiber_pop(struct nap__consumer *c)
{
	return treiber__pop(c, false);
}

static inline bool treiber_fifo_lock(struct nap__queue *q, struct nap__consumer *c)
{
	return treiber__lock(q, c, true);
}

static inline struct nap_task *treiber_fifo_pop(struct nap__consumer *c)
{
	return treiber__pop(c, true);
}

static inline bool treiber_fifo_unlock(struct nap__consumer *c)
{
	return treiber_unlock(c);
}

static inline bool treiber_fifo_empty(struct nap__queue *q)
{
	return treiber_empty(q);
}

#endif /* NAP_QUEUE_TREIBER_H */
