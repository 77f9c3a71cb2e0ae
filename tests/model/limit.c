/* SPDX-License-Identifier: MIT */
/*
 * Workers that retire and come back (src/sched/standby.c), and limits that rise and fall
 * (src/kit/capacity.c), against producers, stops and joins, under each idle protocol. Invariants:
 * work conservation, with as many workers as the limit permits; the end of the pool waits for
 * every worker.
 */
#include "sched/standby.h"
#include "thread/cpu_rank.h"
#include "worker/capacity.h"
#include "pool_setup.h"

static struct job jobs[2] = { JOB_INIT(job_run), JOB_INIT(job_run) };

static void set_limit(void *limit)
{
	CHECK(nap_pool_set_limit(pool, (uint32_t)(uintptr_t)limit) == (int)(uintptr_t)limit);
}

static void all_ran(void)
{
	for (unsigned i = 0; i < 2; i++)
		CHECK(jobs[i].runs == (jobs[i].in == JOB_IN));
}

/*
 * Setup: worker n is thread n + 2. The thread that starts in place of an ended thread n is thread
 * n + 4.
 */
static void pool_of(uint32_t limit, uint32_t most)
{
	pool_new(limit, 2);
	pool->config.yields = NAP_NO_YIELDS;
	nap_store_relaxed(&pool->most, most);
	seam_restarts(4);
}

/* ---- a worker that has slept for long enough */

static void one_sleeps(void)
{
	pool_of(1, 1);
	pool->config.idle_timeout_ns = 1;
	pool_add_worker(2);
}

/* The worker may be about to sleep, on its way out, or gone when the task comes. */
CHECK_SCENARIO(limit_retires, .about = "a worker that retires against a producer",
	.random = 20000,
	.setup = one_sleeps, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" }, [2] = WORKER(0) });

/*
 * Setup: the worker sleeps without a time limit, or is about to, when it is notified that idle
 * workers retire after a time.
 */
static void one_stays(void)
{
	pool_of(1, 1);
	pool_add_worker(2);
}

static void set_idle(void *unused)
{
	(void)unused;
	CHECK(nap_pool_set_idle(pool, 0, 1) == 0);
}

static void nobody_is_there(void)
{
	CHECK(nap__idle_spawned(pool) == 0);
}

CHECK_SCENARIO(limit_set_idle, .about = "a worker that sleeps without an end is told to retire",
	.random = 20000,
	.setup = one_stays, .finally = nobody_is_there, .may_block = true,
	.threads = { { set_idle, NULL, "setter" }, [2] = WORKER(0) });

/* Retires without a sleep: the worker leaves the count, and then checks the queues once. */
static void retire(struct nap_worker *worker, bool leaves)
{
	enum nap__verdict verdict;

	self_is(nap__self(), worker);
	worker->rest = 1;
	verdict = nap__standby(worker, 0, 0);
	if (verdict != NAP_RETIRED) {
		worker->rest = 2;
		nap__worker_main(worker);
	} else if (leaves) {
		nap__standby_leave(worker);
	}
}

static void retire_now(void *leaves)
{
	retire(registry_at(pool, 0), leaves);
}

static void none_is_idle(void)
{
	one_sleeps();
	seam_no_timeouts();
}

CHECK_SCENARIO(limit_retires_now, .about = "a worker that is counted down against a producer",
	.setup = none_is_idle, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" }, [2] = { retire_now, NULL, "W0" } });

/*
 * Retires as a worker that was counted as idle. A waker that has read the count finds no worker
 * to wake.
 */
static void doze_and_retire(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);
	struct nap_task *task;

	(void)unused;
	self_is(nap__self(), worker);
	worker->rest = 1;
	while (nap__idle_prepare(worker) != NAP_PARK) {
		worker->rest = 2;
		while ((task = nap__dequeue(worker)))
			nap__run(worker, task);
		worker->rest = 3;
	}
	nap__idle_abort_park(worker);
	retire_now(NULL);
}

CHECK_SCENARIO(limit_retires_idle,
	.about = "a worker that was counted as idle, and retires, against a producer",
	.setup = none_is_idle, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" },
		     [2] = { doze_and_retire, NULL, "W0" } });

static void worker_stop(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
}

static void one_in_stop(void)
{
	one_sleeps();
	pool->config.worker_stop = worker_stop;
}

