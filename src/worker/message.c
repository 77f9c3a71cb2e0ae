/* SPDX-License-Identifier: MIT */
/* Emptying a mailbox: src/worker/message.h. Typically the worker takes its message, and answers. */
#include "worker/message.h"

/* Sets the mailbox to @to, and returns the message that was there, or NULL. */
static struct nap__message *empty_box(struct nap_worker *worker, enum nap__mailbox to)
{
	/* Sees the message: pairs with message_post(). [B1] */
	uintptr_t message = nap_xchg_acquire(&worker->mailbox, to);

	return message > MESSAGE_NONE ? (struct nap__message *)message : NULL;
}

void nap__answer_message(struct nap_worker *worker)
{
	struct nap__message *message = empty_box(worker, MESSAGE_NONE);

	message->answer(message, worker);
}

void nap__messages_end(struct nap_worker *worker, bool is_worker)
{
	struct nap__message *message = empty_box(worker, MAILBOX_CLOSED);

	if (message)
		message->answer(message, is_worker ? worker : NULL);
}
