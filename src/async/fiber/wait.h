/* SPDX-License-Identifier: MIT */
/*
 * A wait of one fiber or thread. The first of these ends it: the event that it waits for, its
 * deadline, a cancellation. One word decides:
 *
 *	WAIT_OPEN	it may be ended, once
 *	WAIT_READY	it has ended, why is in WAIT_WHY
 *	WAIT_OFF	a fiber's: it has left its stack; the one that makes it ready schedules it
 *	WAIT_ASKED	a fiber's: somebody has asked it to end, for good
 *	WAIT_SCOPED	a fiber's: the same, until it ends the scope that it has opened and that is canceled
 *	WAIT_SHIELDED	a fiber's: until it is cleared the fiber does not look at that
 *	the rest	a fiber's: the number of this wait, so that nobody ends a later one
 *
 *	fiber                             ends it
 *	-----                             -------
 *	open
 *	list itself                       take it out of the list
 *	leave its stack                   claim: OPEN -> not
 *	worker: set OFF; is it READY?     hand over what it waits for
 *	then go on at once                set READY; was it OFF? then schedule it
 *
 * Both of the last are read-modify-writes of one word: exactly one of the two has it go on.
 *
 * A thread has a wait on its stack, and sleeps on a group (nap/group.h) of one, as in every wait.
 * What ends a fiber's wait does not touch it behind READY unless it was OFF; what ends a thread's
 * does not behind nap_group_done().
 */
#ifndef NAP_FIBER_WAIT_H
#define NAP_FIBER_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/group.h>

#include "arch/atomic.h"

struct nap_fiber;

#define WAIT_OPEN	1u
#define WAIT_READY	2u
#define WAIT_OFF	4u
#define WAIT_ASKED	8u
#define WAIT_SHIELDED	16u
#define WAIT_WHY	(3u << 5)
#define WAIT_WOKEN	(0u << 5)
#define WAIT_TIMED_OUT	(1u << 5)
#define WAIT_CANCELED	(2u << 5)
#define WAIT_SCOPED	128u
#define WAIT_NUMBER	256u	/* one */
#define WAIT_TO_END	(WAIT_ASKED | WAIT_SCOPED)
#define WAIT_KEPT	(WAIT_TO_END | WAIT_SHIELDED)	/* from one wait to the next */

struct nap__wait {
	uint32_t state;			/* A */
	uint32_t winner;		/* set before READY: which of several it was */
	struct nap_fiber *fiber;	/* NULL: a thread */
};

/* What is listed of a wait, where its listing says nothing of who may touch it: nap__wait_tell(). */
struct nap__wait_node {
	struct nap__wait *wait;
	uint32_t number;	/* of the wait's state, while it is open */
	uint32_t let_go;	/* A: the wait had ended otherwise, and nobody touches the node */
};

/*
 * On the stack of the waiting fiber or thread.
 *
 *	err = nap__sleeper_begin(&sleeper, pool);
 *	... list the wait, look once more; if there is nothing to wait for, nap__sleeper_withdraw()
 *	err = nap__sleep(&sleeper, deadline);
 *	... take it out of the list
 */
struct nap__sleeper {
	struct nap__wait *wait;
	uint32_t number;
	struct nap__wait own;		/* a thread's */
	struct nap_group group;		/* a thread's */
	bool only_sleeps;		/* a thread's: it runs nothing until then */
};

/*
 * Open the caller's wait. @pool: a worker that is no fiber runs its tasks while it waits, and its
 * stop ends the wait of a thread. NULL: the worker runs none. The stop of the worker's own pool
 * ends the wait all the same, because a fiber that is to end the wait may go on only in that pool's
 * join. 0, or -ECANCELED: the fiber was asked to end, and nothing was opened.
 */
int nap__sleeper_begin(struct nap__sleeper *sleeper, struct nap_pool *pool);

/*
 * Until the wait has ended. 0: by the event that was waited for. -ETIMEDOUT at the @deadline (ns,
 * NAP_FOREVER); -ECANCELED; of a thread what nap_group_wait() says.
 */
int nap__sleep(struct nap__sleeper *sleeper, uint64_t deadline);

/*
 * The result of a wait without time: -ETIMEDOUT, or what nap__sleeper_begin() would say. So a fiber
 * that only looks, again and again, learns that it is to end.
 */
int nap__timed_out(void);

/*
 * The caller has opened the wait, and does not sleep after all. Another thread may have claimed the
 * wait by now, and be about to make it ready: then the caller is suspended until that has happened,
 * so that nobody ends a later wait in its stead. -EAGAIN: nobody had ended it. Else why it was
 * ended, as of nap__sleep(): a caller that is listed where something may be handed over has to look
 * at that. Any other caller can only have been canceled, and its next wait says so.
 */
int nap__sleeper_withdraw(struct nap__sleeper *sleeper);

/*
 * Any thread that may touch @wait: end it, because of @why. False: that had been done. The first is
 * the whole; or claim it, hand over, and make it ready.
 */
bool nap__wait_end(struct nap__wait *wait, uint32_t number, uint32_t why);
bool nap__wait_claim(struct nap__wait *wait, uint32_t number, uint32_t why);
void nap__wait_ready(struct nap__wait *wait);

/* A worker, in place of nap__wait_ready() of a fiber: its task, for the worker to run; or NULL. */
struct nap_task *nap__wait_take(struct nap__wait *wait);

/*
 * Ask the fiber of @wait to end, by a flag of WAIT_TO_END. True: it waits, unshielded, and @*number
 * is that wait's, for the thread that ends or claims it.
 */
static inline bool wait_ask(struct nap__wait *wait, uint32_t flag, uint32_t *number)
{
	*number = nap_fetch_or_relaxed(&wait->state, flag);
	return (*number & WAIT_OPEN) && !(*number & WAIT_SHIELDED);
}

/* Called by the thread that has taken @node out of where it was listed; the last touch of it. */
void nap__wait_tell(struct nap__wait_node *node);

/*
 * A waiter whose wait ended otherwise, and whose @node was taken out: until the taker lets go of
 * it.
 */
void nap__wait_node_await(struct nap__wait_node *node);

static inline void wait_node_init(struct nap__wait_node *node, struct nap__sleeper *sleeper)
{
	node->wait = sleeper->wait;
	node->number = sleeper->number;
	nap_store_relaxed(&node->let_go, false);
}

#endif /* NAP_FIBER_WAIT_H */
