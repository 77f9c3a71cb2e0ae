/* SPDX-License-Identifier: MIT */
/*
 * Submitting functions (nap/submit.h) in slots (src/kit/slots.h).
 *
 * Typically a slot is free, and its task is scheduled; the worker that runs the task gives the slot
 * back. src/kit/submit_wait.c waits for a slot.
 */
#include <nap/submit.h>

#include <errno.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "kit/slots.h"
#include "os/happens.h"
#include "sync/debug.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

static void give_back(struct nap_slot *slot)
{
	struct nap_submitter *submit = slot->submit;

	unseen_begin();
	slots_push(submit, slot);
	slots_count_down(submit);
	unseen_end();
}

static void run_slot(struct nap_task *task)
{
	struct nap_slot *slot = nap_container_of(task, struct nap_slot, task);
	uint32_t process = nap_load_relaxed(&nap__fork_gen);
	nap_submit_fn fn;
	void *arg;

	unseen_begin();
	slots_begin(slot);
	fn = slot->fn;
	arg = slot->arg;
	unseen_end();
	fn(arg);
	/* The function may have forked; in the child the slot and the mark belong to the parent. */
	if (nap_load_relaxed(&nap__fork_gen) == process)
		give_back(slot);
}

/* ---- submitting */

/* Whether the pool refuses this thread's submits, even if a slot is free. */
static bool submit_is_over(struct nap_pool *pool)
{
	struct nap_worker *worker;
	bool over;

	unseen_begin();
	worker = own_inside(pool);
	over = worker ? pool_stopped_or_forked(pool) :
			nap_load_relaxed(&pool->phase) != PHASE_RUNNING || pool_forked(pool);
	unseen_end();
	return over;
}

static void slot_fill(struct nap_slot *slot, struct nap_submitter *submit, nap_submit_fn fn,
		      void *arg)
{
	nap_task_init(&slot->task, run_slot);
	slot->fn = fn;
	slot->arg = arg;
	slot->submit = submit;
}

/* Takes a slot for @fn. NULL: all are taken. */
static struct nap_slot *submit_take_slot(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
					 bool *passed)
{
	struct nap_slot *slot;

	unseen_begin();
	slot = slots_count_up(submit, passed) ? slots_pop(submit) : NULL;
	if (slot)
		slot_fill(slot, submit, fn, arg);
	unseen_end();
	return slot;
}

static void call_mark(struct nap_submitter *submit)
{
	unseen_begin();
	slots_call_mark(submit);
	unseen_end();
}

int nap__submit_one(struct nap_submitter *submit, nap_submit_fn fn, void *arg)
{
	struct nap_slot *slot;
	bool passed;
	int err;

	/* A submit that is refused must not pass a mark, least of all in the child of a fork. */
	if (submit->mark && submit_is_over(submit->pool))
		return -ESHUTDOWN;
	slot = submit_take_slot(submit, fn, arg, &passed);
	if (!slot)
		return submit_is_over(submit->pool) ? -ESHUTDOWN : -EAGAIN;
	err = submit->schedule ? submit->schedule(submit->pool, submit->which, &slot->task) :
				 nap_schedule(submit->pool, &slot->task);
	if (err)
		give_back(slot);
	if (passed)
		call_mark(submit);
	return err;
}

int nap__submit_check(const struct nap_submitter *submit, nap_submit_fn fn)
{
	return submit && fn && submit->pool && submit->slots && submit->count &&
	       submit->count <= NAP_SLOTS ? 0 : -EINVAL;
}

int nap_submit(struct nap_submitter *submit, nap_submit_fn fn, void *arg)
{
	int err = nap__submit_check(submit, fn);

	if (err)
		return err;
	err = nap__submit_one(submit, fn, arg);
	if (err == -EAGAIN) {
		unseen_begin();
		nap_fetch_add_relaxed(&submit->refused, 1);
		unseen_end();
	}
	return err;
}

/* ---- initialisation, count, statistics, end */

int nap_submit_init(struct nap_submitter *submit, struct nap_pool *pool, struct nap_slot *slots,
		    uint32_t count, uint32_t high, uint32_t low, nap_mark_fn mark, void *arg)
{
	/* Not noticed in tests when >= for >: NAP_SLOTS slots take 640 MB. */
	if (!submit || !pool || !slots || (uintptr_t)submit % _Alignof(struct nap_submitter) ||
	    !count || count > NAP_SLOTS || (high && (low >= high || high > count)))
		return -EINVAL;
	debug_aligned(pool, __func__, __builtin_return_address(0));
	*submit = (struct nap_submitter){ .pool = pool, .slots = slots, .count = count,
					  .high = high, .low = low, .mark = mark, .arg = arg };
	for (uint32_t i = 0; i < count; i++)
		slots[i].next = 0;
	return 0;
}

int nap_submit_set_count(struct nap_submitter *submit, uint32_t count)
{
	if (!submit || !count || count > submit->count)
		return -EINVAL;
	unseen_begin();
	nap_store_relaxed(&submit->limit, count);
	slots_notify_all(submit);
	unseen_end();
	return 0;
}

bool nap_submit_is_high(const struct nap_submitter *submit)
{
	bool is_high;

	unseen_begin();
	is_high = submit && nap_load_relaxed((uint64_t *)&submit->taken) & TAKEN_HIGH;
	unseen_end();
	return is_high;
}

int nap_submit_get_stats(const struct nap_submitter *submit, struct nap_submit_stats *stats)
{
	if (!submit || !stats)
		return -EINVAL;
	unseen_begin();
	*stats = (struct nap_submit_stats){
		.taken = slots_taken(nap_load_relaxed((uint64_t *)&submit->taken)),
		.most = nap_load_relaxed((uint32_t *)&submit->most),
		.count = slots_limit(submit),
		.refused = nap_load_relaxed((uint64_t *)&submit->refused),
	};
	unseen_end();
	return 0;
}

size_t nap_submit_end_left(struct nap_batch *left, void (*ended)(nap_submit_fn fn, void *arg))
{
	struct nap_batch others = NAP_BATCH_INIT;
	size_t n = 0;

	if (!left)
		return 0;
	for (struct nap_task *task; (task = nap_batch_pop(left)); ) {
		struct nap_slot *slot = nap_container_of(task, struct nap_slot, task);

		if (task->run != run_slot) {
			nap_batch_push(&others, task);
			continue;
		}
		if (ended)
			ended(slot->fn, slot->arg);
		give_back(slot);
		n++;
	}
	*left = others;
	return n;
}
