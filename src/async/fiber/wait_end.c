/* SPDX-License-Identifier: MIT */
/* Ending a wait of a fiber or a thread: src/async/fiber/wait.h. Waiting: wait.c. */
#include "async/fiber/wait.h"

#include "async/fiber/fiber.h"
#include "sync/pause.h"
#include "wait/group.h"

/* Closes an open wait, and sets @flags. False: not open. *@was: the word before. */
static bool change(struct nap__fiber_wait *wait, uint32_t number, uint32_t flags, uint32_t *was)
{
	uint32_t word = nap_load_relaxed(&wait->state);

	while ((word & WAIT_OPEN) && word / WAIT_NUMBER == number / WAIT_NUMBER) {
		uint32_t next = (word & ~(WAIT_OPEN | WAIT_WHY)) | flags;

		/*
		 * Acquire: the stack of a fiber that is OFF, which the caller schedules [A4].
		 * Release: what the caller has done, for the waiter [A3].
		 */
		if (nap_try_cmpxchg_acq_rel(&wait->state, &word, next)) {
			*was = word;
			return true;
		}
	}
	return false;
}

/* Schedules a fiber that was OFF. The caller has set READY in the word, which was @was. */
static void wait_go_on(struct nap__fiber_wait *wait, uint32_t was)
{
	if (was & WAIT_OFF)
		nap__fiber_ready(wait->fiber);
}

static struct nap__sleeper *thread_of(struct nap__fiber_wait *wait)
{
	return nap_container_of(wait, struct nap__sleeper, own);
}

bool nap__fiber_wait_claim(struct nap__fiber_wait *wait, uint32_t number, uint32_t why)
{
	uint32_t was;

	return change(wait, number, why, &was);
}

void nap__fiber_wait_ready(struct nap__fiber_wait *wait)
{
	/* wait->fiber is read first: after READY the wait may be gone, unless the fiber was OFF. */
	if (!wait->fiber)
		nap_group_done(&thread_of(wait)->group);
	else
		/* [A3] [A4] */
		wait_go_on(wait, nap_fetch_or_acq_rel(&wait->state, WAIT_READY));
}

struct nap_task *nap__fiber_wait_take(struct nap__fiber_wait *wait)
{
	uint32_t was = nap_fetch_or_acq_rel(&wait->state, WAIT_READY);	/* as above [A3] [A4] */

	return was & WAIT_OFF ? nap__fiber_take(wait->fiber) : NULL;
}

bool nap__fiber_wait_end(struct nap__fiber_wait *wait, uint32_t number, uint32_t why)
{
	bool of_thread = !wait->fiber;
	uint32_t was;

	if (!change(wait, number, why | WAIT_READY, &was))
		return false;
	if (of_thread)
		nap_group_done(&thread_of(wait)->group);
	else
		wait_go_on(wait, was);
	return true;
}

void nap__fiber_wait_tell(struct nap__fiber_wait_node *node)
{
	/* Pairs with nap__fiber_wait_node_await(). [A5] */
	if (!nap__fiber_wait_end(node->wait, node->number, WAIT_WOKEN))
		nap_store_release(&node->let_go, true);
}

void nap__fiber_wait_node_await(struct nap__fiber_wait_node *node)
{
	uint32_t looks = 0;

	while (!nap_load_acquire(&node->let_go))	/* pairs with nap__fiber_wait_tell() [A5] */
		pause_briefly(&looks);
}
