/* SPDX-License-Identifier: MIT */
/* Ending a wait of a fiber or a thread: src/async/fiber/wait.h. wait.c has the waiting side. */
#include "async/fiber/wait.h"

#include "async/fiber/fiber.h"
#include "sync/pause.h"
#include "wait/group.h"

/*
 * Closes an open wait whose word has the bits @needs, and sets @flags. False: the wait is not open
 * or lacks a bit. *@was: the word before.
 */
static inline bool change_if(struct nap__fiber_wait *wait, uint32_t number, uint32_t needs,
			     uint32_t flags, uint32_t *was)
{
	uint32_t word = nap_load_relaxed(&wait->state);

	while ((word & needs) == needs && word / WAIT_NUMBER == number / WAIT_NUMBER) {
		uint32_t next = (word & ~(WAIT_OPEN | WAIT_WHY)) | flags;

		/*
		 * Acquire: sees the stack of a fiber that is OFF, which the caller schedules [A4].
		 * Release: publishes what the caller has done, to the waiter [A3].
		 */
		if (nap_try_cmpxchg_acq_rel(&wait->state, &word, next)) {
			*was = word;
			return true;
		}
	}
	return false;
}

static bool change(struct nap__fiber_wait *wait, uint32_t number, uint32_t flags, uint32_t *was)
{
	return change_if(wait, number, WAIT_OPEN, flags, was);
}

/* Schedules the fiber, if it was OFF. @was: the word before the caller set READY. */
static void wait_go_on(struct nap__fiber_wait *wait, uint32_t was)
{
	if (was & WAIT_OFF)
		nap__fiber_ready(wait->fiber);
}

static struct nap__sleeper *thread_of(struct nap__fiber_wait *wait)
{
	return nap_container_of(wait, struct nap__sleeper, own);
}

enum nap__claim nap__fiber_wait_claim_whole(struct nap__fiber_wait *wait, uint32_t number)
{
	uint32_t word = nap_load_relaxed(&wait->state);

	while ((word & WAIT_OPEN) && word / WAIT_NUMBER == number / WAIT_NUMBER) {
		bool off = word & WAIT_OFF;
		uint32_t next = (word & ~(WAIT_OPEN | WAIT_WHY)) | WAIT_WOKEN |
				(off ? WAIT_READY : 0);

		/*
		 * Acquire: as in change_if() [A4]. What the caller hands over is published later,
		 * by nap__fiber_wait_ready(), or with the task of a fiber that was OFF [A3].
		 */
		if (nap_try_cmpxchg_acquire(&wait->state, &word, next))
			return off ? CLAIM_OFF : CLAIM_OPEN;
	}
	return CLAIM_NONE;
}

bool nap__fiber_wait_claim(struct nap__fiber_wait *wait, uint32_t number, uint32_t why)
{
	uint32_t was;

	return change(wait, number, why, &was);
}

void nap__fiber_wait_ready(struct nap__fiber_wait *wait)
{
	/*
	 * wait->fiber is read before READY is set, because afterwards the wait may be gone, unless
	 * the fiber was OFF.
	 */
	if (!wait->fiber)
		nap__group_done(&thread_of(wait)->group);
	else
		/* Acquire and release as in change_if(). [A3] [A4] */
		wait_go_on(wait, nap_fetch_or_acq_rel(&wait->state, WAIT_READY));
}

struct nap_task *nap__fiber_wait_take(struct nap__fiber_wait *wait)
{
	/* acquire and release as in change_if() [A3] [A4] */
	uint32_t was = nap_fetch_or_acq_rel(&wait->state, WAIT_READY);

	return was & WAIT_OFF ? nap__fiber_take(wait->fiber) : NULL;
}

bool nap__fiber_wait_end(struct nap__fiber_wait *wait, uint32_t number, uint32_t why)
{
	bool of_thread = !wait->fiber;
	uint32_t was;

	if (!change(wait, number, why | WAIT_READY, &was))
		return false;
	if (of_thread)
		nap__group_done(&thread_of(wait)->group);
	else
		wait_go_on(wait, was);
	return true;
}

bool nap__fiber_wait_end_off(struct nap__fiber_wait_node *node, struct nap_pool *pool)
{
	struct nap_fiber *fiber = node->wait->fiber;
	uint32_t was;

	return fiber && fiber->pool == pool &&
	       change_if(node->wait, node->number, WAIT_OPEN | WAIT_OFF, WAIT_WOKEN | WAIT_READY,
			 &was);
}

void nap__fiber_wait_tell(struct nap__fiber_wait_node *node)
{
	/*
	 * Publishes that this thread has let go of the node: pairs with
	 * nap__fiber_wait_node_await(). [A5]
	 */
	if (!nap__fiber_wait_end(node->wait, node->number, WAIT_WOKEN))
		nap_store_release(&node->let_go, true);
}

void nap__fiber_wait_node_await(struct nap__fiber_wait_node *node)
{
	/* Not noticed in tests when 1 for 0: it sleeps one pause earlier. */
	uint32_t looks = 0;

	/* pairs with the release in nap__fiber_wait_tell() [A5] */
	while (!nap_load_acquire(&node->let_go))
		pause_briefly(&looks);
}
