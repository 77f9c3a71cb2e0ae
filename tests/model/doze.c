/* SPDX-License-Identifier: MIT */
/*
 * A worker that dozes (src/idle/doze.h). The dozer is worker 0, which is being woken. So many wakes
 * of worker 0 were in vain that it dozes before it goes idle. Thread W1 is worker 1 in the middle
 * of a task, which schedules or forks; producers schedule from outside.
 *
 * Invariant (work conservation): while two tasks or more are there, the dozer is woken, also in
 * scenarios where no doze times out. While one task is there, the dozer sleeps no longer than a
 * doze lasts.
 */
#include "idle/doze.h"
#include "forked_setup.h"

#define DOZER	{ dozer, NULL, "dozer" }

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };

static void dozer(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);
	uint32_t reasons = 0;
	struct nap_task *task;

	(void)unused;
	self_is(nap__self(), worker);
	while (nap__park(worker, UINT64_MAX, &reasons) == NAP_SEARCH) {
		nap_store_relaxed(&worker->rest, worker->rest + 1);
		while ((task = nap__dequeue(worker)))
			nap__run(worker, task);
		nap_store_relaxed(&worker->rest, worker->rest + 1);
	}
	worker->ended = true;
}

/* Setup: worker 0 (thread 0) is about to doze; worker 1 is in a task. */
static void dozing(void)
{
	struct nap_worker *worker;

	pool_new(2, 0);
	worker = pool_add_worker(0);
	pool_add_worker(0)->rest = 2;
	worker->rest = 1;
	worker->relied_on = worker->patient = sync_of(worker)->waking = true;
	sync_of(worker)->alarms = NAP_ALARMS;
	pool->sync = sync_with_state(pool->sync, SYNC_WAKING);
	check_name(&pool->dozer, sizeof(pool->dozer), "pool.dozer");
}

/* Setup: no doze times out, so every notification that is needed must be sent. */
static void dozing_for_ever(void)
{
	dozing();
	seam_no_timeouts();
}

/* the pool's records, which at first the dozer alone can see */
static struct nap_worker *records;

static void dozing_unknown(void)
{
	dozing_for_ever();
	records = pool->records;
	pool->records = NULL;
}

static void dozer_of_new_records(void *unused)
{
	nap_store_relaxed(&pool->records, records);
	dozer(unused);
}

static void schedule(void *job)
{
	CHECK(job_schedule(job) == 0);
}

/* Schedules a task into worker 1's own ring; the task that worker 1 is in never ends. */
static void schedule_one(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 1));
	schedule(&jobs[0]);
	block_for_ever();
}

static void schedule_two(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 1));
	schedule(&jobs[0]);
	schedule(&jobs[1]);
	block_for_ever();
}

static void schedule_both(void *unused)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	(void)unused;
	self_is(nap__self(), registry_at(pool, 1));
	for (int i = 0; i < 2; i++) {
		jobs[i].in = JOB_IN;
		nap_batch_push(&batch, &jobs[i].task);
	}
	CHECK(nap_schedule_batch(pool, &batch) == 0);
	block_for_ever();
}

/* the job of worker 1, which forks private jobs until another worker asks for jobs */
static struct forked forked;

static void nobody_asks(void)
{
	dozing_for_ever();
	pool_ask_nobody(registry_at(pool, 1));
}

static void fork_and_go_on(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 1);

	(void)unused;
	self_is(nap__self(), worker);
	fork_one(worker, &forked);
	block_for_ever();
}

/*
 * Schedules two tasks as worker 1. Worker 1 runs the first itself, as the dozer expects, and
 * never comes to the second.
 */
static void hop(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 1);

	(void)unused;
	self_is(nap__self(), worker);
	for (int i = 0; i < 2; i++) {
		struct nap_task *task;

		schedule(&jobs[i]);
		task = i == 0 ? ring_pop(&worker->ring) : NULL;
		if (task)
			nap__run(worker, task);
	}
	block_for_ever();
}

