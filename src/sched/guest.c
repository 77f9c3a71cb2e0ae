/* SPDX-License-Identifier: MIT */
/*
 * Becoming a guest, and leaving: src/sched/guest.h. Typically a record that an earlier guest has
 * used is free, and one compare-exchange takes it (src/thread/spawn.c).
 */
#include "sched/guest.h"

#include <string.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "thread/spawn.h"
#include "worker/exclusive.h"
#include "worker/worker.h"
#include "worker/source.h"

static void count(struct nap_worker *guest)
{
	guest->run_before = guest->stats.run;
	nap_store_relaxed(&guest->exclusive, is_exclusive());
	/* Relaxed: the read-modify-write continues the release sequences of earlier guests. [H1] */
	nap_fetch_add_relaxed(&guest->pool->guests, GUEST_ONE);
	/* Count the guest before it touches a queue; pairs with nap__pool_at_rest() [Q3] */
	nap_fence_seq_cst();
}

struct nap_worker *nap__guest_begin(struct nap_pool *pool)
{
	struct nap_worker *guest = nap__guest_record(pool);

	if (guest) {
		happens_after(guest);
		count(guest);
	}
	return guest;
}

struct nap_worker *nap__guest_begin_unregistered(struct nap_pool *pool,
						 struct nap__unregistered *aside)
{
	struct nap_worker *guest = (struct nap_worker *)(void *)aside;

	memset(aside, 0, sizeof(*aside));
	nap__record_init(pool, guest, GUEST_UNREGISTERED, true);
	deque_init(&guest->deque, guest->frames, 0);
	count(guest);
	return guest;
}

void nap__guest_end(struct nap_worker *guest)
{
	struct nap_pool *pool = guest->pool;

	if (guest_is_unregistered(guest)) {
		nap__locals_end(guest);
		/* by @end of nap/local.h, which has returned in the child */
		if (pool_forked(pool))
			return;
	}
	happens_before(pool);
	happens_before(guest);
	nap__idle_stop_search(guest, false);
	nap_fetch_add_relaxed(&pool->helped, guest->stats.run - guest->run_before);
	/* Publishes what this guest did: pairs with nap__pool_at_rest(). [H1] */
	nap_fetch_sub_release(&pool->guests, 1);
	if (!guest_is_unregistered(guest))
		/* Publishes what this guest did with the record: pairs with reuse_record(). [R3] */
		nap_store_release(&guest->record, RECORD_FREE);
	/*
	 * Leave before checking for waiters; pairs with the watcher's fence, and call_enlist() [Q1]
	 */
	nap_fence_seq_cst();
	nap__idle_wake_watchers(pool);
	nap__sources_hear(pool, NEWS_GUEST_LEFT, NULL);
}
