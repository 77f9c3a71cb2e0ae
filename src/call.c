// SPDX-License-Identifier: MIT
/*
 * A function that forks, called from outside the pool: the caller becomes a worker for as long as
 * it lasts, on one of the records that are there for guests. When all are taken it leaves the
 * function to the pool as a task, and waits.
 *
 * A guest sleeps and is woken like a worker, and then counts as idle; it does not count as spawned,
 * for no worker is missing because of it. So the word may say "quiet" while one is inside, but the
 * pool is not at rest: that its record says. It is inside the intake, as every call that brings
 * work: a shutdown waits until it has left.
 */
#include <errno.h>

#include <nap/nap.h>

#include "atomic.h"
#include "call.h"
#include "debug.h"
#include "debug_jobs.h"
#include "gate.h"
#include "idle/idle.h"
#include "os.h"
#include "phase.h"
#include "pool.h"
#include "queue/kind.h"
#include "registry.h"

/* On the caller's stack, when it is left to the pool. */
struct call {
	struct nap_task task;
	struct nap_group group;
	struct nap_pool *pool;
	nap_call_fn fn;
	void *arg;
	int err;
};

/* ---- guests */

/* Become a guest; NULL: there is no place. */
static struct nap_worker *guest_begin(struct nap_pool *pool)
{
	struct nap_worker *guest = NULL;

	/* The idle protocol's fields have to hold them, too. */
	if (nap_load_relaxed(&pool->limit) <= NAP_MAX_WORKERS - NAP_GUESTS)
		guest = nap__guest_record(pool);
	if (!guest)
		return NULL;
	nap_fetch_add_relaxed(&pool->guests, 1);
	nap_store_relaxed(&guest->rest, guest->rest + 1);
	/* Counted before any queue is touched; pairs with pool_at_rest() [Q3] */
	nap_fence_seq_cst();
	return guest;
}

static void guest_end(struct nap_worker *guest)
{
	struct nap_pool *pool = guest->pool;

	nap__idle_cancel(guest);
	nap_fetch_sub_relaxed(&pool->guests, 1);
	/* Pairs with pool_at_rest(): what was done here. [Q3] */
	nap_store_release(&guest->rest, guest->rest + 1);
	/* Pairs with claiming. [R3] */
	nap_store_release(&guest->record, RECORD_FREE);
	nap_fence_seq_cst();	/* leave before looking; pairs with the watcher's fence [Q1] */
	nap__idle_wake_watchers(pool);
}

static void call_on(struct nap_worker *worker, nap_call_fn fn, void *arg)
{
	uint32_t forked = debug_forked(worker);
	struct nap__outer before;

	become(worker, &before);
	fn(worker, arg);
	back_to(&before);
	debug_returned(worker, forked, "function that was called", (void *)fn);
}

/* False: there is no place for a guest. The caller is inside the pool. */
static bool call_as_guest(struct nap_pool *pool, nap_call_fn fn, void *arg)
{
	struct nap_worker *guest = guest_begin(pool);

	if (!guest)
		return false;
	call_on(guest, fn, arg);
	/* In the child of a fork nothing is left to leave. */
	if (!pool_forked(pool))
		guest_end(guest);
	return true;
}

/* ---- left to the pool */

/* Whether somebody runs calls: a worker, or a helper on a guest's place that gets free. */
static bool can_run_calls(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) || nap_load_relaxed(&pool->nr_guests);
}

static void call_run(struct nap_task *task)
{
	struct call *call = nap_container_of(task, struct call, task);
	struct nap_pool *pool = call->pool;
	struct nap_worker *worker = own_worker(pool);

	if (worker) {
		call_on(worker, call->fn, call->arg);
	} else if (!call_as_guest(pool, call->fn, call->arg)) {
		/* A thread that helps cannot fork without a place. */
		if (can_run_calls(pool)) {
			nap__self()->helping->gave_back = true;
			inject_push(&pool->inject, task, task);
			nap__idle_notify(pool);
			return;
		}
		call->err = -EAGAIN;
	}
	nap_group_done(&call->group);
}

bool nap__call_cancel(struct nap_task *task)
{
	struct call *call = nap_container_of(task, struct call, task);

	if (task->run != call_run)
		return false;
	call->err = -ECANCELED;
	nap_group_done(&call->group);
	return true;
}

/*
 * It has been published, and the wait for it has been given up, but it lies on this stack: it runs,
 * or will, or the pool is stopped and it is in a queue. There it is looked for, since the joiner
 * may be waiting for this very thread before it looks: one that helps, or a worker further up the
 * stack. Where the gate is closed it is not.
 */
static void call_wait_still(struct call *call)
{
	struct nap__outer before;
	struct nap_pool *pool = call->pool;
	bool helping = is_helping(pool), entered = !helping && gate_enter(&pool->visits);

	/* As nobody's worker, whose end would end this wait, too. */
	call->group.pool = NULL;
	become(NULL, &before);
	do {
		if ((helping || entered) && pool_canceled(pool))
			nap__cancel_calls(pool);
	} while (nap_group_wait_for(&call->group, helping || entered ? SOON_NS : NAP_FOREVER));
	back_to(&before);
	if (entered)
		gate_leave(&pool->visits);
}

/* The caller has published it; returns when the pool does not know it any more. */
static int call_wait(struct call *call)
{
	int err = nap_group_wait(&call->group);

	/* Canceled: this pool or the one whose worker waits. Dead-lock: nested too deep to help. */
	if (err == -ECANCELED || err == -EDEADLK) {
		call_wait_still(call);
		err = 0;
	}
	return err ? err : call->err;
}

int nap_call(struct nap_pool *pool, nap_call_fn fn, void *arg)
{
	struct call call = { .task = NAP_TASK_INIT(call_run), .pool = pool, .fn = fn, .arg = arg };
	struct nap_worker *worker;
	bool helping;

	if (!pool || !fn)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	worker = own_worker(pool);
	if (worker) {
		call_on(worker, fn, arg);
		return 0;
	}
	helping = is_helping(pool);
	if (helping ? pool_stopping(pool) : !intake_enter(pool))
		return -ESHUTDOWN;
	if (call_as_guest(pool, fn, arg)) {
		if (!helping && !pool_forked(pool))
			gate_leave(&pool->intake);
		return 0;
	}
	nap_group_init(&call.group, pool);
	nap_group_add(&call.group, 1);
	inject_push(&pool->inject, &call.task, &call.task);
	nap__idle_notify(pool);
	if (!helping)
		gate_leave(&pool->intake);
	return call_wait(&call);
}
