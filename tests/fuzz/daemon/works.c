/* SPDX-License-Identifier: MIT */
/* Works: scheduled one by one, in batches, or after other works; canceled. */
#include <errno.h>

#include "daemon.h"

uint32_t graphs, graph_ends;

/* Returns the queue that gets the work's end: an open queue, or NONE. */
static uint32_t queue_of(uint32_t how)
{
	uint32_t q = how % 3;

	return q < QUEUES && queues[q].open ? q : NONE;
}

/*
 * Names the work that @canceler will cancel. Until then this work keeps its place, and its queue
 * stays open.
 */
static void aim(struct place *canceler, struct place *target)
{
	canceler->target = target;
	if (!target)
		return;
	nap_fetch_add_relaxed(&target->cancelers, 1);
	if (target->queue != NONE)
		nap_fetch_add_relaxed(&queues[target->queue].held, 1);
}

void cancel_ended(struct place *canceler)
{
	struct place *target = canceler->target;

	if (!target)
		return;
	canceler->target = NULL;
	if (target->queue != NONE)
		nap_fetch_sub_release(&queues[target->queue].held, 1);
	nap_fetch_sub_release(&target->cancelers, 1);
}

struct place *prepare_work(uint32_t p, uint32_t kind, uint32_t how)
{
	enum kind k = (enum kind)(kind % NR_KINDS);
	struct place *target = k == CANCEL ? place_to_cancel(how) : NULL, *place;

	if (k == SERIAL && !serial_share(p, how % SERIALS))
		k = PLAIN;
	place = place_take(p, k == CANCEL ? NONE : queue_of(how), k, how);
	if (place && k == CANCEL)
		aim(place, target);
	return place;
}

/* Frees a work that was refused; no other thread uses it. */
void drop_work(struct place *place)
{
	CHECK(nap_work_is_idle(&place->unit->work), 0);
	cancel_ended(place);
	place_free(place);
}

/* Schedules the work in a class of the pool, or without a class. */
static int schedule_in(struct fuzz_pool *pool, struct place *place)
{
	uint32_t which = place->arg % (NAP_CLASSES + 1);

	if (!pool->classes || which == NAP_CLASSES)
		return nap_work_schedule(pool->pool, &place->unit->work);
	return nap_class_work(pool->pool, which, &place->unit->work);
}

bool schedule_work(struct place *place)
{
	uint32_t p = place->pool;
	struct attempt attempt = attempt_begin(p);

	nap_store_relaxed(&place->ran, 0);
	nap_store_relaxed(&place->canceled, 0);
	place->pool_nr = pools[p].nr;
	return attempt_end(&attempt, schedule_in(&pools[p], place));
}

void call_work(uint32_t p, uint32_t kind, uint32_t how)
{
	struct place *place = prepare_work(p, kind, how);

	if (place && !schedule_work(place))
		drop_work(place);
}

/* Schedules a batch of @n works. The works of a refused batch end here. */
void call_batch(uint32_t p, uint32_t n, uint32_t kinds)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct place *place, *first = NULL;
	uint32_t taken = 0;

	for (; taken < n; taken++) {
		uint32_t by_n = kinds + taken * (kinds >> 4);

		place = prepare_work(p, by_n, by_n * 3);
		if (!place)
			break;
		if (!first)
			first = place;
		CHECK(nap_work_batch(&batch, &place->unit->work) == 0, taken);
		CHECK(nap_work_batch(&batch, &place->unit->work) == -EBUSY, taken);
	}
	CHECK(batch.count == taken, batch.count);
	if (taken && kinds & 1 && (first->queue != NONE || !first->has_done)) {
		CHECK(nap_cancel(&first->unit->work), 0);
		nap_store_relaxed(&first->canceled, 1);
	}
	if (!taken || !nap_schedule_batch(pools[p].pool, &batch))
		return;
	CHECK(nap_load_acquire(&pools[p].closing), p);
	helping_begin();
	CHECK(nap_work_end_left(&batch) == taken && !batch.count, batch.count);
	helping_end();
}

/*
 * Schedules a work that waits for @n other works. The @done of each other work notifies it, even if
 * that work was refused.
 */
void call_after(uint32_t p, uint32_t n, uint32_t how)
{
	struct place *target = prepare_work(p, PLAIN, how & 0x3f), *others[5];
	uint32_t taken = 0, queue;

	if (!target)
		return;
	for (; taken < n; taken++) {
		queue = queue_of(how + taken);
		others[taken] = place_take(p, queue, taken % 2 ? WATCH : PLAIN, 4);
		if (!others[taken])
			break;
		others[taken]->target = target;
	}
	if (!taken) {
		if (!schedule_work(target))
			drop_work(target);
		return;
	}
	target->waits_for = taken;
	nap_fetch_add_relaxed(&graphs, 1);
	CHECK(nap_work_after(&target->unit->after, pools[p].pool, &target->unit->work, taken) == 0,
	      p);
	while (taken--)
		if (!schedule_work(others[taken]))
			work_done(&others[taken]->unit->work, -ECANCELED);
}

void call_cancel(uint32_t nr)
{
	struct place *place = place_to_cancel(nr);

	if (!place || !nap_cancel(&place->unit->work))
		return;
	CHECK(!nap_load_relaxed(&place->canceled), nr);
	nap_store_relaxed(&place->canceled, 1);
	CHECK(!nap_cancel(&place->unit->work), nr);
}

/* Checks that a work counts as busy until the loop has got its end. */
void call_busy(uint32_t nr)
{
	struct place *place = place_to_cancel(nr);
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_after after;
	struct nap_work *work;

	if (!place || place->queue == NONE)
		return;
	work = &place->unit->work;
	CHECK(!nap_work_is_idle(work), nr);
	CHECK(nap_work_schedule(pools[place->pool].pool, work) == -EBUSY, nr);
	CHECK(nap_work_batch(&batch, work) == -EBUSY && !batch.count, nr);
	CHECK(nap_work_after(&after, pools[place->pool].pool, work, 1) == -EBUSY, nr);
}

/* Frees works without a @done that are not scheduled. */
void call_reclaim(void)
{
	for (uint32_t i = 0; i < PLACES; i++) {
		struct place *place = place_to_cancel(i);

		if (!place || place->has_done || nap_load_acquire(&place->cancelers) ||
		    !nap_work_is_idle(&place->unit->work))
			continue;
		check_end(place, nap_load_relaxed(&place->ran) ? place->answer : -ECANCELED);
		place_free(place);
	}
}