CHECK_SCENARIO(limit_retires_2, .about = "a worker that retires against two producers",
	.random = 5000,
	.setup = one_in_stop, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer1" }, { pool_inject, &jobs[1], "producer2" },
		     [2] = WORKER(0) });

/* ---- the end */

static void one_to_join(void)
{
	one_sleeps();
}

static void schedule_and_join(void *unused)
{
	(void)unused;
	CHECK(job_schedule(&jobs[0]) == 0);
	CHECK(nap_pool_join(pool, NULL) == 0);
	CHECK(jobs[0].runs == 1);
	pool_free();
}

CHECK_SCENARIO(limit_retires_joined, .about = "a worker that retires against the end of its pool",
	.random = 5000,
	.setup = one_to_join,
	.threads = { { schedule_and_join, NULL, "joiner" }, [2] = WORKER(0) });

static void two_to_join(void)
{
	pool_of(2, 2);
	pool->config.idle_timeout_ns = 1;
	pool_add_worker(2);
	pool_add_worker(2);
}

CHECK_SCENARIO(limit_retire_joined_2,
	.about = "two workers that retire against the end of their pool",
	.random = 20000,
	.setup = two_to_join,
	.threads = { { pool_join, NULL, "joiner" }, [2] = WORKER(0), WORKER(1) });

static void prewarm_two(void *unused)
{
	(void)unused;
	CHECK(nap_pool_prewarm(pool, 2) == 0);
}

static void one_of_two_sleeps(void)
{
	pool_of(2, 2);
	pool->config.idle_timeout_ns = 1;
	pool_add_worker(2);
}

static void leave_behind_other(void *unused)
{
	struct nap_worker *other;

	(void)unused;
	do {
		nap_cpu_relax();
		other = registry_first(pool);
	} while (other->index != 1 || nap_load_relaxed(&other->record) != RECORD_GONE);
	retire_now("leaves");
}

/*
 * The worker that leaves, W0, waits for the end of W1's thread, whose handle the starter has
 * written.
 */
CHECK_SCENARIO(limit_reaped, .about = "a worker is started, retires, and is waited for by another",
	.random = 20000,
	.setup = one_of_two_sleeps, .may_block = true,
	.threads = { { prewarm_two, NULL, "starter" }, [2] = { leave_behind_other, NULL, "W0" } });

/*
 * Leaves. Of two workers that leave, in whichever order, one waits for the end of the other's
 * thread. [R6]
 */
static void leave(void *index)
{
	retire(registry_at(pool, (uint32_t)(uintptr_t)index), true);
}

static void one_is_waited_for(void)
{
	CHECK(registry_at(pool, 0)->record == RECORD_FREE ||
	      registry_at(pool, 1)->record == RECORD_FREE);
}

CHECK_SCENARIO(limit_leave_2, .about = "two workers leave: one waits for the other's end",
	.setup = two_to_join, .finally = one_is_waited_for,
	.threads = { [2] = { leave, (void *)0, "W0" }, { leave, (void *)1, "W1" } });

/* Goes on standby as W0. W1 calls W0 back, unless the joiner is first. */
static void sit(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);

	(void)unused;
	self_is(nap__self(), worker);
	worker->rest = 1;
	if (nap__standby(worker, 0, UINT64_MAX) == NAP_PARK) {
		worker->rest = 2;
		nap__worker_main(worker);
	}
}

static void one_on_the_bench(void)
{
	pool_of(2, 2);
	seam_no_timeouts();
	pool_add_worker(2);
	pool_add_worker(2);
}

static void schedule_as_worker(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 1));
	job_schedule(&jobs[0]);
	nap__worker_main(registry_at(pool, 1));
}

static void stop_and_join(void *unused)
{
	struct nap_batch left;

	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(jobs[0].runs + left.count <= 1);
	CHECK(pool->spawn_failures == 0);
	pool_free();
}

CHECK_SCENARIO(limit_starter_joined,
	.about = "a worker that calls another back, against a stop and the end",
	.random = 20000,
	.setup = one_on_the_bench,
	.threads = { { stop_and_join, NULL, "joiner" }, [2] = { sit, NULL, "W0" },
		     { schedule_as_worker, NULL, "W1" } });

/*
 * Setup: W1 has left; W0 leaves, and waits for W1's thread. A visitor (a thread from outside that
 * is inside the pool) starts a worker on W1's record, while the joiner takes the records. The
 * joiner may have read the record when W1 had it, and must get the handle of the new thread. [J1]
 */
