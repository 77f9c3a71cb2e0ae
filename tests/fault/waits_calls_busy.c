/* SPDX-License-Identifier: MIT */
/*
 * The rows of the table of waits that wait for a pool's work: until the pool is quiet, until its
 * end, or for each worker.
 */
#include "fault/waits_calls.h"

#include <errno.h>
#include <unistd.h>

#include "os/futex.h"
#include "worker/phase.h"

/* ---- the task that keeps a pool busy */

void waits_stay(struct cell *cell)
{
	waits_set(&cell->runs);
	while (!waits_is_set(&cell->let_go))
		nap__futex_wait(&cell->let_go, 0, UINT64_MAX);
}

static void stay(struct nap_task *task)
{
	waits_stay(nap_container_of(task, struct cell, busy));
}

void waits_let_go(struct cell *cell)
{
	waits_set(&cell->let_go);
	nap__futex_wake(&cell->let_go, 1);
}

static void *help_with_busy(void *arg)
{
	struct cell *cell = arg;
	struct nap_pool *pool = cell->call->flags & NOT_ON_OTHERS ? &cell->world->other :
				cell->who == OTHERS && cell->call == &waits_job ?
				&cell->world->other : &cell->world->home;

	while (!waits_is_set(&cell->runs) && !waits_is_set(&cell->returned))
		if (nap_pool_help(pool, 1) <= 0)
			usleep(20);
	return NULL;
}

void waits_have_helper(struct cell *cell, struct nap_pool *pool)
{
	if (!cell->world->no_threads && !(cell->world->no_workers && pool == &cell->world->home))
		return;
	/* The child of a fork has no other thread. */
	if (waits_is_set(&cell->go) && waits_is_fork(cell->event))
		return;
	WAITS_CHECK(cell, pthread_create(&cell->helper, NULL, help_with_busy, cell) == 0);
	cell->has_helper = true;
}

void waits_be_busy(struct cell *cell, struct nap_pool *pool)
{
	nap_task_init(&cell->busy, stay);
	WAITS_CHECK(cell, nap_schedule(pool, &cell->busy) == 0);
	waits_have_helper(cell, pool);
	while (!waits_is_set(&cell->runs))
		usleep(20);
}

void waits_end_busy(struct cell *cell)
{
	waits_let_go(cell);
	if (cell->has_helper)
		pthread_join(cell->helper, NULL);
	cell->has_helper = false;
}

/* ---- waits until the pool is quiet, and until its end */

static struct nap_pool *pool_of(struct cell *cell)
{
	return cell->call->flags & NOT_ON_OTHERS ? &cell->world->other : &cell->world->home;
}

static void have_something_run(struct cell *cell)
{
	waits_be_busy(cell, pool_of(cell));
}

static bool is_ended(struct cell *cell)
{
	waits_end_busy(cell);
	return true;
}

static long quiesce(struct cell *cell)
{
	struct nap_pool *pool = pool_of(cell);

	return WAITS_CALL(cell, nap_pool_quiesce, pool);
}

const struct call waits_quiesce = {
	.name = "quiesce",
	.flags = OUTSIDE | OF_HOME | TIMED | NOT_SHARED,
	.init = have_something_run,
	.possible = waits_let_go,
	.call = quiesce,
	.left = is_ended,
};

const struct call waits_quiesce_other = {
	.name = "quiesce of other",
	.flags = NOT_ON_OTHERS | OF_OTHER | TIMED | RUNS_IN_OTHER | NOT_SHARED,
	.init = have_something_run,
	.possible = waits_let_go,
	.call = quiesce,
	.left = is_ended,
};

static long join(struct cell *cell)
{
	struct nap_pool *pool = pool_of(cell);

	return WAITS_CALL(cell, nap_pool_join, pool, NULL);
}

/* Whether the pool is joined if, and only if, the call has returned 0. */
static bool is_joined(struct cell *cell)
{
	bool joined = pool_phase(pool_of(cell)) >= PHASE_JOINED;

	waits_end_busy(cell);
	return joined == waits_took(cell) || cell->event == OTHER_ENDS;
}

/*
 * In the child of a fork the pool refuses the join. Otherwise the answer is that of the rules: a
 * stop ends the pool's work, so the join returns 0. (It returns -EALREADY if another thread has
 * joined.)
 */
static struct expected join_differs(enum who who, enum event event)
{
	(void)who;
	return (struct expected){ event == FORKED ? 'S' : 0, NULL };
}

const struct call waits_join = {
	.name = "join",
	.flags = OUTSIDE | TIMED | NOT_SHARED,
	.init = have_something_run,
	.possible = waits_let_go,
	.call = join,
	.left = is_joined,
	.except = join_differs,
};

const struct call waits_join_other = {
	.name = "join of other",
	.flags = NOT_ON_OTHERS | TIMED | RUNS_IN_OTHER | NOT_SHARED,
	.init = have_something_run,
	.possible = waits_let_go,
	.call = join,
	.left = is_joined,
	.except = join_differs,
};

static long finish(struct cell *cell)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_pool *home = &cell->world->home;
	struct nap_cq *cq = cell->who == LOOP ? &cell->cq : NULL;
	long err = cell->timeout == NAP_FOREVER ? nap_work_finish(home, cq, &left) :
		nap_work_finish_until(home, cq, &left, waits_deadline(cell));

	return err || !left.count ? err : -EINVAL;
}

const struct call waits_finish = {
	.name = "finish",
	.flags = OUTSIDE | STOPS_HOME | TIMED | NOT_SHARED,
	.init = have_something_run,
	.possible = waits_let_go,
	.call = finish,
	.left = is_joined,
	.except = join_differs,
};

/* ---- waits for each worker */

static void note(struct nap_worker *worker, void *arg)
{
	struct cell *cell = arg;

	(void)worker;
	nap_fetch_add_relaxed(&cell->ran, 1);
}

static void have_workers(struct cell *cell)
{
	have_something_run(cell);
	if (!cell->world->no_workers && !cell->world->no_threads)
		WAITS_CHECK(cell, nap_pool_prewarm(&cell->world->home, 3) == 0);
}

static long broadcast(struct cell *cell)
{
	long n = nap_broadcast(&cell->world->home, note, cell);

	cell->value = (int)n;
	return n;
}

/* Whether the broadcast has begun, on workers that sleep. In a stopped pool it does not begin. */
static bool has_begun(struct cell *cell)
{
	return nap_load_relaxed(&cell->ran) || cell->event == STOPPED;
}

static bool all_have_run(struct cell *cell)
{
	waits_end_busy(cell);
	return !waits_took(cell) || cell->value == (int)nap_load_relaxed(&cell->ran);
}

static struct expected broadcast_differs(enum who who, enum event event)
{
	if (event == FORKED || (event == STOPPED && !waits_is_inside(who)))
		return (struct expected){ 'S', NULL };
	return (struct expected){ 0, NULL };
}

const struct call waits_broadcast = {
	.name = "broadcast",
	.flags = NOT_SHARED,
	.init = have_workers,
	.possible = waits_let_go,
	.listed = has_begun,
	.call = broadcast,
	.left = all_have_run,
	.except = broadcast_differs,
};
