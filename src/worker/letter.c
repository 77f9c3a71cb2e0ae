// SPDX-License-Identifier: MIT
/*
 * Answering letters: src/worker/letter.h.
 *
 * While a worker is in the function it runs nothing else. A task nested there could begin a
 * broadcast itself, which would wait for the one below it on the same stack.
 */
#include "worker/letter.h"

#include "os/happens.h"
#include "worker/debug_jobs.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"

static void call(struct nap__letter *letter, struct nap_worker *worker)
{
	uint32_t forked = debug_forked(worker);
	uintptr_t nesting = nesting_off();
	nap_call_fn fn = letter->fn;

	nothing_leaves();
	unseen_end();
	fn(worker, letter->arg);
	unseen_begin();
	nesting_back(nesting);
	debug_returned(worker, forked, "function of a broadcast", (void *)fn);
}

void nap__letter_count_down(struct nap__letter *letter)
{
	uint32_t *event = &letter->sender->event;

	/* What all have done, to be carried on by the last one's latch_set(). [L1] */
	if (nap_fetch_sub_acq_rel(&letter->left, 1) == 1)
		latch_set(&letter->frame, event);
}

void nap__letter_answer(struct nap__letter *letter, struct nap_worker *worker)
{
	happens_after(letter);
	call(letter, worker);
	/* In the child of a fork the sender's stack is anybody's. */
	if (pool_forked(worker->pool))
		return;
	happens_before(&letter->frame);
	nap_fetch_add_relaxed(&letter->called, 1);
	nap__letter_count_down(letter);
}

/* What was in the box, which is @to now; NULL: nothing. */
static struct nap__letter *empty_box(struct nap_worker *worker, enum nap__letter_box to)
{
	/* Pairs with letter_post(). [B1] */
	uintptr_t letter = nap_xchg_acquire(&worker->letter_box, to);

	return letter > LETTER_NONE ? (struct nap__letter *)letter : NULL;
}

void nap__answer_letter(struct nap_worker *worker)
{
	nap__letter_answer(empty_box(worker, LETTER_NONE), worker);
}

void nap__letters_end(struct nap_worker *worker, bool is_worker)
{
	struct nap__letter *letter = empty_box(worker, LETTER_CLOSED);

	if (letter && is_worker)
		nap__letter_answer(letter, worker);
	else if (letter)
		nap__letter_count_down(letter);
}