static void one_gone_one_leaving(void)
{
	pool_of(2, 2);
	seam_no_timeouts();
	pool_add_worker(2)->record = RECORD_LEAVING;
	pool_add_worker(2)->record = RECORD_GONE;
	pool->leaving = 2;
	/*
	 * W0 is no longer counted; the worker that the visitor will start in W1's place is
	 * counted.
	 */
	CHECK(nap__idle_retire(pool, 0) == 0);
	pool->visits += GATE_ONE;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

static void has_ended(void *unused)
{
	(void)unused;
}

static void leave_last(void *unused)
{
	(void)unused;
	nap__standby_leave(registry_at(pool, 0));
}

static void start_as_visitor(void *unused)
{
	int err = nap__spawn(pool, idle_ops(pool)->started);

	(void)unused;
	CHECK(err == 0 || err == -ESHUTDOWN);
	gate_leave(&pool->visits);
}

CHECK_SCENARIO(limit_restarted_joined,
	.about = "a record with another thread by now, against the joiner",
	.setup = one_gone_one_leaving,
	.threads = { { pool_join, NULL, "joiner" }, { start_as_visitor, NULL, "visitor" },
		     { leave_last, NULL, "W0" }, { has_ended, NULL, "W1" } });

/* ---- a limit that falls */

static void two_of_two(void)
{
	pool_of(2, 2);
	seam_no_timeouts();
	pool_add_worker(2);
	pool_add_worker(2);
}

static void one_is_left(void)
{
	all_ran();
	CHECK(nap__idle_spawned(pool) == 1);
	CHECK(check_waits(2) && check_waits(3));
}

CHECK_SCENARIO(limit_falls, .about = "a limit that falls against workers that park, and a producer",
	.random = 5000,
	.setup = two_of_two, .finally = one_is_left, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" }, { set_limit, (void *)1, "setter" },
		     [2] = WORKER(0), WORKER(1) });

/* Setup: worker 0 is inside a task that never ends; worker 1 is on standby, or about to be. */
static void one_blocked(void)
{
	pool_of(2, 2);
	seam_no_timeouts();
	nap_store_relaxed(&pool->lowered, true);
	nap_store_relaxed(&pool->base, 1);
	nap_store_relaxed(&pool->limit, 1);
	pool_add_worker(2);
	pool_add_worker(2);
}

CHECK_SCENARIO(limit_called_back,
	.about = "a limit that rises against a worker that retires, and a task",
	.random = 20000,
	.setup = one_blocked, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" }, { set_limit, (void *)2, "setter" },
		     [3] = WORKER(1) });

/* ---- a limit that rises */

static void one_of_one(void)
{
	pool_of(1, 2);
	pool_add_worker(2);
}

CHECK_SCENARIO(limit_rises,
	.about = "a limit that rises against a producer, beside a blocked worker",
	.setup = one_of_one, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" }, { set_limit, (void *)2, "setter" } });

/*
 * Setup: one worker is idle, and is about to be woken. The worker leaves for another reason,
 * although another thread relies on it to be woken. [R4]
 */
static void one_idle(void)
{
	pool_of(1, 2);
	seam_no_timeouts();
	pool_set_idle(pool_add_worker(2));
}

static void leave_for_good(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 0));
	nap__idle_abort_park(registry_at(pool, 0));
	nap__idle_stop_search(registry_at(pool, 0), false);
}

static void other_has_run(void)
{
	CHECK(jobs[0].runs == 1);
}

CHECK_SCENARIO(limit_rises_unwoken,
	.about = "the same, where who is to be woken leaves for a task that blocks",
	.random = 20000,
	.setup = one_idle, .finally = other_has_run, .may_block = true,
	.threads = { { pool_inject, &jobs[0], "producer" }, { set_limit, (void *)2, "setter" },
		     [2] = { leave_for_good, NULL, "W0" } });

static void one_task_is_left(void)
{
	pool_of(1, 2);
	seam_no_timeouts();
	pool_signal(pool_add_worker(2));
	job_queue(&jobs[0]);
}

/* W0 was woken, and finds the other of two tasks, which blocks. */
static void find_one_of_two(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 0));
	nap__idle_prepare(registry_at(pool, 0));
	nap__idle_stop_search(registry_at(pool, 0), true);
}

CHECK_SCENARIO(limit_rises_handed_on,
	.about = "the same, where who was woken finds one of two tasks, which blocks",
	.setup = one_task_is_left, .finally = other_has_run, .may_block = true,
	.threads = { [1] = { set_limit, (void *)2, "setter" }, { find_one_of_two, NULL, "W0" } });

