/* SPDX-License-Identifier: MIT */
/*
 * A worker's message box: what a broadcast (src/fork/broadcast.c) has for that worker alone. It
 * holds one message at a time, because there is one broadcast at a time.
 *
 *	worker->mailbox:  CLOSED --start--> NONE --post--> a message --answer--> NONE
 *	                     any --end, or a start that failed--> CLOSED
 *
 *	sender                            worker
 *	------                            ------
 *	count it, post                    is there a message? before each search, and before it ends
 *	EVENT_MESSAGE                      sleep on its event
 *	                                  take the message, call the function, count down
 *
 * The event keeps the bit until the worker sleeps next, so no message is missed. A message that was
 * answered before leaves a bit for which the worker wakes in vain, once.
 *
 * Typically each worker is asleep, and is woken by its message.
 */
#ifndef NAP_MESSAGE_H
#define NAP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/call.h>

#include "arch/atomic.h"
#include "sync/event.h"
#include "sync/latch.h"
#include "worker/worker.h"

/* The same one for all, on its sender's stack. The one that counts down last touches it last. */
struct nap__message {
	nap_call_fn fn;
	void *arg;
	uint32_t left;			/* A: answers to come, and one for the sender */
	uint32_t called;		/* A: how many were in @fn */
	struct nap_worker *sender;
	struct nap_frame frame;		/* for its latch: all have answered */
};

enum nap__mailbox { MAILBOX_CLOSED, MESSAGE_NONE };

/* Its starter: from now on @worker is one of those that are sent messages. */
static inline void messages_begin(struct nap_worker *worker)
{
	nap_store_relaxed(&worker->mailbox, MESSAGE_NONE);
}

/*
 * The worker (@is_worker), or its starter when it has not come to be: no message from now on. The
 * worker answers what is there; for one that never was nobody does.
 */
void nap__messages_(struct nap_worker *worker, bool is_worker);

/* Which of the broadcasting threads has its turn. */
static inline void message_post(struct nap__message *message, struct nap_worker *worker)
{
	nap_fetch_add_relaxed(&message->left, 1);
	/* Pairs with empty_box(): the message. [B1] */
	if (nap_cmpxchg_release(&worker->mailbox, MESSAGE_NONE, (uintptr_t)message) ==
	    MESSAGE_NONE)
		event_set(&worker->event, EVENT_MESSAGE);
	else
		nap_fetch_sub_relaxed(&message->left, 1);
}

/* The worker. */
static inline bool message_waits(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->mailbox) > MESSAGE_NONE;
}

/* The worker, which has a message. */
void nap__answer_message(struct nap_worker *worker);

/* The sender, if it is a worker: call the function, too. */
void nap__message_answer(struct nap__message *message, struct nap_worker *worker);

/* One answer less to come. */
void nap__message_count_down(struct nap__message *message);

#endif /* NAP_MESSAGE_H */
