/* SPDX-License-Identifier: MIT */
/*
 * Fork and join, where the fast paths in nap/fork.h do not do: publishing to who asks, getting a
 * stolen job back, and running one.
 *
 * A slot's latch is Rayon's (rayon-core/src/latch.rs) without the state SLEEPY, between whose begin
 * and end nothing would happen here:
 *
 *	UNSET     not run yet, and the joiner is not to be told
 *	SLEEPING  the joiner is to be told, by EVENT_LATCH; it looks at the queues a last time, as
 *	          every idle worker, and sleeps
 *	SET       the job has been run
 *
 * The thief's exchange to SET is its last touch of the slot, and before it the thief has read who
 * waits. The slot is the victim's record's, which lives until the pool is joined; the job may be
 * gone with the joiner's stack frame from that exchange on.
 */
#include <nap/nap.h>

#include "atomic.h"
#include "debug_jobs.h"
#include "deep.h"
#include "event.h"
#include "fair.h"
#include "happens.h"
#include "idle/idle.h"
#include "jobs.h"
#include "leaving.h"
#include "os.h"
#include "phase.h"
#include "queue/deque.h"
#include "registry.h"
#include "self.h"
#include "worker.h"

enum { LATCH_UNSET, LATCH_SLEEPING, LATCH_SET };

/* ---- forking for those who ask */

static uint32_t fork_mode(struct nap_pool *pool)
{
	uint32_t mode = nap_load_relaxed(&pool->forks);
	uint32_t before = FORKS_NONE;

	if (mode != FORKS_NONE)
		return mode;
	mode = !DEBUG_BUILD && nap__os_membarrier_init() ? FORKS_SPLIT : FORKS_FENCED;
	/* One for all, though a filter may answer one thread thus and another one otherwise. */
	return nap_try_cmpxchg_relaxed(&pool->forks, &before, mode) ? mode : before;
}

void nap_fork_slow(struct nap_worker *worker, struct nap_job *job)
{
	struct nap__deque *d = &worker->deque;
	struct nap__slot *full = deque_full(d);
	bool keep = fork_mode(worker->pool) == FORKS_SPLIT;

	debug_fork(worker, job, __builtin_return_address(0));
	if (job->slot == full) {
		/* The slot that is there so that nap_fork() need not look first. */
		nap_store_relaxed(&d->forks.bottom, full);
		if (nap_load_relaxed(&d->forks.limit))
			return;
	}
	deque_publish(d, keep);
	/*
	 * The asking is answered, and taken back before the fence in nap__idle_notify(). It may
	 * overwrite that of a worker which is just going idle, or which is just taking an earlier
	 * notification. If the notification sees that worker, the worker is told. If not, the
	 * worker asks later, and its asking stays. [F2]
	 */
	if (keep)
		nap_store_relaxed(&d->forks.limit, full);
	if (!pool_forked(worker->pool))
		nap__idle_notify(worker->pool);
}

/* ---- running what was stolen */

struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more)
{
	struct nap__slot *slot = deque_steal(&victim->deque);

	if (!slot)
		return NULL;
	/* There may be more that its owner keeps to itself, and would be asked for. */
	*more = true;
	worker->stolen_from = victim;
	worker->stolen_slot = slot;
	return &worker->stolen;
}

struct nap_task *nap__own_job(struct nap_worker *worker)
{
	struct nap__deque *d = &worker->deque;
	bool more;

	/* Nothing is forked, or only a job that was stolen and that this worker is joining. */
	if (d->forks.bottom == d->forks.slots || !deque_has_jobs(d))
		return NULL;
	/* Private jobs are run here as if they were stolen: their only joiner is this worker. */
	if (!deque_has_public(d))
		deque_publish(d, nap_load_relaxed(&worker->pool->forks) == FORKS_SPLIT);
	return nap__steal_job(worker, worker, &more);
}

void nap__run_job(struct nap_worker *worker)
{
	/* What the job runs may steal again. */
	struct nap_worker *victim = worker->stolen_from;
	struct nap__slot *slot = worker->stolen_slot;
	uint32_t *event = &victim->event;
	uint32_t forked = debug_forked(worker);
	nap_job_fn run = debug_run(slot->job);

	/* nap_fork() is inlined in the program: its release store is seen, and is what to be after. */
	happens_after(&victim->deque.forks.bottom);
	if (victim != worker)
		stat_add(&worker->stats.jobs_stolen, 1);
	/* Pairs with find_work(): our record, which the joiner may never have met. [L2] */
	nap_store_release(&slot->thief, worker->index + 1);
	run(worker, slot->job);
	happens_before(slot);
	debug_returned(worker, forked, "job", (void *)run);
	/* Pairs with is_done(): what the job did. [L1] */
	if (nap_xchg_release(&slot->latch, LATCH_SET) == LATCH_SLEEPING)
		event_set(event, EVENT_LATCH);
}

/* ---- joining what was stolen */

static bool is_done(struct nap__slot *slot)
{
	return nap_load_acquire(&slot->latch) == LATCH_SET;	/* pairs with nap__run_job() [L1] */
}

