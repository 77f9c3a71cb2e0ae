// SPDX-License-Identifier: MIT
/*
 * Being told of a pool's end: nap/end.h. Nobody sleeps for it. A thread that may have ended what
 * was last looks whether anything is left; and if not, it tells every waiter that is listed in
 * pool->ends.
 *
 *	looks                                     when
 *	-----                                     ----
 *	a worker that is about to sleep           it counts as idle [N1]
 *	a worker whose thread ends, in a stop     nap_worker.home is set [N1]
 *	a guest: a helper, a call from outside    it is counted no more [N1]
 *	who begins the shutdown                   the phase says so [N1]
 *	who wants to be told                      it is listed [N1]
 *	the joiner                                has waited for the same, and need not look
 *
 * Each of them makes true what is his, by a store; full fence [N1]; is anybody listed? And who
 * looks has another fence [N1] between that question and his look at all the rest. So of two who
 * are the last ones together one at least sees what both have done, or the later one finds that
 * somebody is listed.
 *
 * What cannot look is a schedule from outside, whose last touch of the pool is to leave the
 * intake (src/sync/gate.h). But that lasts for a moment only. So a thread that finds everything
 * else done waits until the intake is empty. Callers (nap_call()) are in there for long, too. They
 * count as guests, or in pool->callers while they wait for a place; a thread that looks does not
 * wait for these. They look when they have left the intake, and are inside the visits until then.
 *
 * The end stays: what came through the intake has left it, and nothing is scheduled from then on.
 *
 * Nobody who tells is forgotten by a joiner, who waits for threads, and for visits: so all of
 * this may touch the pool behind the telling, too. Behind the push of an @end nobody touches
 * that.
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

/* Until the next look, while somebody is about to leave. */
#define LOOK_NS		100000u
/* The same in a producer slot; a barrier that was taken away takes 10 ms. */
#define PRODUCERS_NS	20000000u

enum over { OVER_NOT, OVER_SOON, OVER };

static void wait_a_moment(void)
{
	uint32_t never = 0;

	nap__futex_wait(&never, 0, deadline_after(LOOK_NS));
}

/* ---- whether it is there */

static bool somebody_calls(struct nap_pool *pool)
{
	return guests_inside(pool) || nap_load_relaxed(&pool->callers);
}

static enum over worker_has_gone(struct nap_worker *worker)
{
	/*
	 * Pairs with the thread that has joined it, or waited for its end: what its tasks did.
	 * [N2], [R3]
	 */
	switch (nap_load_acquire(&worker->record)) {
	case RECORD_FREE:
	case RECORD_JOINED:
		return OVER;
	case RECORD_CLAIMED:	/* it will have a thread, or be free */
		return OVER_SOON;
	default:
		/* Pairs with nap__worker_main(): what its tasks did. [N2] */
		return nap_load_acquire(&worker->home) ? OVER : OVER_NOT;
	}
}

/* In a stop. Guests are counted in pool->guests. */
static enum over workers_have_gone(struct nap_pool *pool)
{
	enum over all = OVER;

	if ((uint32_t)nap_load_acquire(&pool->guests))	/* pairs with nap__guest_end() [H1] */
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
 * The next worker to retire waits for the end of the thread of @gone, which has gone home:
 * src/sched/standby.c.
 */
static bool is_waited_for(struct nap_worker *gone)
{
	return gone && nap_load_relaxed(&gone->record) == RECORD_CLAIMED;
}

static bool intake_settles(struct nap_pool *pool, struct nap_worker *gone)
{
	do {
		/* Pairs with gate_leave(). [G1] */
		while (nap_load_acquire(&pool->intake) >= GATE_ONE) {
			if (somebody_calls(pool) || is_waited_for(gone))
				return false;
			wait_a_moment();
		}
		/* In a producer slot nobody calls. */
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

	/* Mostly somebody is busy still, and need not be waited for. */
	if (over == OVER_NOT || !intake_settles(pool, gone))
		return false;
	while ((over = all_is_done(pool, stopped)) == OVER_SOON && !is_waited_for(gone))
		wait_a_moment();
	return over == OVER;
}

/* ---- telling */

bool nap__ends_add(struct nap_pool *pool, struct nap_end *end)
{
	source_link(pool, KIND_ENDS);
	for (;;) {
		/* Pairs with tell_ends(): what the tasks did. [N3] */
		uintptr_t head = nap_load_acquire(&pool->ends);

		if (head == ENDS_TOLD)
			return false;
		end->task.next = (struct nap_task *)head;
		/* Pairs with tell_ends(): @end. [N3] */
		if (nap_cmpxchg_release(&pool->ends, head, (uintptr_t)end) == head)
			return true;
	}
}

static void tell_ends(struct nap_pool *pool)
{
	/* Pairs with nap__ends_add(). [N3] */
	uintptr_t head = nap_xchg_acq_rel(&pool->ends, ENDS_TOLD);
	struct nap_task *task;

	if (head <= ENDS_TOLD)
		return;
	happens_after(pool);
	for (task = list_reverse((struct nap_task *)head); task; ) {
		struct nap_end *end = nap_container_of(task, struct nap_end, task);

		/* It is gone once it was pushed. */
		task = task->next;
		end->push(end->cq, &end->task);
		unseen_begin();		/* which nap_cq_push() has ended */
	}
}

/* @gone: the calling worker, whose thread ends; or NULL. */
static void look_for_end(struct nap_pool *pool, struct nap_worker *gone)
{
	enum nap__phase phase;

	if (!ends_wait(pool) || pool_forked(pool))
		return;
	/* Somebody is listed, before looking; pairs with all who look. [N1] */
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
