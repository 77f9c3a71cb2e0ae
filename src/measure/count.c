/* SPDX-License-Identifier: MIT */
/*
 * Counting: src/worker/measure.h. Typically the calling thread is a worker or a registered guest,
 * and counts in the histograms of its record; all other threads share one set.
 */
#include "measure/measure.h"

#include <nap/task.h>

#include "os/os.h"
#include "worker/self.h"

/*
 * A stamp: a time and a party (a class, or ordinary tasks) in one word, which is not 0. Times do
 * not overflow for 70 years.
 */
#define STAMP_PARTIES	8u

_Static_assert(NAP_CLASSES + 1 < STAMP_PARTIES, "a stamp has room for each party");

static uint64_t stamp_of(uint64_t now, uint32_t party)
{
	return now * STAMP_PARTIES + party + 1;
}

static uint32_t stamp_party(uint64_t stamp)
{
	return stamp % STAMP_PARTIES - 1;
}

/* Returns how long ago @stamp was put. All CPUs have the same clock. */
static uint64_t stamp_age(uint64_t stamp, uint64_t now)
{
	uint64_t then = stamp / STAMP_PARTIES;

	/* Not noticed in tests when >= for >: the difference is 0, too. */
	return now > then ? now - then : 0;
}

static struct nap__measure *measure_of(struct nap_pool *pool)
{
	/* sees the measure's members: pairs with start_measure() [M6] */
	return nap_load_acquire(&pool->measure);
}

/*
 * Returns the histograms in which the calling thread counts. *@shared: whether other threads count
 * in them, too.
 */
static struct nap__measured *own_measured(struct nap__measure *measure, struct nap_pool *pool,
					  bool *shared)
{
	struct nap_worker *worker = own_worker(pool);

	/* Not noticed in tests when > for >=: no worker has the index behind the last one. */
	*shared = !worker || worker->index >= measure->workers;
	return measured_at(measure, *shared ? measure->workers : worker->index);
}

/* Whether @task is a serial or ordered queue's own task, which is not measured. */
static bool is_set_aside(struct nap_task *task)
{
	return nap__self()->set_aside == task;
}

/* Puts @stamp for each task of a list. @of: the histograms of the tasks' party. */
static void put_stamps(struct nap__measure *measure, struct nap__histogram *of, bool shared,
		       uint64_t stamp, struct nap_task *head, struct nap_task *tail)
{
	struct nap__stamp *stamps = measure->stamps;

	for (struct nap_task *task = head;; task = task->next) {
		if (!stamp_put(stamps, measure->mask, (uintptr_t)task, stamp))
			histogram_add(&of[NAP_MEASURE_WAIT].missed, 1, shared);
		if (task == tail)
			return;
	}
}

static void count_lengths(struct nap__histogram *of, bool shared, uint64_t length,
			  struct nap_task *head, struct nap_task *tail)
{
	for (struct nap_task *task = head;; task = task->next) {
		histogram_count(of, ++length, shared);
		if (task == tail)
			return;
	}
}

void nap__measure_put(struct nap_pool *pool, uint32_t party, uint64_t length, struct nap_task *head,
		      struct nap_task *tail)
{
	struct nap__measure *measure = measure_of(pool);
	struct nap__histogram *of;
	bool shared;

	if (is_set_aside(head))
		return;
	of = own_measured(measure, pool, &shared)->of[measure_place(party)];
	count_lengths(&of[NAP_MEASURE_QUEUE], shared, length, head, tail);
	put_stamps(measure, of, shared, stamp_of(nap__os_now(), party), head, tail);
}

void nap__measure_put_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
			  struct nap_task *tail)
{
	struct nap__measure *measure = measure_of(pool);
	struct nap__histogram *of;
	bool shared;

	of = own_measured(measure, pool, &shared)->of[measure_place(PARTY_ORDINARY)];
	put_stamps(measure, of, shared, stamp_of(when, PARTY_ORDINARY), head, tail);
}

uint64_t nap__measure_begin(struct nap_pool *pool, struct nap_task *task)
{
	struct nap__measure *measure = measure_of(pool);
	uint64_t stamp = stamp_take(measure->stamps, measure->mask, (uintptr_t)task), now;
	struct nap__histogram *of;
	bool shared;

	if (!stamp)
		return 0;
	now = nap__os_now();
	of = own_measured(measure, pool, &shared)->of[measure_place(stamp_party(stamp))];
	histogram_count(&of[NAP_MEASURE_WAIT], stamp_age(stamp, now), shared);
	return stamp_of(now, stamp_party(stamp));
}

void nap__measure_end(struct nap_pool *pool, uint64_t begun)
{
	uint64_t age = stamp_age(begun, nap__os_now());
	struct nap__histogram *of;
	bool shared;

	of = own_measured(measure_of(pool), pool, &shared)->of[measure_place(stamp_party(begun))];
	histogram_count(&of[NAP_MEASURE_RUN], age, shared);
}

/*
 * The event that wakes the worker orders this store before nap__measure_woken(). A later waker
 * stores again. If the worker sees the later time too late, one wake is not counted.
 */
void nap__measure_wake(struct nap_worker *worker)
{
	struct nap__measure *measure = measure_of(worker->pool);

	if (worker->index < measure->workers)
		nap_store_relaxed(&measure_waking(measure, worker->index)->at, nap__os_now());
}

void nap__measure_woken(struct nap_worker *worker)
{
	struct nap__measure *measure = measure_of(worker->pool);
	struct nap__waking *waking;
	uint64_t at, now;

	if (worker->index >= measure->workers)
		return;
	waking = measure_waking(measure, worker->index);
	at = nap_load_relaxed(&waking->at);
	if (at == waking->seen)
		return;
	waking->seen = at;
	now = nap__os_now();
	/*
	 * Only the thread that has the record writes its histograms, so they are not shared. Not
	 * noticed in tests when >= for > or true for false: the sums are the same.
	 */
	histogram_count(&measured_at(measure, worker->index)->wake, now > at ? now - at : 0, false);
}
