/* SPDX-License-Identifier: MIT */
/*
 * A wait of one fiber or thread. The awaited event, the deadline or a cancellation ends the wait,
 * whichever is first. One word decides:
 *
 *	WAIT_OPEN	the wait may be ended, once
 *	WAIT_READY	the wait has ended, for the reason in WAIT_WHY
 *	WAIT_OFF	the fiber has left its stack; the thread that sets READY schedules the fiber
 *	WAIT_ASKED	the fiber was asked to end
 *	WAIT_SCOPED	as ASKED: a scope of the fiber was canceled; cleared when that scope ends
 *	WAIT_SHIELDED	the fiber ignores ASKED and SCOPED
 *	the other bits	of a fiber: the number of this wait, so that no thread ends a later wait
 *
 *	fiber                             ends it
 *	-----                             -------
 *	open
 *	list itself                       take the fiber out of the list
 *	leave its stack                   claim: clear OPEN
 *	worker: set OFF; was READY set?   hand over what the fiber waits for
 *	then run the fiber at once        set READY; was OFF set? then schedule the fiber
 *	                                  (was OFF set already? then READY with the claim)
 *
 * The last step of each side is a read-modify-write of one word: exactly one of the two resumes the
 * fiber.
 *
 * A thread has its wait on its stack, and sleeps on a group (nap/group.h) with a count of one.
 * After a thread has set READY it touches a fiber's wait only if the fiber was OFF. After
 * nap_group_done() it does not touch a thread's wait.
 */
#ifndef NAP_FIBER_WAIT_H
#define NAP_FIBER_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/group.h>
#include <nap/trace_file.h>

#include "arch/atomic.h"

struct nap_fiber;
struct nap_pool;

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
#define WAIT_NUMBER	256u	/* adds one to the number of the wait */
#define WAIT_TO_END	(WAIT_ASKED | WAIT_SCOPED)
/* the bits that stay from one wait to the next */
#define WAIT_KEPT	(WAIT_TO_END | WAIT_SHIELDED)

struct nap__fiber_wait {
	uint32_t state;			/* A: the word above */
	/* set before READY: which of several events ended the wait */
	uint32_t winner;
	struct nap_fiber *fiber;	/* the fiber; NULL: a thread waits */
	const void *object;		/* A: the object that is waited for, or NULL */
	uint32_t on;			/* A: the kind of @object: enum nap_trace_wait */
};

/*
 * A node for lists without a lock: while a thread removes the node, the waiter's wait may end for
 * another reason. The remover calls nap__fiber_wait_tell().
 */
struct nap__fiber_wait_node {
	struct nap__fiber_wait *wait;
	uint32_t number;	/* wait->state while the wait is open */
	uint32_t let_go;	/* A: the last touch of a remover that finds the wait ended */
};

/*
 * A wait in progress, on the stack of the waiting fiber or thread.
 *
 *	err = nap__sleeper_begin(&sleeper, pool);
 *	... list the wait, check once more; if there is nothing to wait for, nap__sleeper_withdraw()
 *	err = nap__sleep(&sleeper, deadline);
 *	... take the wait out of the list
 */
struct nap__sleeper {
	struct nap__fiber_wait *wait;
	uint32_t number;
	struct nap__fiber_wait own;		/* the wait, if a thread waits */
	struct nap_group group;		/* the group that a thread sleeps on */
	bool only_sleeps;		/* a thread that waits runs no tasks */
};

/*
 * Called by the waiter when it has begun the wait: notes the object of the wait for a dump or a
 * trace.
 */
static inline void sleeper_waits_for(struct nap__sleeper *sleeper, uint32_t on, const void *object)
{
#ifndef NAP_NO_TRACE
	nap_store_relaxed(&sleeper->wait->object, object);
	nap_store_relaxed(&sleeper->wait->on, on);
#else
	(void)sleeper;
	(void)on;
	(void)object;
#endif
}

/*
 * Opens the caller's wait. A worker outside a fiber runs tasks of @pool while it waits, and a stop
 * of @pool ends the wait of a thread. If @pool is NULL the worker runs no tasks. A stop of the
 * worker's own pool ends its wait, too, because the fiber that has to end the wait may run only in
 * the join of this pool. Returns 0, or -ECANCELED: the fiber was asked to end, and no wait was
 * opened.
 */
