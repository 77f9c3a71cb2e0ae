/* SPDX-License-Identifier: MIT */
/*
 * Notification of a pool's end: nap/end.h. No thread blocks for it. Each thread that may have
 * finished the last piece of work checks whether any work remains; if not, it notifies all ends
 * (struct nap_end) in pool->ends.
 *
 *	checks                                    after
 *	------                                    -----
 *	a worker that is about to sleep           it is counted as idle [N1]
 *	a worker whose thread ends, in a stop     it has set nap_worker.home [N1]
 *	a guest: a helper, a call from outside    it is no longer counted [N1]
 *	the thread that begins the shutdown       it has set the phase [N1]
 *	the thread that wants to be notified      it has listed its end [N1]
 *	the joiner                                (it has waited for all of these: no check)
 *
 * Each of these stores its own condition, executes a full fence [N1], and checks whether an end is
 * listed. If so, it executes a second fence [N1] before it reads the other conditions. (The thread
 * that lists an end executes only the second fence.) So the thread whose last fence comes after
 * those of all other threads sees the listed end and all conditions.
 *
 * A schedule from outside cannot check, because its last touch of the pool is to leave the intake
 * (src/sync/gate.h). But a schedule is inside for a short time only. So a thread that finds all
 * other conditions true waits until the intake is empty. Callers (nap_call()) may be inside the
 * intake for long. They count as guests, or in pool->callers while they wait for a guest record. No
 * thread waits for callers here: they check when they have left the intake, and are visitors until
 * then.
 *
 * Once reached, the end is final: all producers have left the intake, and nothing new can be
 * scheduled.
 *
 * The joiner waits for all threads and all visitors, so a notifying thread may still touch the pool
 * after it has notified. But it no longer touches the @end that it has pushed.
 */
#include "kit/ends.h"

#include "arch/atomic.h"
#include "idle/idle.h"
#include "os/futex.h"
#include "os/happens.h"
#include "queue/list.h"
#include "sched/guest.h"
#include "sync/deadline.h"
#include "sync/gate.h"
#include "worker/producer.h"
#include "worker/registry.h"
#include "worker/source.h"
#include "worker/worker.h"

/* The time between two checks, while a thread is about to leave. */
#define CHECK_NS	100000u
/* How long to wait for producer slots. (Without membarrier the fallback takes 10 ms.) */
#define PRODUCERS_NS	20000000u

enum over { OVER_NOT, OVER_SOON, OVER };

static void wait_a_moment(void)
{
	uint32_t never = 0;

	nap__futex_wait(&never, 0, deadline_after(CHECK_NS));
}

/* ---- has the end been reached? */

static bool somebody_calls(struct nap_pool *pool)
{
	return guests_inside(pool) || nap_load_relaxed(&pool->callers);
}

static enum over worker_has_gone(struct nap_worker *worker)
{
	/*
	 * Sees what the worker's tasks did: pairs with the thread that has joined the worker, or
	 * waited for its end. [N2], [R3]
	 */
	switch (nap_load_acquire(&worker->record)) {
	case RECORD_FREE:
	case RECORD_JOINED:
		return OVER;
	case RECORD_CLAIMED:	/* about to be started, or to be freed */
		return OVER_SOON;
	default:
		/* Sees what the worker's tasks did: pairs with nap__worker_main(). [N2] */
		return nap_load_acquire(&worker->home) ? OVER : OVER_NOT;
	}
}

/* Whether all workers and guests have left, for the end of a stop. */
static enum over workers_have_gone(struct nap_pool *pool)
{
	enum over all = OVER;

	/* sees what guests did: pairs with nap__guest_end() [H1] */
	if ((uint32_t)nap_load_acquire(&pool->guests))
		return OVER_NOT;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		enum over one = w->guest ? OVER : worker_has_gone(w);

		if (one < all)
			all = one;
	}
	return all;
}

static enum over all_is_done(struct nap_pool *pool, bool stopped)
{
	if (stopped)
		return workers_have_gone(pool);
	return nap__pool_at_rest(pool) ? OVER : OVER_NOT;
}

