/* SPDX-License-Identifier: MIT */
/*
 * A worker's mailbox holds a message that is sent to this worker alone. It holds one message at a
 * time, because only one thread at a time sends: src/fork/broadcast.c.
 *
 *	worker->mailbox:  CLOSED --start--> NONE --post--> a message --answer--> NONE
 *	                     any --end, or a start that failed--> CLOSED
 *
 *	sender                            worker
 *	------                            ------
 *	post the message                  is there a message? (before each search, and
 *	EVENT_MESSAGE                         before the worker ends)
 *	                                  sleep on its event
 *	                                  take the message, call its function
 *
 * The event keeps the bit until the worker sleeps next, so no message is missed. If the message was
 * answered before, the bit causes one spurious wake.
 *
 * Typically each worker is asleep, and is woken by its message.
 */
#ifndef NAP_MESSAGE_H
#define NAP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "sync/event.h"
#include "worker/worker.h"

/* A message. It belongs to the sender, and @answer touches it last. */
struct nap__message {
	/*
	 * Called when @worker has taken the message. @worker is NULL if no worker answers, because
	 * the worker could not be started.
	 */
	void (*answer)(struct nap__message *message, struct nap_worker *worker);
};

enum nap__mailbox { MAILBOX_CLOSED, MESSAGE_NONE };

/* Called by the starter: from now on messages can be sent to @worker. */
static inline void messages_begin(struct nap_worker *worker)
{
	nap_store_relaxed(&worker->mailbox, MESSAGE_NONE);
}

/*
 * Closes the mailbox. Called by the worker (@is_worker), which answers a message that is there, or
 * by the starter of a worker that could not be started.
 */
void nap__messages_end(struct nap_worker *worker, bool is_worker);

/* Sends a message, from the only sender. False: the mailbox is closed. */
static inline bool message_post(struct nap__message *message, struct nap_worker *worker)
{
	/* The message is written before this: pairs with empty_box(). [B1] */
	if (nap_cmpxchg_release(&worker->mailbox, MESSAGE_NONE, (uintptr_t)message) != MESSAGE_NONE)
		return false;
	event_set(&worker->event, EVENT_MESSAGE);
	return true;
}

/* Called by @worker: whether it has a message. */
static inline bool message_waits(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->mailbox) > MESSAGE_NONE;
}

/* Called by a worker that has a message: answers the message. */
void nap__answer_message(struct nap_worker *worker);

#endif /* NAP_MESSAGE_H */
