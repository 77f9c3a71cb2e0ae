/* SPDX-License-Identifier: MIT */
/*
 * A class with a limit, and its queue's consumer lock (src/kit/class.h). Two workers take at the
 * same time; in one scenario a third worker leaves the class, too. Invariants: no more workers get
 * a task than there are permits; the holder of the lock notifies for the workers that the lock
 * turned away, if a permit is free when the holder unlocks. There is no idle protocol here: told[i]
 * records that worker i would notify.
 */
#include "kit/class_take.h"
#include "kit/class.h"
#include "worker/source.h"
#include "pool_setup.h"

static struct nap_classes *classes;
static struct job jobs[3] = { JOB_INIT(job_run), JOB_INIT(job_run), JOB_INIT(job_run) };

enum { TAKER, LEAVER, SEARCHER };

static void queue(struct job *job)
{
	job->in = JOB_IN;
	source_link(pool, KIND_CLASSES);
	inject_push(&classes->of[0].queue, &job->task, &job->task);
}

static void with_limit(uint32_t limit)
{
	static struct nap_classes memory;

	pool_new(3, 0);
	classes = &memory;
	classes->count = 1;
	classes->of[0].limit = limit;
	pool->config.classes = classes;
	for (int i = 0; i < 3; i++)
		pool_add_worker(0);
	queue(&jobs[0]);
	check_name(&classes->of[0].inside, sizeof(classes->of[0].inside), "class.inside");
	check_name(&classes->of[0].queue, sizeof(classes->of[0].queue), "class.queue");
}

static void one_inside(void)
{
	with_limit(2);
	classes->of[0].inside = 1;
	registry_at(pool, LEAVER)->classed.counted = true;
	registry_at(pool, LEAVER)->classed.of = &classes->of[0];
}

static struct nap_task *taken[3];
static bool told[3];

static void take(void *index)
{
	uint32_t i = (uint32_t)(uintptr_t)index;
	struct nap_worker *worker = registry_at(pool, i);

	if (nap__take_class(worker, false, &told[i]))
		taken[i] = worker->classed.task;
}

static void leave(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);
	struct nap__class_permit permit;

	nap__class_enter(worker, &permit);
	nap__class_leave(worker, &permit);
	told[LEAVER] = worker->classed.owes;
}

/*
 * Publishes a task, as src/kit/class_take.c does, and then takes as the worker that is woken for
 * it.
 */
static void publish_and_search(void *index)
{
	inject_push(&classes->of[0].queue, &jobs[1].task, &jobs[1].task);
	nap_fence_seq_cst();
	if (!class_has_permit(&classes->of[0]))
		return;
	nap_fence_seq_cst();
	take(index);
}

static void nothing_is_left(void)
{
	CHECK(nap_load_relaxed(&classes->of[0].inside) <= 2);
	CHECK(!taken[TAKER] || taken[TAKER] != taken[SEARCHER]);
	if (class_takeable(&classes->of[0]))
		CHECK(told[TAKER] || told[LEAVER] || told[SEARCHER]);
}

CHECK_SCENARIO(class_turned_away, .about = "a place gets free while another is turned away",
	.setup = one_inside, .finally = nothing_is_left,
	.threads = { { take, (void *)TAKER, "taker" }, { leave, (void *)LEAVER, "leaver" },
		     { publish_and_search, (void *)SEARCHER, "searcher" } });

/* ---- no thread is inside, and the limit is one */

static void nobody_inside(void)
{
	with_limit(1);
	queue(&jobs[1]);
}

static void one_has_taken(void)
{
	CHECK(nap_load_relaxed(&classes->of[0].inside) == 1);
	CHECK(!taken[TAKER] != !taken[SEARCHER]);
}

CHECK_SCENARIO(class_two_takers, .about = "two take at the same time, and one may be inside",
	.setup = nobody_inside, .finally = one_has_taken,
	.threads = { { take, (void *)TAKER, "taker1" }, { take, (void *)SEARCHER, "taker2" } });
