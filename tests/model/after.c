/* SPDX-License-Identifier: MIT */
/*
 * A work with dependencies (nap_work_after()). Each thread D0, D1, D2 reports one dependency
 * done; in some scenarios thread C cancels the work. Invariants: the last report schedules the
 * work, once; the work sees what all reporting threads wrote; canceled or not, the work ends once,
 * and its end may free the struct nap_after.
 */
#include <nap/nap.h>

#include "eventfd.h"

#define BEFORE	3

static struct nap_pool pool;
static struct nap_after *after;
static struct nap_work work;
/* the work reads it; not atomic, so a missing order is a race */
static int done[BEFORE];
static int ran, ended, result, last[BEFORE];
static uint32_t nr_before;
static bool refuses, canceled;

/* Runs the work in place of a worker, on the thread that schedules the work. */
int nap_schedule(struct nap_pool *p, struct nap_task *task)
{
	CHECK(p == &pool && nap_work_of(task) == &work);
	if (refuses)
		return -ESHUTDOWN;
	task->run(task);
	return 0;
}

static int run(struct nap_work *w)
{
	CHECK(w == &work && !ran);
	ran = 1;
	for (uint32_t i = 0; i < nr_before; i++)
		CHECK(done[i] == 1);
	return 0;
}

static void work_done(struct nap_work *w, int told)
{
	CHECK(w == &work && !ended);
	ended = 1;
	result = told;
	check_free(after);
}

static void setup_of(uint32_t before)
{
	nr_before = before;
	after = check_alloc(sizeof(*after));
	nap_work_init(&work, run, work_done, NULL);
	CHECK(nap_work_after(after, &pool, &work, before) == 0);
	CHECK(nap_work_after(after, &pool, &work, before) == -EBUSY);
}

static void setup(void)
{
	setup_of(2);
}

static void setup_three(void)
{
	setup_of(3);
}

static void setup_refused(void)
{
	setup_of(2);
	refuses = true;
}

static void do_one(void *index)
{
	done[(uintptr_t)index] = 1;
	last[(uintptr_t)index] = nap_after_done(after);
}

static void cancel(void *none)
{
	(void)none;
	canceled = nap_cancel(&work);
}

static void ended_once(void)
{
	CHECK(last[0] + last[1] + last[2] == 1 && ended == 1);
	CHECK(result == (ran ? 0 : -ECANCELED));
	CHECK(ran == (!canceled && !refuses));
}

#define DOER(index) { do_one, (void *)(uintptr_t)(index), "D" #index }

CHECK_SCENARIO(after_two, .about = "two before it",
	.setup = setup, .finally = ended_once,
	.threads = { DOER(0), DOER(1) });

CHECK_SCENARIO(after_three, .about = "three before it",
	.setup = setup_three, .finally = ended_once,
	.threads = { DOER(0), DOER(1), DOER(2) });

CHECK_SCENARIO(after_cancel, .about = "canceled while it waits, or runs",
	.setup = setup, .finally = ended_once,
	.threads = { DOER(0), DOER(1), { cancel, NULL, "C" } });

CHECK_SCENARIO(after_refused, .about = "refused when its turn comes, and canceled meanwhile",
	.setup = setup_refused, .finally = ended_once,
	.threads = { DOER(0), DOER(1), { cancel, NULL, "C" } });