/* ---- two threads change the limit */

static void blocked_and_base(void)
{
	pool_of(1, 2);
	pool->config.most_blocked = 1;
	pool_add_worker(2);
}

static void replace_one(void *unused)
{
	(void)unused;
	nap__replace(registry_at(pool, 0), REPLACED_IN_SECTION);
	nap__replace_no_more(registry_at(pool, 0), REPLACED_IN_SECTION);
}

static void look_twice(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 0);

	(void)unused;
	nap__replace(worker, REPLACED_AS_STUCK);
	nap__replace_no_more(worker, REPLACED_AS_STUCK);
}

static void nobody_is_replaced(void)
{
	CHECK(pool->blocked == 0 && pool->limit == 1);
}

CHECK_SCENARIO(limit_looked_at,
	.about = "a section that begins and ends, against a look that finds it stuck",
	.setup = blocked_and_base, .finally = nobody_is_replaced,
	.threads = { { look_twice, NULL, "look" }, { replace_one, NULL, "blocked" } });

static void is_sum(void)
{
	CHECK(pool->limit == pool->base + pool->blocked && pool->limit == 2);
}

CHECK_SCENARIO(limit_sum, .about = "a limit that is set against a section that begins and ends",
	.setup = blocked_and_base, .finally = is_sum,
	.threads = { { set_limit, (void *)2, "setter" }, { replace_one, NULL, "blocked" } });

/* ---- blocking sections */

static void block(struct nap_task *task)
{
	nap_blocking_begin();
	job_run(task);
	nap_blocking_end();
}

static void one_section(void)
{
	pool_of(1, 1);
	seam_no_timeouts();
	pool->config.most_blocked = 1;
	jobs[0] = (struct job)JOB_INIT(block);
	pool_signal(pool_add_worker(2));
	job_queue(&jobs[0]);
}

static void sections_over(void)
{
	all_ran();
	CHECK(pool->blocked == 0 && pool->limit == 1);
}

CHECK_SCENARIO(limit_section, .about = "a blocking section against a producer",
	.random = 5000,
	.setup = one_section, .finally = sections_over, .may_block = true,
	.threads = { { pool_inject, &jobs[1], "producer" }, [2] = WORKER(0) });

static void join(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
	CHECK(jobs[0].runs == 1);
	pool_free();
}

CHECK_SCENARIO(limit_section_joined, .about = "a blocking section against the end of its pool",
	.random = 5000,
	.setup = one_section,
	.threads = { { join, NULL, "joiner" }, [2] = WORKER(0) });

/*
 * Begins a section that never ends. Another worker has to come and find the task, although the
 * task's producer checked the limit before the section began.
 */
static void block_for_good(struct nap_task *task)
{
	nap_blocking_begin();
	job_block(task);
}

static void one_section_for_good(void)
{
	one_section();
	nap_task_init(&jobs[0].task, block_for_good);
}

CHECK_SCENARIO(limit_section_blocked, .about = "a task behind a blocking section that does not end",
	.random = 20000,
	.setup = one_section_for_good, .finally = all_ran, .may_block = true,
	.threads = { { pool_inject, &jobs[1], "producer" }, [2] = WORKER(0) });

/* ---- the ranks of CPUs, when the CPUs are counted anew */

static void turns_two_and_three(void)
{
	pool_of(3, 3);
	pool->config.flags |= NAP_ONE_CPU_EACH;
	for (uint32_t i = 0; i < 3; i++)
		pool_add_worker(3);
	for (uint32_t i = 0; i < 2; i++) {
		registry_at(pool, i)->cpu_rank = i + 1;
		registry_at(pool, i)->holds_rank = true;
		registry_at(pool, i + 1)->rank_held = 1;
	}
}

static void take_anew(void *index)
{
	cpu_rank_anew(registry_at(pool, (uint32_t)(uintptr_t)index));
}

static void no_turn_is_left_out(void)
{
	CHECK(registry_at(pool, 0)->cpu_rank + registry_at(pool, 1)->cpu_rank == 1);
}

CHECK_SCENARIO(limit_turns,
	.about = "two workers take the lowest turns that are free, and leave none out",
	.setup = turns_two_and_three, .finally = no_turn_is_left_out,
	.threads = { { take_anew, (void *)0, "W0" }, { take_anew, (void *)1, "W1" } });
