/* SPDX-License-Identifier: MIT */
/* The message of a broadcast (src/fork/broadcast.c), and its answers. */
#ifndef NAP_ANSWER_H
#define NAP_ANSWER_H

#include <nap/call.h>

#include "sync/latch.h"
#include "worker/message.h"

/* One for all workers, on its sender's stack. The thread that counts down last touches it last. */
struct nap__sent {
	struct nap__message message;	/* answered by nap__sent_answer() */
	nap_call_fn fn;
	void *arg;
	uint32_t left;			/* A: answers to come, and one for the sender */
	uint32_t called;		/* A: how many workers were in @fn */
	struct nap_worker *sender;
	struct nap_frame frame;		/* its latch: all workers have answered */
};

/* The sender, which broadcasts alone: expects one more answer, if the mailbox is open. */
static inline void sent_post(struct nap__sent *sent, struct nap_worker *worker)
{
	nap_fetch_add_relaxed(&sent->left, 1);
	if (!message_post(&sent->message, worker))
		nap_fetch_sub_relaxed(&sent->left, 1);
}

/* Calls the function on the worker that got the message, or that is the sender. NULL: on none. */
void nap__sent_answer(struct nap__message *message, struct nap_worker *worker);

#endif /* NAP_ANSWER_H */
