/* SPDX-License-Identifier: MIT */
/*
 * Workers. A run begins on any worker of its pool, and waits on it; what is above a run that waits
 * comes first.
 */
#include "spec.h"

/* --nap-workers, as an address that the linker is told. 0: each run has a worker of its own. */
extern char nap_check_workers[];
#define default_workers ((unsigned)(uintptr_t)nap_check_workers)

unsigned spec_holder[CHECK_THREADS + 1];

/* ---- for messages; not seen by the checker */

CHECK_OUTSIDE void spec_is_thread(struct run *run)
{
	run->number = check_self() + 1;
}

static CHECK_OUTSIDE void set_above(uintptr_t below, unsigned number)
{
	if (below)
		((struct run *)below)->above = number;
}

static CHECK_OUTSIDE unsigned thread_on(uintptr_t worker)
{
	return ((const struct run *)(worker & ~(uintptr_t)RUNS))->number;
}

void spec_waits_for(const char *what, const void *on)
{
	nap_check_waits_for(what, on, spec_self ? &spec_self->above : NULL,
			    "below * on its worker");
}

void spec_waits_for_end(const struct run *run)
{
	nap_check_waits_for("the end of", run->task ? (const void *)run->task : run, &run->number,
			    "which is *'s");
}

/* ---- workers */

/* Begins on @worker if it is idle, or above the run that waits there. */
static bool take(struct run *run, uintptr_t *worker)
{
	uintptr_t top = 0;

	while (!try_acquire(worker, &top, (uintptr_t)run | RUNS))
		if (top & RUNS) {
			held_by(thread_on(top));
			return false;
		}
	run->worker = worker;
	run->below = top;
	set_above(top, check_self() + 1);
	return true;
}

/*
 * Begins on any worker, each in some execution. The run waits until this worker is idle, or has a
 * run that waits. An execution in which it waits while another worker could run it is given up:
 * another execution begins in the same way. All workers are alike, so main()'s first run has only
 * the first worker to choose from, its second run the first two.
 */
void spec_take_worker(struct run *run)
{
	uintptr_t *worker = spec_of(run->pool)->worker;
	unsigned nr = run->pool->config.max_workers ? run->pool->config.max_workers :
						      default_workers;
	unsigned mine = run->nth < nr ? run->nth + 1 : nr;

	if (!default_workers) {
		run->worker = &run->below;
		return;
	}
	mine = mine > 1 ? check_choose(mine) : 0;
	nap_check_waits_for("a worker", NULL, &spec_holder[check_self()], "which * has");
	while (!take(run, &worker[mine]))
		for (unsigned w = 0; w < nr; w++)
			check_assume(w == mine || relaxed(&worker[w]) & RUNS);
	waits_no_more();
}

void spec_leave_worker(struct run *run)
{
	if (!default_workers)
		return;
	set_above(run->below, 0);
	store_release(run->worker, run->below);
}

void spec_waits(void)
{
	struct run *run = spec_self;

	if (!run || run->guest)
		return;
	if (run->fiber)
		spec_leave_worker(run);
	else if (default_workers)
		store_release(run->worker, (uintptr_t)run);
	if (run->class)
		spec_permit_give(run);
}

void spec_goes_on(void)
{
	struct run *run = spec_self;

	if (!run || run->guest)
		return;
	if (run->class)
		spec_permit_keep(run);
	if (run->fiber)
		spec_take_worker(run);
	if (run->fiber || !default_workers)
		return;
	nap_check_waits_for("its worker", NULL, &run->above, "which * has");
	while (!cas_acquire(run->worker, (uintptr_t)run, (uintptr_t)run | RUNS))
		;
	waits_no_more();
}

