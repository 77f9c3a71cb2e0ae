/* SPDX-License-Identifier: MIT */
/* The rows of the table of waits: calls into a pool, slots, joins of jobs, loops. */
#include "fault/waits_calls.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/guest.h"
#include "sync/gate.h"

/* ---- nap_call(), where every guest record is taken and there is no worker */

static void take_places(struct cell *cell)
{
	struct nap_pool *home = &cell->world->home;

	if (waits_is_inside(cell->who))
		return;
	for (uint32_t i = 0; i < NAP_GUESTS; i++) {
		WAITS_CHECK(cell, gate_enter(&home->visits));
		cell->places[i] = nap__guest_begin(home);
		WAITS_CHECK(cell, cell->places[i]);
	}
}

static void give_place(struct cell *cell)
{
	if (!cell->places[0])
		return;
	nap__guest_end(cell->places[0]);
	gate_leave(&cell->world->home.visits);
	cell->places[0] = NULL;
}

static void count(struct nap_worker *worker, void *arg)
{
	struct cell *cell = arg;

	(void)worker;
	nap_fetch_add_relaxed(&cell->ran, 1);
}

static long call(struct cell *cell)
{
	struct nap_pool *home = &cell->world->home;

	return WAITS_CALL(cell, nap_call, home, count, cell);
}

static bool call_is_left(struct cell *cell)
{
	for (uint32_t i = 0; i < NAP_GUESTS; i++) {
		if (!cell->places[i])
			continue;
		nap__guest_end(cell->places[i]);
		gate_leave(&cell->world->home.visits);
	}
	return nap_load_relaxed(&cell->ran) == waits_took(cell) && !cell->world->home.callers &&
	       !cell->world->home.calls;
}

/* On a worker nap_call() is a function call. */
static struct expected call_differs(enum who who, enum event event)
{
	if (waits_is_inside(who))
		return (struct expected){ event == FORKED ? 'S' : '0', NULL };
	return (struct expected){ event == STOPPED ? 'S' : 0, NULL };
}

const struct call waits_called = {
	.name = "call",
	.flags = OF_HOME | TIMED | ALONE | NOT_SHARED,
	.init = take_places,
	.possible = give_place,
	.call = call,
	.left = call_is_left,
	.except = call_differs,
};

/* ---- the only slot of a submitter, which is taken */

static void stay_in_slot(void *cell)
{
	waits_stay(cell);
}

static void count_submitted(void *cell)
{
	count(NULL, cell);
}

static void take_slot(struct cell *cell)
{
	struct nap_pool *home = &cell->world->home;
	int err = nap_submit_init(&cell->submit, home, &cell->slot, 1, 0, 0, NULL, NULL);

	WAITS_CHECK(cell, err == 0);
	WAITS_CHECK(cell, nap_submit(&cell->submit, stay_in_slot, cell) == 0);
	waits_have_helper(cell, home);
	while (!waits_is_set(&cell->runs))
		usleep(20);
}

static long submit(struct cell *cell)
{
	if (cell->event == PAST)
		return nap_submit_wait_until(&cell->submit, count_submitted, cell, 1);
	return nap_submit_wait(&cell->submit, count_submitted, cell, cell->timeout);
}

/* Whether the submitted function has run if, and only if, the call took a slot. */
static bool slot_is_left(struct cell *cell)
{
	waits_end_busy(cell);
	while (waits_took(cell) && !nap_load_relaxed(&cell->ran)) {
		if (cell->world->no_threads || cell->world->no_workers)
			nap_pool_help(&cell->world->home, 0);
		usleep(20);
	}
	return nap_load_relaxed(&cell->ran) == waits_took(cell);
}

/* A pool that ends refuses the call, except, in a drain, from the pool's own workers. */
static struct expected slot_differs(enum who who, enum event event)
{
	bool refused = event == STOPPED || event == STOPS || event == FORKED ||
		       (event == DRAINS && !waits_is_inside(who));

	return (struct expected){ refused ? 'S' : 0, NULL };
}

const struct call waits_slot = {
	.name = "slot",
	.flags = TIMED,
	.init = take_slot,
	.possible = waits_let_go,
	.call = submit,
	.left = slot_is_left,
	.except = slot_differs,
};

/* ---- a job that another worker has taken */

static void job(struct nap_worker *worker, struct nap_frame *top, struct cell *cell);
NAP_JOB_VOID(job, struct cell *)

static void job(struct nap_worker *worker, struct nap_frame *top, struct cell *cell)
{
	(void)top;
	waits_stay(cell);
	count(worker, cell);
}

/*
 * Forks a job, and joins the job when another worker has taken it. In a stopped pool the joiner
 * itself runs the job.
 */
static long join_job(struct cell *cell)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *top = nap_top(worker);

	waits_have_helper(cell, nap_worker_pool(worker));
	job_fork(worker, top, cell);
	while (cell->event != STOPPED && !waits_is_set(&cell->runs))
		sched_yield();
	job_join(worker, top, cell);
	return nap_load_relaxed(&cell->ran) == 1 ? 0 : -EINVAL;
}

static bool job_is_left(struct cell *cell)
{
	waits_end_busy(cell);
	return waits_took(cell);
}

static bool job_runs(struct cell *cell)
{
	return waits_is_set(&cell->runs);
}

static struct expected job_differs(enum who who, enum event event)
{
	if (who == THREAD || who == LOOP)
		return (struct expected){ 0, "who calls is no worker, and cannot fork jobs" };
	return (struct expected){ 0, event == FORKED ? "no worker is there in the child" : NULL };
}

const struct call waits_job = {
	.name = "job",
	.possible = waits_let_go,
	.listed = job_runs,
	.call = join_job,
	.left = job_is_left,
	.except = job_differs,
};

/* ---- a loop, of which another worker has taken a part */

static int turn(size_t begin, size_t end, void *arg)
{
	struct cell *cell = arg;
	bool is_caller = syscall(SYS_gettid) == nap_load_relaxed(&cell->tid);

	nap_fetch_add_relaxed(&cell->ran, (uint32_t)(end - begin));
	if (!is_caller)
		waits_stay(cell);
	/* In a stopped pool the caller runs all parts itself. */
	while (is_caller && cell->event != STOPPED && !waits_is_set(&cell->runs))
		sched_yield();
	return 0;
}

/*
 * Starts workers for the loop. Otherwise a guest without memory for its record would run the loop
 * alone.
 */
static void have_others(struct cell *cell)
{
	if (!cell->world->no_threads && !cell->world->no_workers)
		WAITS_CHECK(cell, nap_pool_prewarm(&cell->world->home, 2) == 0);
}

static long run_loop(struct cell *cell)
{
	static const struct nap_loop how = { .grain = 1 };

	waits_have_helper(cell, &cell->world->home);
	return nap_for_as(&cell->world->home, &how, 0, 2, turn, cell);
}

static bool loop_is_left(struct cell *cell)
{
	waits_end_busy(cell);
	return nap_load_relaxed(&cell->ran) == (waits_took(cell) ? 2 : 0);
}

static struct expected loop_differs(enum who who, enum event event)
{
	bool refused = event == FORKED || (event == STOPPED && !waits_is_inside(who));

	return (struct expected){ refused ? 'S' : 0, NULL };
}

const struct call waits_loop = {
	.name = "loop",
	.init = have_others,
	.possible = waits_let_go,
	.listed = job_runs,
	.call = run_loop,
	.left = loop_is_left,
	.except = loop_differs,
};
