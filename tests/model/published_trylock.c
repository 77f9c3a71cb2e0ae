/* SPDX-License-Identifier: MIT */
/*
 * A contended try-lock swallows a wake-up (the blog text, "Treiber stack based MPSC queue - made
 * non-blocking MC" and "Vyukov MPSC queue - made non-blocking MC", under run_queue.pop() and
 * notify()). The holder's last check finds the queue empty. A producer pushes and notifies; the
 * woken worker finds the lock taken, takes that for an empty queue, and parks. The holder
 * unlocks; it has moved nothing, so it notifies no worker, and runs its task. If that task is
 * long, or waits for the new task, no worker runs the new task.
 *
 * Both queues have the fault in the published form. In nap's form (src/queue/) neither has it: the
 * thread that releases the lock says what it leaves.
 */
#include "published_trylock.h"

#include "queue/treiber.h"
#include "queue/vyukov.h"

/* ---- published: Treiber ---- */

#define CACHED		((uintptr_t)1)
#define CONSUMING	((uintptr_t)2)
#define TAGS		(CACHED | CONSUMING)

struct node {
	struct node *next;
	uint32_t number;
};

static struct node nodes[TASKS] = { { NULL, 0 }, { NULL, 1 } };
static _Atomic uintptr_t stack;
static struct node *cache;	/* the lock holder's */

struct published_treiber_consumer {
	struct node *first;
};

static void published_treiber_push(uint32_t i)
{
	uintptr_t word = atomic_load_explicit(&stack, memory_order_relaxed);

	do {
		nodes[i].next = (struct node *)(word & ~TAGS);
	} while (!atomic_compare_exchange_strong_explicit(&stack, &word,
							  (uintptr_t)&nodes[i] | (word & TAGS),
							  memory_order_release,
							  memory_order_relaxed));
}

static bool published_treiber_lock(struct published_treiber_consumer *c)
{
	uintptr_t word = atomic_load_explicit(&stack, memory_order_relaxed), locked;

	do {
		if ((word & CONSUMING) || word == 0)
			return false;
		locked = word & CACHED ? word | TAGS : TAGS;
	} while (!atomic_compare_exchange_strong_explicit(&stack, &word, locked,
							  memory_order_acquire,
							  memory_order_relaxed));
	c->first = word & CACHED ? cache : (struct node *)(word & ~TAGS);
	return true;
}

static uint32_t published_treiber_pop(struct published_treiber_consumer *c)
{
	struct node *node = c->first;

	if (!node && (atomic_load_explicit(&stack, memory_order_relaxed) & ~TAGS))
		node = (struct node *)(atomic_exchange_explicit(&stack, TAGS,
								memory_order_acquire) & ~TAGS);
	if (!node)
		return 0;
	c->first = node->next;
	return node->number + 1;
}

static bool published_treiber_unlock(struct published_treiber_consumer *c)
{
	cache = c->first;
	atomic_fetch_sub_explicit(&stack, c->first ? CONSUMING : TAGS, memory_order_release);
	return false;	/* the word's old value, which says what was pushed, is not used */
}

TRYLOCK_CHECK_SCENARIO(published_treiber,
	"published form, Treiber: a worker that the lock turned away parks, nobody is told",
	.finds = "lost wake-up");

/* ---- published: Vyukov ---- */

struct link {
	_Atomic(struct link *) next;
	uint32_t number;
};

#define LOCKED	((uintptr_t)1)

static struct link links[TASKS] = { { NULL, 0 }, { NULL, 1 } };
static struct link stub;
static _Atomic(struct link *) push_end;
static _Atomic uintptr_t pop_end;

struct published_vyukov_consumer {
	struct link *first;
};

static void published_vyukov_append(struct link *link)
{
	struct link *last;

	atomic_store_explicit(&link->next, NULL, memory_order_relaxed);
	last = atomic_exchange_explicit(&push_end, link, memory_order_acq_rel);
	atomic_store_explicit(last ? &last->next : &stub.next, link, memory_order_release);
}

static void published_vyukov_push(uint32_t i)
{
	published_vyukov_append(&links[i]);
}

static bool published_vyukov_lock(struct published_vyukov_consumer *c)
{
	uintptr_t word = atomic_load_explicit(&pop_end, memory_order_relaxed);

	do {
		if (word == 0 && !atomic_load_explicit(&push_end, memory_order_relaxed))
			return false;
		if (word == LOCKED)
			return false;
	} while (!atomic_compare_exchange_strong_explicit(&pop_end, &word, LOCKED,
							  memory_order_acquire,
							  memory_order_relaxed));
	c->first = word ? (struct link *)word : &stub;
	return true;
}

static uint32_t published_vyukov_pop(struct published_vyukov_consumer *c)
{
	struct link *link = c->first, *next;

	if (link == &stub) {
		link = atomic_load_explicit(&stub.next, memory_order_acquire);
		if (!link)
			return 0;
		c->first = link;
	}
	next = atomic_load_explicit(&link->next, memory_order_acquire);
	if (!next) {
		if (atomic_load_explicit(&push_end, memory_order_acquire) != link)
			return 0;
		published_vyukov_append(&stub);
		next = atomic_load_explicit(&link->next, memory_order_acquire);
		if (!next)
			return 0;
	}
	c->first = next;
	return link->number + 1;
}

static bool published_vyukov_unlock(struct published_vyukov_consumer *c)
{
	atomic_store_explicit(&pop_end, (uintptr_t)c->first, memory_order_release);
	return false;	/* a thread that was turned away has no way to say so */
}

TRYLOCK_CHECK_SCENARIO(published_vyukov,
	"published form, Vyukov: a worker that the lock turned away parks, nobody is told",
	.finds = "lost wake-up");

/* ---- nap's, as they are ---- */

static struct nap_task tasks[TASKS];
static struct nap__queue queue;

#define NAP_QUEUE(kind)									\
struct nap_##kind##_consumer {								\
	struct nap__consumer c;								\
};											\
											\
static void nap_##kind##_push(uint32_t i)						\
{											\
	kind##_push(&queue, &tasks[i], &tasks[i]);					\
}											\
											\
static bool nap_##kind##_lock(struct nap_##kind##_consumer *c)				\
{											\
	return kind##_lock(&queue, &c->c);						\
}											\
											\
static uint32_t nap_##kind##_pop(struct nap_##kind##_consumer *c)			\
{											\
	struct nap_task *task = kind##_pop(&c->c);					\
											\
	return task ? (uint32_t)(task - tasks) + 1 : 0;					\
}											\
											\
static bool nap_##kind##_unlock(struct nap_##kind##_consumer *c)			\
{											\
	return kind##_unlock(&c->c);							\
}

NAP_QUEUE(treiber)
TRYLOCK_CHECK_SCENARIO(nap_treiber,
	"nap's Treiber queue: who unlocks tells others of what it leaves");

NAP_QUEUE(treiber_fifo)
TRYLOCK_CHECK_SCENARIO(nap_treiber_fifo,
	"nap's FIFO Treiber queue: who unlocks tells others of what it leaves");

NAP_QUEUE(vyukov)
TRYLOCK_CHECK_SCENARIO(nap_vyukov,
	"nap's Vyukov queue: who is turned away leaves word, and who unlocks finds it");
