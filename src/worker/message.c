// SPDX-License-Identifier: MIT
/*
 * Answering messages: src/worker/message.h.
 *
 * While a worker is in the function it runs nothing else. A task nested there could begin a
 * broadcast itself, which would wait for the one below it on the same stack.
 */
#include "worker/message.h"

#include "os/happens.h"
#include "worker/debug_jobs.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"

static void call(struct nap__message *message, struct nap_worker *worker)
{
	uint32_t forked = debug_forked(worker);
	uintptr_t nesting = nesting_off();
	nap_call_fn fn = message->fn;

	nothing_leaves();
	unseen_end();
	fn(worker, message->arg);
	unseen_begin();
	nesting_back(nesting);
	debug_returned(worker, forked, "function of a broadcast", (void *)fn);
}

void nap__message_count_down(struct nap__message *message)
{
	uint32_t *event = &message->sender->event;

	/* What all have done, to be carried on by the last one's latch_set(). [L1] */
	if (nap_fetch_sub_acq_rel(&message->left, 1) == 1)
		latch_set(&message->frame, event);
}

void nap__message_answer(struct nap__message *message, struct nap_worker *worker)
{
	happens_after(message);
	call(message, worker);
	/* In the child of a fork the sender's stack is anybody's. */
	if (pool_forked(worker->pool))
		return;
	happens_before(&message->frame);
	nap_fetch_add_relaxed(&message->called, 1);
	nap__message_count_down(message);
}

/* What was in the box, which is @to now; NULL: nothing. */
static struct nap__message *empty_box(struct nap_worker *worker, enum nap__mailbox to)
{
	/* Pairs with message_post(). [B1] */
	uintptr_t message = nap_xchg_acquire(&worker->mailbox, to);

	return message > MESSAGE_NONE ? (struct nap__message *)message : NULL;
}

void nap__answer_message(struct nap_worker *worker)
{
	nap__message_answer(empty_box(worker, MESSAGE_NONE), worker);
}

void nap__messages_(struct nap_worker *worker, bool is_worker)
{
	struct nap__message *message = empty_box(worker, MAILBOX_CLOSED);

	if (message && is_worker)
		nap__message_answer(message, worker);
	else if (message)
		nap__message_count_down(message);
}