/*
 * All tasks have run; the dozer sleeps and is listed once; no thread relies on the dozer; no wake
 * is pending.
 */
static void all_ran(void)
{
	struct nap_worker *worker = registry_at(pool, 0);

	for (int i = 0; i < 2; i++)
		CHECK(jobs[i].runs == (jobs[i].in == JOB_IN));
	CHECK(forked.runs == (forked.in == JOB_IN));
	CHECK(pool_sleeps(worker) && !(worker->event & EVENT_WORK) && pool->dozer == 0);
	CHECK(worker->idle_next == 0);
}

static void has_ended(void)
{
	CHECK(registry_at(pool, 0)->ended && pool->dozer == 0);
}

CHECK_SCENARIO(doze_inject, .about = "a task from outside ends a doze",
	.setup = dozing_for_ever, .finally = all_ran, .may_block = true,
	.threads = { DOZER, { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(doze_schedule, .about = "so does nap_schedule(), which asks without a call",
	.setup = dozing_for_ever, .finally = all_ran, .may_block = true,
	.threads = { DOZER, { schedule, &jobs[0], "producer" } });

CHECK_SCENARIO(doze_found, .about = "who ends a doze finds the record by the name",
	.setup = dozing_unknown, .finally = all_ran, .may_block = true,
	.threads = { { dozer_of_new_records, NULL, "dozer" },
		     { pool_inject, &jobs[0], "producer" } });

/*
 * The producer that takes the dozer's name out of pool->dozer must wake the dozer; the other
 * producer finds no name there.
 */
CHECK_SCENARIO(doze_inject_twice, .about = "two tasks from outside end it once",
	.setup = dozing_for_ever, .finally = all_ran, .may_block = true, .random = 20000,
	.threads = { DOZER, { pool_inject, &jobs[0], "producer1" },
		     { pool_inject, &jobs[1], "producer2" } });

CHECK_SCENARIO(doze_two, .about = "so does a second task in a worker's ring",
	.setup = dozing_for_ever, .finally = all_ran, .may_block = true, .random = 20000,
	.threads = { DOZER, { schedule_two, NULL, "W1" } });

CHECK_SCENARIO(doze_batch, .about = "so does a batch",
	.setup = dozing_for_ever, .finally = all_ran, .may_block = true, .random = 20000,
	.threads = { DOZER, { schedule_both, NULL, "W1" } });

/* The dozer asks worker 1 for jobs before the doze begins. */
CHECK_SCENARIO(doze_fork, .about = "so does a job, also of one who had kept jobs to itself",
	.setup = nobody_asks, .finally = all_ran, .may_block = true,
	.threads = { DOZER, { fork_and_go_on, NULL, "W1" } });

CHECK_SCENARIO(doze_lone, .about = "a lone task whose owner goes on is run when the doze is over",
	.setup = dozing, .finally = all_ran, .may_block = true,
	.threads = { DOZER, { schedule_one, NULL, "W1" } });

/*
 * The dozer was woken for nothing before, and leaves the first task to worker 1; worker 1
 * notifies of the second.
 */
CHECK_SCENARIO(doze_hop, .about = "a lone task that moves, then stays, is run when a doze is over",
	.setup = dozing, .finally = all_ran, .may_block = true, .random = 20000,
	.threads = { DOZER, { hop, NULL, "W1" } });

CHECK_SCENARIO(doze_timeout_and_wake, .about = "the time passes while somebody ends the doze",
	.setup = dozing, .finally = all_ran, .may_block = true,
	.threads = { DOZER, { pool_inject, &jobs[0], "producer" } });

CHECK_SCENARIO(doze_stop, .about = "a pool is stopped while one dozes",
	.setup = dozing, .finally = has_ended,
	.threads = { DOZER, { pool_stop, NULL, "stopper" } });
