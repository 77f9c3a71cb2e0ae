/* SPDX-License-Identifier: MIT */
/*
 * Classes with a limit of one thread (src/kit/class.h): workers take tasks of the class,
 * producers schedule into the class, and a thread leaves the class, lends its permit, or stops
 * the pool. Invariants: a task that is queued when the permit becomes free is taken, whichever
 * worker is parked; at most one thread is inside; a schedule during a stop is refused, or its
 * task is run or returned.
 */
#include <string.h>

#include "kit/class_take.h"
#include "sched/lend.h"
#include "kit/class.h"
#include "worker/source.h"
#include "worker/phase.h"
#include "pool_setup.h"

#define JOBS 3

static struct nap_classes *classes;
static struct job jobs[JOBS];
static uint32_t inside;

/* Checks that no other task is inside. Only the class's permit orders the accesses of two tasks. */
static void run_alone(struct nap_task *task)
{
	CHECK(nap_fetch_add_relaxed(&inside, 1) == 0);
	job_begin(task);
	nap_fetch_sub_relaxed(&inside, 1);
}

static void pool_new_limited(uint32_t limit, unsigned first_worker)
{
	void *memory = check_alloc(sizeof(*classes) + NAP__CACHE_LINE);

	pool_new(limit, first_worker);
	classes = (struct nap_classes *)(((uintptr_t)memory + NAP__CACHE_LINE - 1) /
					 NAP__CACHE_LINE * NAP__CACHE_LINE);
	memset(classes, 0, sizeof(*classes));
	classes->count = 1;
	classes->of[0].limit = 1;
	pool->config.classes = classes;
	pool->plain = PLAIN_NO_MORE;
	for (int i = 0; i < JOBS; i++)
		jobs[i] = (struct job)JOB_INIT(run_alone);
	check_name(&classes->of[0].inside, sizeof(classes->of[0].inside), "class.inside");
	check_name(&classes->of[0].queue, sizeof(classes->of[0].queue), "class.queue");
	check_name(&inside, sizeof(inside), "inside");
}

static int schedule(struct job *job)
{
	job->in = JOB_IN;
	return nap_class_schedule(pool, 0, &job->task);
}

static void producer(void *job)
{
	CHECK(schedule(job) == 0);
}

/* Setup: queues @job, without notifying a worker. */
static void queue(struct job *job)
{
	job->in = JOB_IN;
	source_link(pool, KIND_CLASSES);
	inject_push(&classes->of[0].queue, &job->task, &job->task);
}

/* Setup: @worker is inside the class, so it is not idle. */
static void set_inside(struct nap_worker *worker)
{
	worker->classed.counted = true;
	worker->classed.of = &classes->of[0];
	worker->classed.task = &jobs[2].task;
	classes->of[0].inside = 1;
	inside = 1;
}

/* Leaves the class as worker @index, whose outer task then never ends. */
static void leaver(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);
	struct nap__outer before;
	struct nap__class_permit permit;

	self_is(nap__self(), worker);
	become(worker, &before);
	nap__class_enter(worker, &permit);
	nap_fetch_sub_relaxed(&inside, 1);
	nap__class_leave(worker, &permit);
	back_to(&before);
}

/* Sleeps inside the class as worker @index, with the permit lent, and is never woken. */
static void sleeper_inside(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);
	struct nap__outer before;
	struct nap__class_permit permit;

	self_is(nap__self(), worker);
	become(worker, &before);
	nap__class_enter(worker, &permit);
	nap_fetch_sub_relaxed(&inside, 1);
	sleep_on_event(&never, EVENT_LATCH, UINT64_MAX);
}

/* Setup: worker 0 is thread 0 and parked; worker 1 is thread 1 and inside the class. */
static void parked_and_inside(void)
{
	pool_new_limited(2, 0);
	pool_set_idle(pool_add_worker(0));
	set_inside(pool_add_worker(0));
}

static void busy_and_inside(void)
{
	pool_new_limited(2, 0);
	pool_signal(pool_add_worker(0));
	set_inside(pool_add_worker(0));
	queue(&jobs[0]);
}

static void all_ran(void)
{
	for (unsigned i = 0; i < JOBS; i++)
		CHECK(jobs[i].runs == (jobs[i].in == JOB_IN));
	CHECK(inside == 0 && classes->of[0].inside == 0);
	CHECK(pool_sleeps(registry_at(pool, 0)));
}

#define LEAVES(index) { leaver, (void *)(uintptr_t)(index), "leaver" }
#define LENDS(index) { sleeper_inside, (void *)(uintptr_t)(index), "lender" }

