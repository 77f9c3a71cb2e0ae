// SPDX-License-Identifier: MIT
/*
 * One function on every worker: nap/broadcast.h.
 *
 * Typically the caller sends a message to each worker (src/worker/message.h), calls the function
 * itself if it is one of them, and sleeps until the last one has answered: a message has the latch
 * of a stolen job.
 *
 * Meanwhile it runs no tasks, for the reason that src/worker/message.c gives. But it answers
 * messages, also where it waits for its turn: whose turn it is waits for that.
 *
 * Turns are a queue of those who wait, as of the lock in Mellor-Crummey and Scott, "Algorithms for
 * Scalable Synchronization on Shared-Memory Multiprocessors" (1991), section 2.4. The waiter
 * sleeps.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "sched/jobs.h"
#include "sync/moment.h"
#include "worker/leaving.h"
#include "worker/message.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "worker/self.h"
#include "worker/worker.h"

/* On its caller's stack. */
struct nap__broadcast {
	struct nap__message message;
	struct nap__broadcast *next;	/* A: the broadcast whose turn comes next */
	struct nap_frame turn;		/* for its latch: the turn has come */
	int result;
};

static bool wait_for_turn(struct nap__broadcast *b)
{
	struct nap_worker *worker = b->message.sender;
	/* Pairs with end_turn(): those before are over; the one before, to be written to. [B2] */
	struct nap__broadcast *before = nap_xchg_acq_rel(&worker->pool->broadcast, b);

	if (!before)
		return true;
	nap_store_release(&before->next, b);	/* pairs with end_turn() [B2] */
	return nap__latch_wait(worker, &b->turn, false);
}

static void end_turn(struct nap__broadcast *b)
{
	/* Pairs with wait_for_turn(). [B2] */
	struct nap__broadcast *next = nap_load_acquire(&b->next);
	uint32_t looks = 0;

	if (!next && nap_cmpxchg_release(&b->message.sender->pool->broadcast, b, NULL) == b)
		return;
	/* It has announced itself, and is about to say so here. [B2] */
	while (!next) {
		wait_a_moment(&looks);
		next = nap_load_acquire(&b->next);
	}
	latch_set(&next->turn, &next->message.sender->event);
}

/* Workers that have enough to do look at their boxes, too: for them the pool is not plain. */
static void post_to_all(struct nap__message *message)
{
	struct nap_pool *pool = message->sender->pool;

	nap_cmpxchg_relaxed(&pool->plain, nap_load_relaxed(&nap__fork_gen), PLAIN_MESSAGES);
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (w != message->sender)
			message_post(message, w);
}

/* Guests have no box, nor has a worker that is about to end. */
static void answer_own(struct nap__message *message)
{
	if (nap_load_relaxed(&message->sender->mailbox) != MAILBOX_CLOSED)
		nap__message_answer(message, message->sender);
	else
		nap__message_count_down(message);
}

static int run(struct nap__broadcast *b)
{
	struct nap__message *message = &b->message;
	struct nap_pool *pool = message->sender->pool;

	if (!wait_for_turn(b))
		return -ESHUTDOWN;
	happens_before(message);
	post_to_all(message);
	answer_own(message);
	if (!nap__latch_wait(message->sender, &message->frame, false))
		return -ESHUTDOWN;
	/* Plain again, unless it was stopped by then. */
	nap_cmpxchg_relaxed(&pool->plain, PLAIN_MESSAGES, nap_load_relaxed(&nap__fork_gen));
	happens_after(&message->frame);
	end_turn(b);
	return (int)nap_load_relaxed(&message->called);
}

/* On the caller's worker or guest. */
static void broadcast(struct nap_worker *worker, void *broadcast)
{
	struct nap__broadcast *b = broadcast;
	uintptr_t nesting = nesting_off();

	nothing_leaves();
	unseen_begin();
	b->message.sender = worker;
	b->result = run(b);
	nesting_back(nesting);
	unseen_end();
}

int nap_broadcast(struct nap_pool *pool, nap_call_fn fn, void *arg)
{
	struct nap__broadcast b = { .message = { .fn = fn, .arg = arg } };
	int err;

	if (!fn)
		return -EINVAL;
	if (nesting_is_off(nap__self()))
		return -EDEADLK;
	/* One by one, for the model checker; nobody else can see them yet. */
	nap_store_relaxed(&b.turn.latch, LATCH_UNSET);
	nap_store_relaxed(&b.next, NULL);
	nap_store_relaxed(&b.message.frame.latch, LATCH_UNSET);
	nap_store_relaxed(&b.message.left, 1);
	nap_store_relaxed(&b.message.called, 0);
	err = nap_call(pool, broadcast, &b);
	return err ? err : b.result;
}