int nap__sleeper_begin(struct nap__sleeper *sleeper, struct nap_pool *pool);

/*
 * Sleeps until the wait has ended. Returns 0: the event has happened; -ETIMEDOUT: the @deadline
 * (ns, or NAP_FOREVER) has passed; -ECANCELED; for a thread also the errors of nap_group_wait().
 */
int nap__sleep(struct nap__sleeper *sleeper, uint64_t deadline);

/*
 * Returns the result of a wait with a timeout of zero: -ETIMEDOUT, or the error of
 * nap__sleeper_begin(). So a fiber that polls in a loop learns that it has to end.
 */
int nap__timed_out(void);

/*
 * Withdraws an open wait, without a sleep. If another thread has claimed the wait, and is about to
 * make it ready, the caller is suspended until then, so that the other thread does not end a later
 * wait. Returns -EAGAIN: no thread had ended the wait; else the result of nap__sleep(). If
 * another thread may have handed something over, the caller has to check. If only a cancellation
 * can have ended the wait, the caller may ignore the result, because its next wait returns
 * -ECANCELED, too.
 */
int nap__sleeper_withdraw(struct nap__sleeper *sleeper);

/*
 * Ends @wait because of @why. Called by any thread that may touch @wait. False: another thread had
 * ended the wait. nap__fiber_wait_claim() and nap__fiber_wait_ready() are the two steps of
 * nap__fiber_wait_end(), for a caller that hands something over between them.
 */
bool nap__fiber_wait_end(struct nap__fiber_wait *wait, uint32_t number, uint32_t why);
bool nap__fiber_wait_claim(struct nap__fiber_wait *wait, uint32_t number, uint32_t why);
void nap__fiber_wait_ready(struct nap__fiber_wait *wait);

/*
 * As nap__fiber_wait_claim() with WAIT_WOKEN. Returns CLAIM_OFF if the fiber has left its stack:
 * then the wait is also ready, no other thread resumes the fiber, and the caller hands over and
 * calls nap__fiber_ready().
 */
enum nap__claim { CLAIM_NONE, CLAIM_OPEN, CLAIM_OFF };

enum nap__claim nap__fiber_wait_claim_whole(struct nap__fiber_wait *wait, uint32_t number);

/*
 * As nap__fiber_wait_ready(), for a worker that runs the fiber itself: returns the fiber's task, or
 * NULL.
 */
struct nap_task *nap__fiber_wait_take(struct nap__fiber_wait *wait);

/*
 * Asks the fiber of @wait to end, by a flag of WAIT_TO_END. True: the fiber is in a wait and
 * unshielded, and the caller ends or claims this wait by *@number.
 */
static inline bool wait_ask(struct nap__fiber_wait *wait, uint32_t flag, uint32_t *number)
{
	*number = nap_fetch_or_relaxed(&wait->state, flag);
	return (*number & WAIT_OPEN) && !(*number & WAIT_SHIELDED);
}

/*
 * Ends the wait of @node, if the waiter is a fiber of @pool that has left its stack, for a caller
 * that runs the fiber itself. Called by the thread that has removed @node. True: the wait was ended
 * here, and no other thread resumes the fiber.
 */
bool nap__fiber_wait_end_off(struct nap__fiber_wait_node *node, struct nap_pool *pool);

/* Notifies the waiter. Called by the thread that has removed @node, as its last touch of @node. */
void nap__fiber_wait_tell(struct nap__fiber_wait_node *node);

/*
 * Spins until the thread that has removed @node has let go of it. Called by a waiter whose wait has
 * ended for another reason.
 */
void nap__fiber_wait_node_await(struct nap__fiber_wait_node *node);

static inline void wait_node_init(struct nap__fiber_wait_node *node, struct nap__sleeper *sleeper)
{
	node->wait = sleeper->wait;
	node->number = sleeper->number;
	nap_store_relaxed(&node->let_go, false);
}

#endif /* NAP_FIBER_WAIT_H */
