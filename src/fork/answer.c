/* SPDX-License-Identifier: MIT */
/*
 * Answering a broadcast: src/fork/answer.h.
 *
 * While a worker is in the broadcast's function it runs no task. A nested task could begin a
 * broadcast itself, which would wait for the broadcast below it on the same stack.
 */
#include "fork/answer.h"

#include <nap/nap.h>

#include "os/happens.h"
#include "worker/debug_jobs.h"
#include "worker/leaving.h"
#include "worker/nest.h"
#include "worker/phase.h"

static void answer_call(struct nap__sent *sent, struct nap_worker *worker)
{
	uint32_t forked = debug_forked(worker);
	uintptr_t nesting = nesting_off();
	nap_call_fn fn = sent->fn;

	nothing_leaves();
	unseen_end();
	fn(worker, sent->arg);
	unseen_begin();
	nesting_back(nesting);
	debug_returned(worker, forked, "function of a broadcast", (void *)fn);
}

static void answer_count_down(struct nap__sent *sent)
{
	uint32_t *event = &sent->sender->event;

	/*
	 * Release and acquire: the thread that counts to 0 sees what all workers have done, and its
	 * latch_set() publishes this to the sender. [L1]
	 */
	if (nap_fetch_sub_acq_rel(&sent->left, 1) == 1)
		latch_set(&sent->frame, event);
}

void nap__sent_answer(struct nap__message *message, struct nap_worker *worker)
{
	struct nap__sent *sent = nap_container_of(message, struct nap__sent, message);

	if (worker) {
		happens_after(sent);
		answer_call(sent, worker);
		/* In the child of a fork the sender's stack may hold other data by now. */
		if (pool_forked(worker->pool))
			return;
		happens_before(&sent->frame);
		nap_fetch_add_relaxed(&sent->called, 1);
	}
	answer_count_down(sent);
}
