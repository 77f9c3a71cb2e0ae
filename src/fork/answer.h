/* SPDX-License-Identifier: MIT */
/* The message of a broadcast (src/fork/broadcast.c), and its answers. */
#ifndef NAP_ANSWER_H
#define NAP_ANSWER_H

#include <nap/call.h>

#include "sync/latch.h"
#include "worker/message.h"

/*
 * The message of one broadcast for all workers, on its sender's stack. The thread that counts @left
 * down to 0 touches the message last.
 */
struct nap__sent {
	struct nap__message message;	/* answered by nap__sent_answer() */
	nap_call_fn fn;
	void *arg;
	uint32_t left;			/* A: answers to come, and one for the sender */
	uint32_t called;		/* A: workers that have called @fn */
	struct nap_worker *sender;
	struct nap_frame frame;		/* its latch is set when all workers have answered */
};

/*
 * Called by the sender, when no other broadcast runs in the pool: sends the message, and expects
 * one more answer if the mailbox is open.
 */
static inline void sent_post(struct nap__sent *sent, struct nap_worker *worker)
{
	nap_fetch_add_relaxed(&sent->left, 1);
	if (!message_post(&sent->message, worker))
		nap_fetch_sub_relaxed(&sent->left, 1);
}

/*
 * Answers the message: calls the function on @worker, the receiver or the sender, unless @worker is
 * NULL; then counts the answer.
 */
void nap__sent_answer(struct nap__message *message, struct nap_worker *worker);

#endif /* NAP_ANSWER_H */
