/* SPDX-License-Identifier: MIT */
/*
 * nap/submit.h. A function needs a slot, from its submit until it has returned. When all slots are
 * taken a submit is refused, or waits. @mark is called by the thread that has passed a mark.
 *
 * submit->taken counts the slots that are taken. The next of a taken slot is TAKEN.
 */
#include "spec.h"

enum { FREE, TAKEN };

static uint64_t limit_of(const struct nap_submitter *submit)
{
	uint32_t limit = relaxed(&submit->limit);

	return limit ? limit : submit->count;
}

/*
 * Called when the number of taken slots has become @taken: passes the @high or the low mark, if the
 * mark is at this number. Returns whether this thread has passed the mark.
 */
static bool passes(struct nap_submitter *submit, uint64_t taken, bool high)
{
	return submit->high && taken == (high ? submit->high : submit->low) &&
	       cas_relaxed(&submit->event, high ? 0 : 1, high ? 1 : 0);
}

/* Takes a slot. A slot is free as soon as the count says so, or a moment before. */
static struct nap_slot *take(struct nap_submitter *submit, bool *marks)
{
	uint64_t taken = relaxed(&submit->taken);

	do {
		if (taken >= limit_of(submit))
			return NULL;
	} while (!try_acquire(&submit->taken, &taken, taken + 1));
	*marks = passes(submit, taken + 1, true);
	for (uint32_t i = 0;; i = (i + 1) % submit->count)
		if (cas_acquire(&submit->slots[i].next, FREE, TAKEN))
			return &submit->slots[i];
}

static void give_back(struct nap_slot *slot)
{
	struct nap_submitter *submit = slot->submit;
	uint64_t taken;

	store_release(&slot->next, FREE);
	taken = __atomic_fetch_sub(&submit->taken, 1, __ATOMIC_RELEASE) - 1;
	if (passes(submit, taken, false) && submit->mark)
		submit->mark(submit);
}

static void run_slot(struct nap_task *task)
{
	struct nap_slot *slot = nap_container_of(task, struct nap_slot, task);

	slot->fn(slot->arg);
	give_back(slot);
}

/* Returns 0, -EAGAIN or -ESHUTDOWN. */
static int submit_now(struct nap_submitter *submit, nap_submit_fn fn, void *arg)
{
	bool marks = false;
	struct nap_slot *slot = take(submit, &marks);
	int err;

	if (!slot)
		return acquire(&spec_of(submit->pool)->outside) & 1 && !is_inside(submit->pool) ?
			       -ESHUTDOWN : -EAGAIN;
	nap_task_init(&slot->task, run_slot);
	slot->fn = fn;
	slot->arg = arg;
	slot->submit = submit;
	err = submit->schedule ? submit->schedule(submit->pool, submit->which, &slot->task) :
				 nap_schedule(submit->pool, &slot->task);
	if (err)
		give_back(slot);
	else if (marks && submit->mark)
		submit->mark(submit);
	return err;
}

static bool is_usable(const struct nap_submitter *submit, nap_submit_fn fn)
{
	return submit && fn && submit->pool && submit->count && submit->count <= NAP_SLOTS;
}

int nap_submit(struct nap_submitter *submit, nap_submit_fn fn, void *arg)
{
	int err = is_usable(submit, fn) ? submit_now(submit, fn, arg) : -EINVAL;

	if (err == -EAGAIN)
		__atomic_fetch_add(&submit->refused, 1, __ATOMIC_RELAXED);
	return err;
}

/* Whether a function in a slot @waits for a slot, and the functions in all other slots do, too. */
static bool all_wait(struct nap_submitter *submit, bool waits)
{
	return waits && relaxed(&submit->stuck) >= relaxed(&submit->taken);
}

static int submit_until(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
			uint64_t deadline, bool only)
{
	bool waits;
	int err;

	if (!is_usable(submit, fn))
		return -EINVAL;
	while ((err = submit_now(submit, fn, arg)) == -EAGAIN) {
		waits = is_inside(submit->pool) && spec_self->task &&
			spec_self->task->run == run_slot && !is_timed(deadline);
		if (waits)
			__atomic_fetch_add(&submit->stuck, 1, __ATOMIC_RELAXED);
		if (!only)
			spec_waits();
		err = WAIT("a slot of", submit,
			   relaxed(&submit->taken) < limit_of(submit) || all_wait(submit, waits) ||
			   is_stopped(submit->pool), deadline);
		if (!only)
			spec_goes_on();
		if (!err && relaxed(&submit->taken) >= limit_of(submit) && all_wait(submit, waits))
			err = -EDEADLK;
		if (waits)
			__atomic_fetch_sub(&submit->stuck, 1, __ATOMIC_RELAXED);
		if (is_stopped(submit->pool))
			err = -ESHUTDOWN;
		if (err)
			return err;
	}
	return err;
}

int nap_submit_wait_until(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
			  uint64_t deadline)
{
	return submit_until(submit, fn, arg, deadline, false);
}

int nap_submit_wait(struct nap_submitter *submit, nap_submit_fn fn, void *arg, uint64_t timeout_ns)
{
	return submit_until(submit, fn, arg, timeout_ns, false);
}

int nap_submit_wait_only(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
			 uint64_t deadline)
{
	return submit_until(submit, fn, arg, deadline, true);
}

bool nap_submit_is_high(const struct nap_submitter *submit)
{
	return relaxed(&submit->event);
}

int nap_submit_init(struct nap_submitter *submit, struct nap_pool *pool, struct nap_slot *slots,
		    uint32_t count, uint32_t high, uint32_t low, nap_mark_fn mark, void *arg)
{
	if (!submit || !pool || !slots || (uintptr_t)submit % sizeof(void *) || !count ||
	    count > NAP_SLOTS || (high && (low >= high || high > count)))
		return -EINVAL;
	*submit = (struct nap_submitter){ .pool = pool, .slots = slots, .count = count,
					  .high = high, .low = low, .mark = mark, .arg = arg };
	for (uint32_t i = 0; i < count; i++)
		store_relaxed(&slots[i].next, FREE);
	return 0;
}

int nap_submit_set_class(struct nap_submitter *submit, uint32_t which)
{
	if (!submit || !spec_class_of(submit->pool, which))
		return -EINVAL;
	submit->which = which;
	submit->schedule = nap_class_schedule;
	return 0;
}

int nap_submit_set_count(struct nap_submitter *submit, uint32_t count)
{
	if (!submit || !count || count > submit->count)
		return -EINVAL;
	store_relaxed(&submit->limit, count);
	return 0;
}

size_t nap_submit_end_left(struct nap_batch *left, void (*ended)(nap_submit_fn fn, void *arg))
{
	struct nap_batch others = NAP_BATCH_INIT;
	struct nap_task *task;
	size_t nr = 0;

	while ((task = nap_batch_pop(left))) {
		struct nap_slot *slot = nap_container_of(task, struct nap_slot, task);

		if (task->run != run_slot) {
			nap_batch_push(&others, task);
			continue;
		}
		nr++;
		if (ended)
			ended(slot->fn, slot->arg);
		give_back(slot);
	}
	nap_batch_concat(left, &others);
	return nr;
}