/*
 * First what the thief has forked, which is part of the same job; then whatever there is. The thief
 * may go on forking for ever: meanwhile others have their turns.
 */
static struct nap_task *find_work(struct nap_worker *worker, struct nap__slot *slot)
{
	uint32_t thief = nap_load_acquire(&slot->thief);	/* pairs with nap__run_job() [L2] */
	struct nap_task *task = NULL;
	bool more = false;

	if (thief && !pool_stopping(worker->pool) && before_turn(worker))
		task = nap__steal_job(worker, registry_at(worker->pool, thief - 1), &more);
	if (!task)
		return nap__dequeue(worker);
	nap__idle_found(worker, more);
	return task;
}

/* The joiner: whether it is to go on in the latch's state @from, as @to. */
static bool latch_move(struct nap__slot *slot, uint32_t from, uint32_t to)
{
	return nap_cmpxchg_relaxed(&slot->latch, from, to) == from;
}

/* As an idle worker that has one more reason to wake; as nobody's when it may not run anything. */
static void sleep_on(struct nap_worker *worker, struct nap__slot *slot, bool nest)
{
	enum nap__verdict verdict = NAP_EXIT;
	uint32_t reasons = 0;

	if (!latch_move(slot, LATCH_UNSET, LATCH_SLEEPING))
		return;
	if (nest)
		verdict = nap__park(worker, UINT64_MAX, &reasons);
	if (verdict == NAP_EXIT && !pool_forked(worker->pool))
		reasons |= event_wait(&worker->event, EVENT_LATCH, UINT64_MAX);
	/* Too late to take the request back: it is answered, and nobody else may get the answer. */
	if (!(reasons & EVENT_LATCH) && !latch_move(slot, LATCH_SLEEPING, LATCH_UNSET))
		event_wait(&worker->event, EVENT_LATCH, UINT64_MAX);
}

/* False: in the child of a fork, where nobody runs it. */
static bool wait_for_thief(struct nap_worker *worker, struct nap__slot *slot)
{
	struct nap__outer before;
	bool nest = may_nest();

	nothing_leaves();
	become(worker, &before);
	if (!nest)
		deep_begin(worker, true);
	while (!is_done(slot) && !pool_forked(worker->pool)) {
		struct nap_task *task = nest ? find_work(worker, slot) : NULL;

		if (task)
			nap__run(worker, task);
		else
			sleep_on(worker, slot, nest);
	}
	if (!nest)
		deep_end(worker, true);
	back_to(&before);
	if (!pool_forked(worker->pool))
		nap__idle_cancel(worker);
	return is_done(slot);
}

static bool join(struct nap_worker *worker, struct nap__slot *slot)
{
	struct nap__deque *d = &worker->deque;
	bool keep = fork_mode(worker->pool) == FORKS_SPLIT, done;

	if (slot == deque_full(d) || deque_take_back(d, slot, keep))
		return true;
	/* Jobs that are forked meanwhile, by what runs nested here, go above it. */
	nap_store_relaxed(&d->forks.bottom, slot + 1);
	done = wait_for_thief(worker, slot);
	happens_after(slot);
	nap_store_relaxed(&slot->thief, 0);
	nap_store_relaxed(&slot->latch, LATCH_UNSET);
	deque_joined(d, slot, keep);
	return !done;
}

bool nap_join_slow(struct nap_worker *worker, struct nap_job *job)
{
	bool mine;

	debug_join(worker, job, __builtin_return_address(0));
	mine = join(worker, job->slot);
	debug_joined(worker, job);
	return mine;
}

/* ---- before a worker sleeps */

/* Ask everybody for jobs; true: somebody had not been asked. */
static bool ask_all(struct nap_worker *worker)
{
	bool asked = false;

	for (struct nap_worker *w = registry_first(worker->pool); w; w = w->next)
		asked |= deque_ask(&w->deque);
	return asked;
}

/* Whether there is something to be had from @w. @force: what is private is made public. */
static bool has_jobs(struct nap_worker *w, bool split, bool force)
{
	if (deque_has_public(&w->deque))
		return true;
	if (!split || !deque_has_jobs(&w->deque))
		return false;
	return !force || deque_force(&w->deque, nap__os_membarrier);
}

uint32_t nap__jobs_left(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t mode, n = 0;

	/*
	 * Registered as idle (or what was to be answered taken), then asking, then looking. A fork
	 * that does not see that it is asked was before our barrier, and its job is seen here; one
	 * that does, and then takes the asking back, sees us registered (or that nobody has come
	 * for it yet, and tells). [F2]
	 */
	nap_fence_seq_cst();
	mode = nap_load_relaxed(&pool->forks);
	if (mode == FORKS_NONE || pool_stopping(pool))
		return 0;
	/* Nobody is asked twice: what was forked before that is for who asked first. */
	if (mode == FORKS_SPLIT && ask_all(worker))
		nap__os_membarrier();	/* pairs with nap_fork() [F2]; without it: the next fork */
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		n += has_jobs(w, mode == FORKS_SPLIT, !n);
	return n;
}