CHECK_SCENARIO(class_left, .about = "a place gets free against a schedule; a worker is parked",
	.setup = parked_and_inside, .finally = all_ran, .may_block = true, .random = 5000,
	.threads = { PARKED(0), LEAVES(1), { producer, &jobs[0], "producer" } });

CHECK_SCENARIO(class_left_parking, .about = "a place gets free, a worker finds the task and parks",
	.setup = busy_and_inside, .finally = all_ran, .may_block = true,
	.threads = { WORKER(0), LEAVES(1) });

CHECK_SCENARIO(class_left_parking_2, .about = "the same, and another is scheduled",
	.setup = busy_and_inside, .finally = all_ran, .may_block = true, .random = 5000,
	.threads = { WORKER(0), LEAVES(1), { producer, &jobs[1], "producer" } });

CHECK_SCENARIO(class_lent, .about = "a place is lent against a schedule; a worker is parked",
	.setup = parked_and_inside, .finally = all_ran, .may_block = true, .random = 5000,
	.threads = { PARKED(0), LENDS(1), { producer, &jobs[0], "producer" } });

/* Setup: no task was ever scheduled in a class, so the worker's search still leaves classes out. */
static void about_to_park(void)
{
	pool_new_limited(1, 0);
	pool_signal(pool_add_worker(0));
}

CHECK_SCENARIO(class_first,
	.about = "the first schedule in a class, while the worker goes to sleep",
	.setup = about_to_park, .finally = all_ran, .may_block = true,
	.threads = { WORKER(0), { producer, &jobs[0], "producer" } });

/* ---- two workers that search */

static void two_busy(void)
{
	pool_new_limited(2, 0);
	pool_signal(pool_add_worker(0));
	pool_add_worker(0);
	queue(&jobs[0]);
	queue(&jobs[1]);
}

static void two_parked(void)
{
	pool_new_limited(2, 0);
	pool_set_idle(pool_add_worker(0));
	pool_set_idle(pool_add_worker(0));
}

static void all_ran_two(void)
{
	all_ran();
	CHECK(pool_sleeps(registry_at(pool, 1)));
}

CHECK_SCENARIO(class_two, .about = "two workers, two tasks, one inside at a time; both are run",
	.setup = two_busy, .finally = all_ran_two, .may_block = true, .random = SAMPLE_OTHERS,
	.threads = { WORKER(0), WORKER(1) });

CHECK_SCENARIO(class_two_parked, .about = "two parked workers, two producers, one inside at a time",
	.setup = two_parked, .finally = all_ran_two, .may_block = true, .random = 5000,
	.threads = { PARKED(0), PARKED(1), { producer, &jobs[0], "producer1" },
		     { producer, &jobs[1], "producer2" } });

/* ---- the end of the pool */

static struct nap_batch left;

static void one_worker(void)
{
	pool_new_limited(1, 2);
}

static void one_parked(void)
{
	one_worker();
	seam_workers(2);
	pool_set_idle(pool_add_worker(0));
	registry_at(pool, 0)->thread = 2;
}

static void try_schedule(void *job)
{
	int err = schedule(job);

	CHECK(err == 0 || err == -ESHUTDOWN);
	if (err)
		((struct job *)job)->in = 0;
}

static void join_stop(void *unused)
{
	int accepted, returned = 0;

	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	check_join(1);
	accepted = jobs[0].in == JOB_IN;
	while (nap_batch_pop(&left))
		returned++;
	CHECK(jobs[0].runs + returned == accepted);
}

static void join_drain(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(left.count == 0);
	check_join(1);
	CHECK(jobs[0].runs == (jobs[0].in == JOB_IN));
}

CHECK_SCENARIO(class_stop, .about = "stop: a schedule meanwhile is refused, run or returned",
	.random = 3000, .setup = one_worker,
	.threads = { { join_stop, .name = "joiner" }, { try_schedule, &jobs[0], "scheduler" } });

CHECK_SCENARIO(class_stop_parked, .about = "the same with a worker that sleeps",
	.random = 3000, .setup = one_parked,
	.threads = { { join_stop, .name = "joiner" }, { try_schedule, &jobs[0], "scheduler" },
		     PARKED(0) });

CHECK_SCENARIO(class_drain_parked, .about = "join drains: a schedule meanwhile is refused, or run",
	.random = 3000, .setup = one_parked,
	.threads = { { join_drain, .name = "joiner" }, { try_schedule, &jobs[0], "scheduler" },
		     PARKED(0) });
