/* SPDX-License-Identifier: MIT */
/* Slots: a submitter for each pool. */
#include <errno.h>
#include <stdlib.h>

#include "daemon.h"

struct slots {
	struct nap_submitter *submit;
	struct nap_slot *slots;
	uint32_t count;
	bool has_marks;
	uint32_t accepted, ended, running;	/* atomic */
	uint32_t refused;	/* atomic: answered -EAGAIN */
	uint32_t marks;		/* atomic: how often @mark was called */
};

struct job {
	uint32_t pool, how;
};

static struct slots all[POOLS];

static void run_job(void *arg)
{
	struct job *job = arg;
	uint32_t p = job->pool, how = job->how;
	struct slots *slots = &all[p];
	struct frame frame;

	frame_begin(&frame, p);
	CHECK(nap_fetch_add_relaxed(&slots->running, 1) < slots->count, slots->running);
	free(job);
	if (how & 1)
		stand_at_door();
	if (how & 2)
		call_submit(p, how >> 2);
	nap_fetch_sub_relaxed(&slots->running, 1);
	nap_fetch_add_relaxed(&slots->ended, 1);
	frame_end(&frame);
}

static void on_mark(struct nap_submitter *submit)
{
	struct slots *slots = submit->arg;

	CHECK(slots->submit == submit && slots->has_marks, 0);
	nap_fetch_add_relaxed(&slots->marks, 1);
}

static struct job *prepare(uint32_t p, uint32_t how)
{
	struct job *job = malloc(sizeof(*job));

	if (!job)
		abort();
	*job = (struct job){ p, how };
	nap_fetch_add_relaxed(&all[p].accepted, 1);
	return job;
}

static void drop(struct job *job)
{
	nap_fetch_sub_relaxed(&all[job->pool].accepted, 1);
	free(job);
}

void call_submit(uint32_t p, uint32_t how)
{
	struct attempt attempt = attempt_begin(p);
	struct job *job = prepare(p, how);
	int err = nap_submit(all[p].submit, run_job, job);

	if (err == -EAGAIN)
		nap_fetch_add_relaxed(&all[p].refused, 1);
	else if (attempt_end(&attempt, err))
		return;
	drop(job);
}

/*
 * Waits for a slot, also from a worker. The wait has a time limit, because the slot may be the
 * caller's own.
 */
void call_submit_wait(uint32_t p, uint32_t how, uint64_t timeout)
{
	struct attempt attempt = attempt_begin(p);
	struct job *job = prepare(p, how);
	int err;

	if (timeout == NAP_FOREVER)
		nap_store_release(&door_closed, 0);
	helping_begin();
	err = nap_submit_wait(all[p].submit, run_job, job, timeout);
	helping_end();
	if (err == -ETIMEDOUT)
		CHECK(timeout != NAP_FOREVER, err);
	else if (err == -EDEADLK)
		CHECK(!is_driver, err);
	else if (attempt_end(&attempt, err))
		return;
	drop(job);
}

/* ---- checks */

/* Checks the slots of pool @p. The pool has no task that could submit. */
void check_submits(uint32_t p)
{
	struct slots *slots = &all[p];
	struct nap_submit_stats stats;

	if (!slots->submit)
		return;
	nap_submit_get_stats(slots->submit, &stats);
	CHECK(stats.taken == 0, stats.taken);
	CHECK(stats.count == slots->count && stats.most <= stats.count, stats.most);
	CHECK(stats.refused == nap_load_acquire(&slots->refused), stats.refused);
	CHECK(!nap_submit_is_high(slots->submit), p);
	CHECK(nap_load_acquire(&slots->accepted) == nap_load_acquire(&slots->ended), slots->ended);
	CHECK(nap_load_acquire(&slots->marks) % 2 == 0, slots->marks);
}

/* ---- pools */

void submits_begin(uint32_t p, uint32_t config)
{
	struct slots *slots = &all[p];
	uint32_t high;

	*slots = (struct slots){ .count = 1 + config % 4, .has_marks = config & 4 };
	slots->submit = malloc(sizeof(*slots->submit));
	slots->slots = calloc(slots->count, sizeof(*slots->slots));
	if (!slots->submit || !slots->slots)
		abort();
	high = slots->has_marks ? slots->count : 0;
	CHECK(nap_submit_init(slots->submit, pools[p].pool, slots->slots, slots->count, high,
			      high / 2, slots->has_marks ? on_mark : NULL, slots) == 0, p);
}

static void on_left(nap_submit_fn fn, void *arg)
{
	struct job *job = arg;

	CHECK(fn == run_job, 0);
	nap_fetch_add_relaxed(&all[job->pool].ended, 1);
	free(job);
}

void submits_left(uint32_t p, struct nap_batch *left)
{
	size_t count = left->count, n = nap_submit_end_left(left, on_left);

	CHECK(n + left->count == count, p);
}

void submits_end(uint32_t p)
{
	free(all[p].submit);
	free(all[p].slots);
	all[p] = (struct slots){ 0 };
}
