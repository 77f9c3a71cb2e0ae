/* SPDX-License-Identifier: MIT */
/* Waits of fibers and threads: src/fiber/wait.h. */
#include "fiber/wait.h"

#include <errno.h>

#include "deadline.h"
#include "fiber/fiber.h"
#include "group.h"
#include "moment.h"
#include "phase.h"

/* ---- who ends it */

/* True: it was open, and is as @flags say now; *@was is the word before. */
static bool change(struct nap__wait *wait, uint32_t number, uint32_t flags, uint32_t *was)
{
	uint32_t word = nap_load_relaxed(&wait->state);

	while ((word & WAIT_OPEN) && word / WAIT_NUMBER == number / WAIT_NUMBER) {
		uint32_t next = (word & ~(WAIT_OPEN | WAIT_WHY)) | flags;

		/*
		 * Acquire: who has found it OFF schedules it as it was left there [A4]. Release: what
		 * was done before, for who waits [A3].
		 */
		if (nap_try_cmpxchg_acq_rel(&wait->state, &word, next)) {
			*was = word;
			return true;
		}
	}
	return false;
}

/* Who made it ready, where the word was @was. */
static void go_on(struct nap__wait *wait, uint32_t was)
{
	if (was & WAIT_OFF)
		nap__fiber_ready(wait->fiber);
}

static struct nap__sleeper *thread_of(struct nap__wait *wait)
{
	return nap_container_of(wait, struct nap__sleeper, own);
}

bool nap__wait_claim(struct nap__wait *wait, uint32_t number, uint32_t why)
{
	uint32_t was;

	return change(wait, number, why, &was);
}

void nap__wait_ready(struct nap__wait *wait)
{
	/* What it is may be asked behind READY no more, unless it is OFF. */
	if (!wait->fiber)
		nap_group_done(&thread_of(wait)->group);
	else
		go_on(wait, nap_fetch_or_acq_rel(&wait->state, WAIT_READY));	/* [A3] [A4] */
}

bool nap__wait_end(struct nap__wait *wait, uint32_t number, uint32_t why)
{
	bool of_thread = !wait->fiber;
	uint32_t was;

	if (!change(wait, number, why | WAIT_READY, &was))
		return false;
	if (of_thread)
		nap_group_done(&thread_of(wait)->group);
	else
		go_on(wait, was);
	return true;
}

void nap__wait_tell(struct nap__wait_node *node)
{
	if (!nap__wait_end(node->wait, node->number, WAIT_WOKEN))
		nap_store_release(&node->let_go, true);	/* pairs with nap__wait_node_await() [A5] */
}

void nap__wait_node_await(struct nap__wait_node *node)
{
	uint32_t looks = 0;

	while (!nap_load_acquire(&node->let_go))	/* pairs with nap__wait_tell() [A5] */
		wait_a_moment(&looks);
}

/* ---- who waits */

static int begin_fiber(struct nap__sleeper *sleeper, struct nap_fiber *fiber)
{
	uint32_t word = nap_load_relaxed(&fiber->wait.state), next;

	do {
		if ((word & WAIT_KEPT) == WAIT_ASKED || pool_stopped(fiber->pool))
			return -ECANCELED;
		next = (word / WAIT_NUMBER + 1) * WAIT_NUMBER | (word & WAIT_KEPT) | WAIT_OPEN;
	} while (!nap_try_cmpxchg_relaxed(&fiber->wait.state, &word, next));
	sleeper->wait = &fiber->wait;
	sleeper->number = next;
	return 0;
}

int nap__sleeper_begin(struct nap__sleeper *sleeper, struct nap_pool *pool)
{
	struct nap_fiber *fiber = nap__fiber_waiting();

	if (fiber)
		return begin_fiber(sleeper, fiber);
	sleeper->own = (struct nap__wait){ .state = WAIT_OPEN };
	sleeper->group = (struct nap_group)NAP_GROUP_INIT(pool);
	nap_group_add(&sleeper->group, 1);
	sleeper->wait = &sleeper->own;
	sleeper->number = WAIT_OPEN;
	return 0;
}

bool nap__sleeper_withdraw(struct nap__sleeper *sleeper)
{
	return nap__wait_claim(sleeper->wait, sleeper->number, WAIT_WOKEN);
}

/* A wait that had been given up, and was ended after all: whoever did it is about to say so. */
static void await_done(struct nap_group *group)
{
	uint32_t looks = 0;

	while (!group_is_complete(group))
		wait_a_moment(&looks);
}

static int sleep_thread(struct nap__sleeper *sleeper, uint64_t deadline)
{
	uint64_t now = deadline == NAP_FOREVER ? 0 : nap__os_now();
	int err;

	err = nap_group_wait_for(&sleeper->group, deadline == NAP_FOREVER ? NAP_FOREVER :
				 deadline > now ? deadline - now : 0);
	if (err && nap__sleeper_withdraw(sleeper))
		return err;
	if (err)
		await_done(&sleeper->group);
	return 0;
}

static int why_of(uint32_t word)
{
	switch (word & WAIT_WHY) {
	case WAIT_TIMED_OUT:
		return -ETIMEDOUT;
	case WAIT_CANCELED:
		return -ECANCELED;
	default:
		return 0;
	}
}

int nap__sleep(struct nap__sleeper *sleeper, uint64_t deadline)
{
	struct nap_fiber *fiber = sleeper->wait->fiber;

	if (!fiber)
		return sleep_thread(sleeper, deadline);
	nap__fiber_suspend(fiber);
	return why_of(nap_load_relaxed(&fiber->wait.state));
}
