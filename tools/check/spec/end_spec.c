/* SPDX-License-Identifier: MIT */
/*
 * nap/pool.h: a pool's end, and nap_pool_quiesce(). Both wait for every run that was accepted, and
 * for every run that such a run has scheduled. After a stop the runs that have not begun are left.
 * A timer that has not fired is left after a drain, too.
 */
#include "spec.h"

/* Leaves a run that has not begun. Returns whether it is left, by this join or an earlier one. */
static bool leave(struct run *run, struct nap_batch *left)
{
	if (!cas_relaxed(&run->state, QUEUED, LEFT))
		return relaxed(&run->state) == LEFT;
	if (run->before || run->turn)
		check_fail("the specification has no stop of a pool "
			   "whose serial or ordered queues have tasks");
	if (left && run->task)
		nap_batch_push(left, run->task);
	return true;
}

/* Whether a timer has fired, so that its run begins. If not, with @end, cancels the timer. */
static bool fired(struct run *run, bool end, struct nap_batch *left)
{
	if (!end)
		return relaxed(&run->timer) == FIRED || relaxed(&run->timer) == LAST;
	if (!cas_acquire(&run->timer, ARMED, CANCELED))
		return relaxed(&run->timer) == FIRED || relaxed(&run->timer) == LAST;
	if (left)
		nap_batch_push(left, run->task);
	return false;
}

/* Whether @run has ended, or is a timer's and is armed again. */
static bool is_at_rest(struct run *run)
{
	return acquire(&run->ended) || (run->periodic && acquire(&run->timer) == ARMED);
}

enum over { NOT_YET, IS_LEFT, IS_OVER };

/* Waits for the end of @run, or, @timed, looks once. At the pool's @end, runs are left to @left. */
static enum over run_over(struct run *run, bool timed, bool end, struct nap_batch *left)
{
	do {
		if (relaxed(&run->timer) && !fired(run, end, left))
			return IS_LEFT;
		if (end && is_stopped(run->pool) && leave(run, left))
			return IS_LEFT;
		if (!timed)
			spec_waits_for_end(run);
		while (!is_at_rest(run))
			if (timed)
				return NOT_YET;
		waits_no_more();
	} while (end && !acquire(&run->ended));
	return IS_OVER;
}

/*
 * Checks @run, the runs that were listed before it, and what all of these have scheduled. Waits
 * until they have ended; @timed: returns false if one has not ended. @end: the pool ends, and runs
 * that have not begun go to @left.
 */
static bool over(struct run *run, bool timed, bool end, struct nap_batch *left)
{
	for (; run; run = run->next) {
		enum over is = run_over(run, timed, end, left);

		if (is == NOT_YET)
			return false;
		/*
		 * The task of a periodic timer that is left may have run before, and scheduled
		 * others. These are checked at the pool's end. If the pool goes on, the timer's
		 * task may schedule more.
		 */
		if ((is == IS_OVER || (end && run->periodic)) &&
		    !over(run->scheduled, timed, end, left))
			return false;
	}
	return true;
}

static struct run *accepted(struct nap_pool *pool)
{
	return (struct run *)(acquire(&spec_of(pool)->outside) & ~(uintptr_t)FLAGS);
}

int nap_pool_shutdown(struct nap_pool *pool, enum nap_shutdown mode)
{
	uintptr_t before;

	if (!pool || (mode != NAP_DRAIN && mode != NAP_STOP))
		return -EINVAL;
	before = __atomic_fetch_or(&spec_of(pool)->outside, CLOSED, __ATOMIC_ACQ_REL);
	if (mode == NAP_STOP)
		return __atomic_exchange_n(&spec_of(pool)->stopped, 1, __ATOMIC_RELEASE) ?
			       -EALREADY : 0;
	return before & CLOSED ? -EALREADY : 0;
}

int nap_pool_join_until(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline)
{
	struct nap_batch none = NAP_BATCH_INIT;

	if (!pool)
		return -EINVAL;
	if (is_inside(pool))
		return -EDEADLK;
	if (left)
		*left = none;
	nap_pool_shutdown(pool, NAP_DRAIN);
	if (!over(accepted(pool), is_timed(deadline), true, left))
		return -ETIMEDOUT;
	return __atomic_fetch_or(&spec_of(pool)->outside, JOINED, __ATOMIC_ACQ_REL) & JOINED ?
		       -EALREADY : 0;
}

int nap_pool_join(struct nap_pool *pool, struct nap_batch *left)
{
	return nap_pool_join_until(pool, left, NAP_FOREVER);
}

int nap_pool_join_for(struct nap_pool *pool, struct nap_batch *left, uint64_t timeout_ns)
{
	return nap_pool_join_until(pool, left, timeout_ns);
}

int nap_pool_quiesce_until(struct nap_pool *pool, uint64_t deadline)
{
	if (!pool)
		return -EINVAL;
	if (is_inside(pool))
		return -EDEADLK;
	if (is_stopped(pool))
		return -ECANCELED;
	return over(accepted(pool), is_timed(deadline), false, NULL) ? 0 : -ETIMEDOUT;
}

int nap_pool_quiesce(struct nap_pool *pool)
{
	return nap_pool_quiesce_until(pool, NAP_FOREVER);
}

int nap_pool_quiesce_for(struct nap_pool *pool, uint64_t timeout_ns)
{
	return nap_pool_quiesce_until(pool, timeout_ns);
}
