/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for the same thing: a lock-free stack of nodes on the waiters' stacks.
 *
 *	waitlist_add	any waiter; fails when the list is closed
 *	waitlist_wake	any thread; every listed waiter gets the reason and is no longer listed
 *	waitlist_close	one thread; as waitlist_wake, and closes the list
 *	waitlist_remove	a waiter that leaves of its own accord
 *
 * A thread that takes nodes out takes all of them in one exchange, notifies each waiter with the
 * reason, and does not touch the waiter's node afterwards. A waiter that leaves early takes out all
 * nodes, too; the other waiters wake spuriously, check again and come back. This is rare (a
 * timeout, or a worker that is called to work). In return no node is unlinked from the middle, and
 * the closer touches the list only once. The only wait is short: a waiter whose node was taken
 * waits for its reason.
 */
#ifndef NAP_WAITLIST_H
#define NAP_WAITLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "sync/event.h"

#define WAITLIST_CLOSED	((uintptr_t)1)

/* A node, on the waiter's stack. It is in use from waitlist_add() until it was taken out. */
struct nap__waiter {
	struct nap__waiter *next;
	uint32_t *event;
};

/* Whether the list is closed. If it is, the caller sees what was done before the closing. */
static inline bool waitlist_closed(uintptr_t *list)
{
	/* Sees what was done before the closing: pairs with waitlist_close(). [W1] */
	return nap_load_acquire(list) == WAITLIST_CLOSED;
}

/* A waiter that is no thread: a function is called instead of setting an event. */
struct nap__listener {
	struct nap__waiter node;
	/* Called by the thread that has taken the node out, as its last touch of the node. */
	void (*notify)(struct nap__listener *listener, uint32_t reason);
};

/* this bit in place of an event's address marks a struct nap__listener */
#define WAITER_IS_LISTENER	((uintptr_t)1)

static inline void listener_init(struct nap__listener *listener,
				 void (*notify)(struct nap__listener *listener, uint32_t reason))
{
	listener->node.event = (uint32_t *)WAITER_IS_LISTENER;
	listener->notify = notify;
}

/* Notifies @node. Called by the thread that has taken it out, as the last touch of the node. */
static inline void waiter_tell(struct nap__waiter *node, uint32_t reason)
{
	struct nap__listener *listener = (struct nap__listener *)(void *)node;

	if (node->event == (uint32_t *)WAITER_IS_LISTENER)
		listener->notify(listener, reason);
	else
		event_set(node->event, reason);
}

/*
 * Called by a waiter: lists @node, whose member event is initialised. False: the list is closed,
 * and @node was not listed.
 */
static inline bool waitlist_add(uintptr_t *list, struct nap__waiter *node)
{
	uintptr_t head = nap_load_relaxed(list);

	while (head != WAITLIST_CLOSED) {
		node->next = (struct nap__waiter *)head;
		/*
		 * The node is written before this: pairs with waitlist__detach() and
		 * waitlist_close(). [W2]
		 */
		if (nap_try_cmpxchg_release(list, &head, (uintptr_t)node))
			return true;
	}
	return false;
}

/* Notifies each of @nodes, except @spared, with @reason; true: @spared was among them. */
static inline bool waitlist__give(uintptr_t nodes, uint32_t reason, struct nap__waiter *spared)
{
	struct nap__waiter *node = (struct nap__waiter *)nodes;
	bool met = false;

	while (node) {
		/* Read first, because the node may be freed once the waiter is notified. */
		struct nap__waiter *next = node->next;

		if (node == spared)
			met = true;
		else
			waiter_tell(node, reason);
		node = next;
	}
	return met;
}

/* Takes all nodes out, unless the list is closed; 0: there were none. */
static inline uintptr_t waitlist__detach(uintptr_t *list)
{
	uintptr_t head = nap_load_relaxed(list);

	while (head && head != WAITLIST_CLOSED) {
		/* Sees the nodes: pairs with waitlist_add(). [W2] */
		if (nap_try_cmpxchg_acquire(list, &head, 0))
			return head;
	}
	return 0;
}

/* Any thread: wakes every listed waiter for @reason. */
static inline void waitlist_wake(uintptr_t *list, uint32_t reason)
{
	waitlist__give(waitlist__detach(list), reason, NULL);
}

/*
 * Called once, by one thread: as waitlist_wake(), and closes @list, which may be freed when this
 * returns.
 */
static inline void waitlist_close(uintptr_t *list, uint32_t reason)
{
	/* Release: pairs with waitlist_closed() [W1]. Acquire: pairs with waitlist_add() [W2]. */
	uintptr_t nodes = nap_xchg_acq_rel(list, WAITLIST_CLOSED);

	waitlist__give(nodes, reason, NULL);
}

/*
 * Called by a waiter: leaves the list. False: another thread has taken the node, and is about to
 * notify.
 */
static inline bool waitlist_take_out(uintptr_t *list, struct nap__waiter *node, uint32_t reason)
{
	return waitlist__give(waitlist__detach(list), reason, node);
}

/*
 * Called by a waiter: leaves the list before it was notified. If @node is taken already, waits for
 * the reason, which is on its way, and consumes it. Afterwards the node and its event are the
 * caller's again.
 */
static inline void waitlist_remove(uintptr_t *list, struct nap__waiter *node, uint32_t reason)
{
	if (!waitlist_take_out(list, node, reason))
		event_wait(node->event, reason, UINT64_MAX);
}

#endif /* NAP_WAITLIST_H */
