/* SPDX-License-Identifier: MIT */
/*
 * A wait of one fiber or thread. The first of these ends it: the event that it waits for, its
 * deadline, a cancellation. One word decides:
 *
 *	WAIT_OPEN	it may be ended, once
 *	WAIT_READY	it has ended, for the reason in WAIT_WHY
 *	WAIT_OFF	fiber only: it has left its stack; the thread that sets READY schedules it
 *	WAIT_ASKED	fiber only: it was asked to end, for good
 *	WAIT_SCOPED	fiber only: the same, until it has ended a scope of its own that is canceled
 *	WAIT_SHIELDED	fiber only: while this is set, ASKED and SCOPED are ignored
 *	the other bits	fiber only: the number of this wait, so that nobody ends a later one
 *
 *	fiber                             ends it
 *	-----                             -------
 *	open
 *	list itself                       take it out of the list
 *	leave its stack                   claim: OPEN -> not
 *	worker: set OFF; is it READY?     hand over what it waits for
 *	then run the fiber at once        set READY; was it OFF? then schedule the fiber
 *
 * The last step of each side is a read-modify-write of one word: exactly one of the two resumes the
 * fiber.
 *
 * A thread has a wait on its stack, and sleeps on a group (nap/group.h) of one, as in every wait.
 * After it has set READY, a thread touches the wait of a fiber only if the fiber was OFF; and the
 * wait of a thread not at all after nap_group_done().
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

struct nap__fiber_wait {
	uint32_t state;			/* A */
	uint32_t winner;		/* set before READY: which of several events it was */
	struct nap_fiber *fiber;	/* NULL: a thread */
};

/*
 * A list node for a wait, for lists that do not say who may touch the node: nap__fiber_wait_tell().
 */
struct nap__fiber_wait_node {
	struct nap__fiber_wait *wait;
	uint32_t number;	/* of the wait's state, while it is open */
	uint32_t let_go;	/* A: its remover found the wait ended, and has let go */
};

/*
 * On the stack of the waiting fiber or thread.
 *
 *	err = nap__sleeper_begin(&sleeper, pool);
 *	... list the wait, check once more; if there is nothing to wait for, nap__sleeper_withdraw()
 *	err = nap__sleep(&sleeper, deadline);
 *	... take it out of the list
 */
struct nap__sleeper {
	struct nap__fiber_wait *wait;
	uint32_t number;
	struct nap__fiber_wait own;		/* a thread's */
	struct nap_group group;		/* a thread's */
	bool only_sleeps;		/* a thread's: it runs no tasks in the wait */
};

/*
 * Open the caller's wait. A worker that is in no fiber runs tasks of @pool while it waits, and a
 * stop of @pool ends the wait of a thread. With NULL the worker runs no tasks; a stop of the
 * worker's own pool ends the wait all the same, because the fiber that is to end the wait may run
 * only in the join of that pool. 0, or -ECANCELED: the fiber was asked to end, nothing was opened.
 */
int nap__sleeper_begin(struct nap__sleeper *sleeper, struct nap_pool *pool);

/*
 * Sleep until the wait has ended. 0: the event has happened. -ETIMEDOUT: the @deadline (ns,
 * NAP_FOREVER) has passed. -ECANCELED. Of a thread also what nap_group_wait() returns.
 */
int nap__sleep(struct nap__sleeper *sleeper, uint64_t deadline);

/*
 * The result of a wait with a timeout of zero: -ETIMEDOUT, or the error of nap__sleeper_begin(). So
 * a fiber that polls in a loop learns that it is to end.
 */
int nap__timed_out(void);

/*
 * The caller has opened the wait, and does not sleep after all. Another thread may have claimed the
 * wait since then, and be about to make it ready: then the caller is suspended until that has
 * happened, so that the other thread does not end a later wait. -EAGAIN: nobody had ended the wait.
 * Else the result of nap__sleep(). A caller that is listed where something may be handed over has
 * to check it. Any other caller can only have been canceled, and its next wait says so.
 */
int nap__sleeper_withdraw(struct nap__sleeper *sleeper);

/*
 * Any thread that may touch @wait: end it, because of @why. False: another thread had ended it.
 * nap__fiber_wait_end() does both steps. _claim() and _ready() are the two steps, for a caller that
 * hands something over between them.
 */
bool nap__fiber_wait_end(struct nap__fiber_wait *wait, uint32_t number, uint32_t why);
bool nap__fiber_wait_claim(struct nap__fiber_wait *wait, uint32_t number, uint32_t why);
void nap__fiber_wait_ready(struct nap__fiber_wait *wait);

/* _ready() of a fiber, for a worker that runs the fiber itself: its task, or NULL. */
struct nap_task *nap__fiber_wait_take(struct nap__fiber_wait *wait);

/*
 * Ask the fiber of @wait to end, by a flag of WAIT_TO_END. True: the fiber waits, unshielded, and
 * the caller ends or claims that wait by *@number.
 */
static inline bool wait_ask(struct nap__fiber_wait *wait, uint32_t flag, uint32_t *number)
{
	*number = nap_fetch_or_relaxed(&wait->state, flag);
	return (*number & WAIT_OPEN) && !(*number & WAIT_SHIELDED);
}

/* Called by the thread that has removed @node from its list; the last touch of @node. */
void nap__fiber_wait_tell(struct nap__fiber_wait_node *node);

/*
 * A waiter whose wait has ended for another reason, after another thread had removed @node: spin
 * until that thread has let go of @node.
 */
void nap__fiber_wait_node_await(struct nap__fiber_wait_node *node);

static inline void wait_node_init(struct nap__fiber_wait_node *node, struct nap__sleeper *sleeper)
{
	node->wait = sleeper->wait;
	node->number = sleeper->number;
	nap_store_relaxed(&node->let_go, false);
}

#endif /* NAP_FIBER_WAIT_H */