/*
 * Whether the next worker to retire already waits for the thread of @gone to exit
 * (src/sched/standby.c), so that @gone must not wait here.
 */
static bool is_waited_for(struct nap_worker *gone)
{
	return gone && nap_load_relaxed(&gone->record) == RECORD_CLAIMED;
}

static bool intake_settles(struct nap_pool *pool, struct nap_worker *gone)
{
	do {
		/*
		 * Sees what calls inside the intake did: pairs with gate_leave(). [G1]
		 * Not noticed in tests when > for >=: the intake is closed, too, so never equal.
		 */
		while (nap_load_acquire(&pool->intake) >= GATE_ONE) {
			if (somebody_calls(pool) || is_waited_for(gone))
				return false;
			wait_a_moment();
		}
		/* Producer slots are waited for separately; nap_call() never uses one. */
		if (!nap__producers_wait_empty(pool, deadline_after(PRODUCERS_NS)))
			return true;
	} while (!is_waited_for(gone));
	return false;
}

bool nap__intake_settles(struct nap_pool *pool)
{
	return intake_settles(pool, NULL);
}

static bool is_over(struct nap_pool *pool, bool stopped, struct nap_worker *gone)
{
	enum over over = all_is_done(pool, stopped);

	/* Typically a worker is still busy: then return at once. */
	if (over == OVER_NOT || !intake_settles(pool, gone))
		return false;
	while ((over = all_is_done(pool, stopped)) == OVER_SOON && !is_waited_for(gone))
		wait_a_moment();
	return over == OVER;
}

/* ---- notifying */

bool nap__ends_add(struct nap_pool *pool, struct nap_end *end)
{
	source_link(pool, KIND_ENDS);
	for (;;) {
		/* Sees what the tasks did: pairs with tell_ends(). [N3] */
		uintptr_t head = nap_load_acquire(&pool->ends);

		if (head == ENDS_TOLD)
			return false;
		end->task.next = (struct nap_task *)head;
		/* @end is written before this: pairs with tell_ends(). [N3] */
		if (nap_cmpxchg_release(&pool->ends, head, (uintptr_t)end) == head)
			return true;
	}
}

static void tell_ends(struct nap_pool *pool)
{
	/*
	 * Sees the listed ends, and publishes what the tasks did: pairs with nap__ends_add(). [N3]
	 */
	uintptr_t head = nap_xchg_acq_rel(&pool->ends, ENDS_TOLD);
	struct nap_task *task;

	if (head <= ENDS_TOLD)
		return;
	happens_after(pool);
	for (task = list_reverse((struct nap_task *)head); task; ) {
		struct nap_end *end = nap_container_of(task, struct nap_end, task);

		/* Read before the push, after which @end may be freed. */
		task = task->next;
		end_push(end);
	}
}

/*
 * Notifies if the pool's end has been reached. @gone: the calling worker, if its thread ends; or
 * NULL.
 */
static void look_for_end(struct nap_pool *pool, struct nap_worker *gone)
{
	enum nap__phase phase;

	if (!ends_wait(pool) || pool_forked(pool))
		return;
	/*
	 * See a listed end before checking the conditions; pairs with the fences of all threads
	 * that check. [N1]
	 */
	nap_fence_seq_cst();
	phase = pool_phase(pool);
	if (phase != PHASE_DRAIN && phase != PHASE_STOP)
		return;
	if (is_over(pool, phase == PHASE_STOP, gone))
		tell_ends(pool);
}

void nap__ends_look(struct nap_pool *pool)
{
	look_for_end(pool, NULL);
}

static void ends_hear(struct nap_pool *pool, enum nap__news news, struct nap_worker *worker)
{
	if (news == NEWS_OVER)
		tell_ends(pool);
	else if (news == NEWS_RESTED || news == NEWS_GONE)
		look_for_end(pool, worker);
}

const struct nap__source nap__ends_source = {
	.hear = ends_hear,
};
