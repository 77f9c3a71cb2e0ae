/* SPDX-License-Identifier: MIT */
/* Calls on mutexes, conditions, a semaphore and an event. */
#include "mixed.h"

static struct nap_mutex mutexes[MUTEXES];
static struct nap_cond conds[MUTEXES];
static uint32_t stock[MUTEXES];		/* under the mutex: what a wait for its condition takes */
static bool filled[MUTEXES];		/* for the driver: the stock is enough for ever */
static struct nap_sem sem;
static struct nap_event event;
static uint32_t owners[MUTEXES], released, acquired;	/* atomic */

void sync_begin(void)
{
	for (int i = 0; i < MUTEXES; i++) {
		nap_mutex_init(&mutexes[i]);
		conds[i] = (struct nap_cond)NAP_COND_INIT;
		owners[i] = stock[i] = filled[i] = 0;
	}
	nap_sem_init(&sem, 0);
	event = (struct nap_event)NAP_EVENT_INIT;
	released = acquired = 0;
}

static void owned(uint32_t m)
{
	CHECK(!nap_xchg_relaxed(&owners[m], 1), m);
}

static void disowned(uint32_t m)
{
	CHECK(nap_xchg_relaxed(&owners[m], 0), m);
}

static void unlock(uint32_t m)
{
	disowned(m);
	nap_mutex_unlock(&mutexes[m]);
}

static bool lock(uint32_t m, const struct call *call)
{
	int err = nap_mutex_lock_for(&mutexes[m], time_of(call));

	CHECK(!err || is_no_wait(err), err);
	if (!err)
		owned(m);
	return !err;
}

/*
 * Returns a mutex for @call. A fiber that waits while it owns a mutex keeps the mutex after a stop,
 * until its pool is joined. So if @keeps is set, the mutex is one that only the caller's pool uses
 * in this way.
 */
static uint32_t mutex_for(const struct call *call, bool keeps)
{
	return keeps ? call->actor->pool : call->how >> 4 & 1;
}

void call_lock(const struct call *call)
{
	bool keeps = call->actor->kind == FIBER && call->how & 12;
	uint32_t m = mutex_for(call, keeps);

	if (!lock(m, call))
		return;
	if (call->how & 4)
		nap_yield();
	if (call->how & 8 && keeps)
		nap_sleep(10 * US);
	stock[m] += call->how >> 5 & 1;
	if (call->how & 64)
		nap_cond_signal(&conds[m]);
	unlock(m);
}

/* Waits for a condition. The caller owns the mutex again after every wait, whatever its result. */
void call_cond(const struct call *call)
{
	uint32_t m = mutex_for(call, true);
	int err = 0;

	if ((call->actor->kind != FIBER && call->actor->kind != THREAD) || !lock(m, call))
		return;
	while (!stock[m] && !err) {
		disowned(m);
		err = nap_cond_wait_for(&conds[m], &mutexes[m], time_of(call));
		owned(m);
		CHECK(!err || is_no_wait(err), err);
	}
	if (!err)
		stock[m]--;
	unlock(m);
}

void call_sem(const struct call *call)
{
	int err;

	if (call->how & 4) {
		nap_fetch_add_relaxed(&released, 1 + (call->how >> 3 & 1));
		nap_sem_release(&sem, 1 + (call->how >> 3 & 1));
		return;
	}
	err = nap_sem_acquire_for(&sem, time_of(call));
	CHECK(!err || is_no_wait(err), err);
	if (!err)
		nap_fetch_add_relaxed(&acquired, 1);
}

void call_event(const struct call *call)
{
	int err = nap_event_wait_for(&event, time_of(call));

	CHECK(!err || is_no_wait(err), err);
	CHECK(err || nap_event_is_set(&event), err);
}

/*
 * Fills the stock. If the mutex's owner is a fiber of a stopped pool, the fiber unlocks only in the
 * join. The lock then times out here, and the next fill_stock() tries again.
 */
static void fill_stock(uint32_t m)
{
	bool stop = nap_load_relaxed(&stopping[0]) || nap_load_relaxed(&stopping[1]);

	if (filled[m] || nap_mutex_lock_for(&mutexes[m], stop ? 100000 * US : NAP_FOREVER))
		return;
	owned(m);
	filled[m] = true;
	stock[m] += ACTORS * CALLS;
	nap_cond_broadcast(&conds[m]);
	unlock(m);
}

/*
 * Ends all waits. Also releases enough for all later calls, because an actor that has decided to
 * wait for ever does not read let_go again.
 */
void sync_let_go(void)
{
	nap_event_set(&event);
	nap_fetch_add_relaxed(&released, ACTORS * CALLS);
	nap_sem_release(&sem, ACTORS * CALLS);
	for (uint32_t m = 0; m < MUTEXES; m++)
		fill_stock(m);
}

void sync_check(void)
{
	for (uint32_t m = 0; m < MUTEXES; m++)
		CHECK(nap_mutex_trylock(&mutexes[m]), m);
	while (nap_sem_try(&sem))
		acquired++;
	CHECK(released == acquired, released - acquired);
}
