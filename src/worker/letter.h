/* SPDX-License-Identifier: MIT */
/*
 * A worker's letter box: what a broadcast (src/fork/broadcast.c) has for that worker alone. It
 * holds one letter at a time, because there is one broadcast at a time.
 *
 *	worker->letter_box:  CLOSED --start--> NONE --post--> a letter --answer--> NONE
 *	                     any --end, or a start that failed--> CLOSED
 *
 *	sender                            worker
 *	------                            ------
 *	count it, post                    is there a letter? before each search, and before it ends
 *	EVENT_LETTER                      sleep on its event
 *	                                  take the letter, call the function, count down
 *
 * The event keeps the bit until the worker sleeps next, so no letter is missed. A letter that was
 * answered before leaves a bit for which the worker wakes in vain, once.
 *
 * Typically each worker is asleep, and is woken by its letter.
 */
#ifndef NAP_LETTER_H
#define NAP_LETTER_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/call.h>

#include "arch/atomic.h"
#include "sync/event.h"
#include "sync/latch.h"
#include "worker/worker.h"

/* The same one for all, on its sender's stack. The one that counts down last touches it last. */
struct nap__letter {
	nap_call_fn fn;
	void *arg;
	uint32_t left;			/* A: answers to come, and one for the sender */
	uint32_t called;		/* A: how many were in @fn */
	struct nap_worker *sender;
	struct nap_frame frame;		/* for its latch: all have answered */
};

enum nap__letter_box { LETTER_CLOSED, LETTER_NONE };

/* Its starter: from now on @worker is one of those that are sent letters. */
static inline void letters_begin(struct nap_worker *worker)
{
	nap_store_relaxed(&worker->letter_box, LETTER_NONE);
}

/*
 * The worker (@is_worker), or its starter when it has not come to be: no letter from now on. The
 * worker answers what is there; for one that never was nobody does.
 */
void nap__letters_end(struct nap_worker *worker, bool is_worker);

/* Which of the broadcasting threads has its turn. */
static inline void letter_post(struct nap__letter *letter, struct nap_worker *worker)
{
	nap_fetch_add_relaxed(&letter->left, 1);
	/* Pairs with empty_box(): the letter. [B1] */
	if (nap_cmpxchg_release(&worker->letter_box, LETTER_NONE, (uintptr_t)letter) ==
	    LETTER_NONE)
		event_set(&worker->event, EVENT_LETTER);
	else
		nap_fetch_sub_relaxed(&letter->left, 1);
}

/* The worker. */
static inline bool letter_waits(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->letter_box) > LETTER_NONE;
}

/* The worker, which has a letter. */
void nap__answer_letter(struct nap_worker *worker);

/* The sender, if it is a worker: call the function, too. */
void nap__letter_answer(struct nap__letter *letter, struct nap_worker *worker);

/* One answer less to come. */
void nap__letter_count_down(struct nap__letter *letter);

#endif /* NAP_LETTER_H */
