/* SPDX-License-Identifier: MIT */
/*
 * One function on every worker: nap/broadcast.h.
 *
 * Typically the caller sends a message to each worker (src/fork/answer.h), calls the function
 * itself if it is a worker, and sleeps until the last worker has answered: a message has a latch
 * like a stolen job's.
 *
 * During the broadcast the caller runs no tasks, for the reason in src/fork/answer.c. But the
 * caller answers messages, even while it waits for earlier broadcasts, because the first of these
 * waits for the caller's answer.
 *
 * There is one broadcast at a time. The other broadcasts wait in line, as for the lock in
 * Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization on Shared-Memory
 * Multiprocessors" (1991), section 2.4; but their callers sleep, and do not spin.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fork/answer.h"
#include "fork/fork.h"
#include "os/happens.h"
#include "sync/debug.h"
#include "sync/latch.h"
#include "sync/pause.h"
#include "worker/leaving.h"
#include "worker/nest.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "worker/self.h"
#include "worker/worker.h"

/* One broadcast, on its caller's stack. */
struct nap__broadcast {
	struct nap__sent sent;
	struct nap__broadcast *next;	/* A: the next broadcast in the line */
	/* its latch is set when this broadcast is the first in the line */
	struct nap_frame first;
	int result;
};

static bool wait_in_line(struct nap__broadcast *b)
{
	struct nap_worker *worker = b->sent.sender;
	/*
	 * Sees what earlier broadcasts did, and the memory of @before: pairs with leave_line() and
	 * with the exchange before this one. Publishes the memory of @b to the next exchange.
	 * [B2]
	 */
	struct nap__broadcast *before = nap_xchg_acq_rel(&worker->pool->broadcast, b);

	if (!before)
		return true;
	nap_store_release(&before->next, b);	/* pairs with the acquire in leave_line() [B2] */
	return nap__latch_wait(worker, &b->first, false);
}

static void leave_line(struct nap__broadcast *b)
{
	/* Sees the next broadcast's memory: pairs with wait_in_line(). [B2] */
	struct nap__broadcast *next = nap_load_acquire(&b->next);
	uint32_t looks = 0;	/* Not noticed in tests when 1 for 0: the first pause is longer. */

	if (!next && nap_cmpxchg_release(&b->sent.sender->pool->broadcast, b, NULL) == b)
		return;
	/*
	 * The next broadcast is in the line, and its caller is about to store it in b->next. [B2]
	 */
	while (!next) {
		pause_briefly(&looks);
		next = nap_load_acquire(&b->next);
	}
	latch_set(&next->first, &next->sent.sender->event);
}

/*
 * Sends the message to all workers. plain_close() takes busy workers off their fast path, so that
 * they check their mailboxes, too.
 */
static void post_to_all(struct nap__sent *sent)
{
	struct nap_pool *pool = sent->sender->pool;

	plain_close(pool, PLAIN_MESSAGES);
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (w != sent->sender)
			sent_post(sent, w);
}

/*
 * Gives the sender's own answer. The sender also calls the function, unless its mailbox is closed:
 * it is a guest, or a worker that is about to end.
 */
static void answer_own(struct nap__sent *sent)
{
	bool is_open = nap_load_relaxed(&sent->sender->mailbox) != MAILBOX_CLOSED;

	nap__sent_answer(&sent->message, is_open ? sent->sender : NULL);
}

static int broadcast_run(struct nap__broadcast *b)
{
	struct nap__sent *sent = &b->sent;
	struct nap_pool *pool = sent->sender->pool;

	if (!wait_in_line(b))
		return -ESHUTDOWN;
	happens_before(sent);
	post_to_all(sent);
	answer_own(sent);
	if (!nap__latch_wait(sent->sender, &sent->frame, false))
		return -ESHUTDOWN;
	plain_open(pool, PLAIN_MESSAGES);
	happens_after(&sent->frame);
	leave_line(b);
	return (int)nap_load_relaxed(&sent->called);
}

/* Broadcasts; runs on the caller's worker or guest. */
static void broadcast(struct nap_worker *worker, void *broadcast)
{
	struct nap__broadcast *b = broadcast;
	uintptr_t nesting = nesting_off();

	nothing_leaves();
	unseen_begin();
	b->sent.sender = worker;
	b->result = broadcast_run(b);
	nesting_back(nesting);
	unseen_end();
}

int nap_broadcast(struct nap_pool *pool, nap_call_fn fn, void *arg)
{
	struct nap__broadcast b = {
		.sent = { .message.answer = nap__sent_answer, .fn = fn, .arg = arg },
	};
	int err;

	debug_aligned(pool, __func__, __builtin_return_address(0));
	if (!fn)
		return -EINVAL;
	if (is_in_broadcast())
		return -EDEADLK;
	/* Stored one by one, for the model checker; no other thread can see these words yet. */
	nap_store_relaxed(&b.first.latch, LATCH_UNSET);
	nap_store_relaxed(&b.next, NULL);
	nap_store_relaxed(&b.sent.frame.latch, LATCH_UNSET);
	nap_store_relaxed(&b.sent.left, 1);
	nap_store_relaxed(&b.sent.called, 0);
	err = nap_call(pool, broadcast, &b);
	return err ? err : b.result;
}
