/* SPDX-License-Identifier: MIT */
/*
 * A notice of a pool's end (nap/end.h) comes once, when all is done, and no thread waits for it.
 * Under each idle protocol, in a drain and in a stop, whichever thread is the last one inside.
 */
#include <sys/wait.h>

#include "kit/ends.h"
#include "os/futex.h"
#include "os/os.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/registry.h"
#include "worker/source.h"
#include "ends_fixture.h"

/* ---- a drain */

TEST_F(under, listed_before_it)
{
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	schedule_many(1000);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(look(), 0);
	schedule_many(1000);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	finish(_metadata, NULL);
	EXPECT_EQ(run_before_told, 2000);
}

TEST_F(under, listed_while_it_lasts)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	schedule_many(10);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(look(), 0);
	flag_set(&blocker.let_go);
	finish(_metadata, NULL);
	EXPECT_EQ(run_before_told, 11);
}

/* The notice is asked for after the end, so it comes at once, inside the call. */
TEST_F(under, listed_behind_it)
{
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	schedule_many(10);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	await_told(1);
	for (int i = 2; i < 5; i++) {
		ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
		ASSERT_EQ(look(), i);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_notify_end(&pool, &end), -ESHUTDOWN);
	EXPECT_EQ(look(), 4);
}

TEST_F(under, a_pool_that_nobody_has_used)
{
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(look(), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(look(), 1);
	finish(_metadata, NULL);
}

/* ---- a task begins the drain, and schedules more */

static void schedule_then_drain(struct nap_task *task)
{
	schedule_many(100);
	if (nap_pool_shutdown(&pool, NAP_DRAIN))
		abort();
	schedule_many(100);
	count_run(task);
}

TEST_F(under, begun_by_a_task)
{
	struct nap_task task = NAP_TASK_INIT(schedule_then_drain);
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	finish(_metadata, NULL);
	EXPECT_EQ(run_before_told, 201);
}

/* ---- a stop */

static uint32_t nr_stopped;

static void count_stop(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_release(&nr_stopped, 1);
}

TEST_F(under, a_stop_waits_for_what_has_begun_and_for_worker_stop)
{
	const struct nap_config config = { .idle = self->idle, .max_workers = 2,
					   .worker_stop = count_stop };
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch left;
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	while (!nap_load_acquire(&nr_stopped))
		sched_yield();
	EXPECT_EQ(look(), 0);
	flag_set(&blocker.let_go);
	await_told(1);
	EXPECT_EQ(nap_load_acquire(&nr_stopped), 2);
	EXPECT_EQ(run_before_told, 1);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(look(), 2);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
}

TEST_F(under, a_drain_that_becomes_a_stop)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch left;
	struct nap_end end;

	begin(self->idle, 1, &end);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	schedule_many(10);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(look(), 0);
	flag_set(&blocker.let_go);
	finish(_metadata, &left);
	EXPECT_EQ(run_before_told, 1);
	EXPECT_EQ(free_batch(&left), 10);
}

/* ---- no worker */

TEST_F(under, without_a_worker_the_shutdown_runs_them)
{
	struct nap_end end;

	starts_fail = true;
	begin(self->idle, 1, &end);
	schedule_many(10);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(nap_load_acquire(&nr_run), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(look(), 1);
	EXPECT_EQ(run_before_told, 10);
	finish(_metadata, NULL);
}

TEST_F(under, without_a_worker_who_wants_to_be_told_runs_them)
{
	struct nap_end end;

	starts_fail = true;
	begin(self->idle, 1, &end);
	schedule_many(10);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_load_acquire(&nr_run), 0);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(look(), 1);
	EXPECT_EQ(run_before_told, 10);
	finish(_metadata, NULL);
}

/* No worker could be started before; now one can. */
TEST_F(under, a_worker_is_started_for_what_is_left)
{
	struct nap_end end;

	starts_fail = true;
	begin(self->idle, 1, &end);
	schedule_many(10);
	starts_fail = false;
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(await_workers(1), 1);
	finish(_metadata, NULL);
	EXPECT_EQ(run_before_told, 10);
}

/* One can be started when the shutdown is over: the call that wants a notice starts it. */
TEST_F(under, a_worker_is_started_by_the_call_that_wants_to_be_told)
{
	struct nap_pool_stats stats;
	struct nap_end end;

	starts_fail = true;
	begin(self->idle, 1, &end);
	schedule_many(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	starts_fail = false;
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, 1);
	finish(_metadata, NULL);
	EXPECT_EQ(run_before_told, 1);
}

/* ---- a thread is inside a schedule, or about to leave */

/* What the main thread does when it waits for a moment; how often it has done so. */
static __thread void (*at_wait)(void);
static uint32_t nr_waits;

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	if (!at_wait)
		return __real_nap__futex_wait(word, expected, deadline);
	/* The moment is not over at once. */
	if (*word == expected && deadline > nap__os_now()) {
		nr_waits++;
		at_wait();
	}
	return 0;
}

static void leave_intake(void)
{
	gate_leave(&pool.intake);
}

static void enter_intake(struct __test_metadata *_metadata)
{
	ASSERT_TRUE(intake_enter(&pool));
}

TEST_F(under, a_thread_inside_a_schedule_is_waited_for)
{
	struct nap_end end;

	begin(self->idle, 1, &end);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	enter_intake(_metadata);
	at_wait = leave_intake;
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	at_wait = NULL;
	EXPECT_EQ(nr_waits, 1);
	EXPECT_EQ(look(), 1);
	finish(_metadata, NULL);
}

/* A caller inside the intake gives notice itself, and its call may take long. */
static void begin_beside_a_caller(struct __test_metadata *_metadata, enum nap_idle idle,
				  struct nap_end *end, enum nap_shutdown mode)
{
	begin(idle, 1, end);
	ASSERT_EQ(nap_pool_prewarm(&pool, mode == NAP_STOP), 0);
	ASSERT_EQ(nap_pool_notify_end(&pool, end), 0);
	enter_intake(_metadata);
	nap_store_relaxed(&pool.callers, 1);
	ASSERT_EQ(nap_pool_shutdown(&pool, mode), 0);
	EXPECT_EQ(look(), 0);
}

static void hear_that_it_has_gone(struct nap_worker *worker)
{
	unseen_begin();
	nap__sources[KIND_ENDS]->hear(&pool, NEWS_GONE, worker);
	unseen_end();
}

/* The next worker to retire waits for the thread of one that has gone, and for nothing else. */
TEST_F(under, one_that_is_waited_for_does_not_wait)
{
	static struct nap_worker gone;
	struct nap_end end;

	begin_beside_a_caller(_metadata, self->idle, &end, NAP_DRAIN);
	nap_store_relaxed(&pool.callers, 0);
	at_wait = leave_intake;
	gone.record = RECORD_CLAIMED;
	hear_that_it_has_gone(&gone);
	EXPECT_EQ(nr_waits, 0);
	EXPECT_EQ(look(), 0);
	gone.record = RECORD_STARTED;
	hear_that_it_has_gone(&gone);
	at_wait = NULL;
	EXPECT_EQ(nr_waits, 1);
	EXPECT_EQ(look(), 1);
	finish(_metadata, NULL);
}

/* How often the producers' slots seem to be in use for longer than a look lasts. */
static uint32_t nr_busy_looks;

WRAP(int, nap__producers_wait_empty, (struct nap_pool *of, uint64_t deadline))
{
	if (!nr_busy_looks)
		return __real_nap__producers_wait_empty(of, deadline);
	nr_busy_looks--;
	return -ETIMEDOUT;
}

TEST_F(under, producers_are_waited_for_too)
{
	static struct nap_worker gone;
	struct nap_end end;

	begin_beside_a_caller(_metadata, self->idle, &end, NAP_DRAIN);
	gate_leave(&pool.intake);
	nap_store_relaxed(&pool.callers, 0);
	gone.record = RECORD_CLAIMED;
	nr_busy_looks = 1;
	hear_that_it_has_gone(&gone);
	EXPECT_EQ(look(), 0);
	gone.record = RECORD_STARTED;
	nr_busy_looks = 2;
	hear_that_it_has_gone(&gone);
	EXPECT_EQ(nr_busy_looks, 0);
	EXPECT_EQ(look(), 1);
	finish(_metadata, NULL);
}

/* How many workers have said that they are gone. */
static uint32_t nr_gone;

WRAP(void, nap__sources_hear, (struct nap_pool *of, enum nap__news news, struct nap_worker *worker))
{
	__real_nap__sources_hear(of, news, worker);
	if (news == NEWS_GONE)
		nap_fetch_add_release(&nr_gone, 1);
}

static void start_record(void)
{
	nap_store_release(&registry_first(&pool)->record, RECORD_STARTED);
}

/* In a stop, beside a worker whose thread ends, and whose record then is @record. */
static void stop_beside(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t record,
			uint32_t waits)
{
	struct nap_batch left;
	struct nap_worker *worker;
	struct nap_end end;

	begin_beside_a_caller(_metadata, idle, &end, NAP_STOP);
	worker = registry_first(&pool);
	/* The worker's thread has looked for the end, in vain. */
	while (!nap_load_acquire(&nr_gone))
		sched_yield();
	gate_leave(&pool.intake);
	nap_store_relaxed(&pool.callers, 0);
	ASSERT_EQ(nap_load_relaxed(&worker->record), RECORD_STARTED);
	nap_store_relaxed(&worker->record, record);
	at_wait = start_record;
	hear_that_it_has_gone(NULL);
	at_wait = NULL;
	start_record();
	EXPECT_EQ(nr_waits, waits);
	EXPECT_EQ(look(), 1);
	finish(_metadata, &left);
}

TEST_F(under, one_that_is_about_to_leave_a_stop_is_waited_for)
{
	stop_beside(_metadata, self->idle, RECORD_CLAIMED, 1);
}

TEST_F(under, one_that_has_left_a_stop_is_not)
{
	stop_beside(_metadata, self->idle, RECORD_FREE, 0);
}

/* ---- the joiner gives notice, too; several notices are given one after another */

TEST_F(under, a_join_tells)
{
	struct nap_end ends[3];

	begin(self->idle, 2, &ends[0]);
	for (int i = 0; i < 3; i++) {
		nap_end_init(&ends[i], told, &cq);
		ASSERT_EQ(nap_pool_notify_end(&pool, &ends[i]), 0);
	}
	schedule_many(100);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	/* So the notices are in use beyond the join. */
	EXPECT_EQ(nap_cq_depth(&cq), 3);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(nap_cq_pop(&cq), &ends[i].task);
	EXPECT_EQ(nap_cq_pop(&cq), NULL);
}

/* A notice for a queue that was closed comes nowhere, and is free when the pool is joined. */
TEST_F(under, a_join_does_not_tell_a_closed_queue)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(nap_cq_close(&cq, &left), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_cq_depth(&cq), 0);
	EXPECT_EQ(left.count, 0);
	EXPECT_EQ(nr_told, 0);
}

TEST_F(under, a_join_tells_of_a_stop)
{
	struct nap_batch left;
	struct nap_end end;

	begin(self->idle, 2, &end);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	schedule_many(100);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(look(), 1);
	EXPECT_EQ(free_batch(&left) + nap_load_relaxed(&nr_run), 100);
}

/* ---- refused calls */

TEST_F(under, refused)
{
	struct nap_end end = { .cq = NULL }, other_end;

	begin(self->idle, 1, &other_end);
	EXPECT_EQ(nap_pool_notify_end(&pool, &end), -EINVAL);
	nap_end_init(&end, told, NULL);
	EXPECT_EQ(nap_pool_notify_end(&pool, &end), -EINVAL);
	EXPECT_EQ(nap_pool_notify_end(NULL, &other_end), -EINVAL);
	EXPECT_EQ(nap_pool_notify_end(&pool, NULL), -EINVAL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_notify_end(&pool, &other_end), -ESHUTDOWN);
	EXPECT_EQ(look(), 0);
}

/* Not under AddressSanitizer, whose allocator may be locked for ever in the child of a fork. */
#if !defined(NAP_TEST_BARE) && !defined(__SANITIZE_ADDRESS__)
/*
 * The child's own calls are refused. A notice that the parent has asked for does not come in the
 * child.
 */
TEST_F(under, the_child_of_a_fork)
{
	static struct nap_task tasks[10];	/* static: the child never runs them */
	struct nap_end end, more;
	int status = -1;
	pid_t child;

	begin(self->idle, 2, &end);
	nap_end_init(&more, told, &cq);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	for (int i = 0; i < 10; i++) {
		nap_task_init(&tasks[i], count_run);
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	child = fork();
	if (child == 0) {
		bool ok = nap_pool_notify_end(&pool, &more) == -ESHUTDOWN &&
			  nap_pool_shutdown(&pool, NAP_DRAIN) == -ESHUTDOWN;

		in_child = true;
		ok = ok && nap_pool_init_child(&pool) == 0 && nap_pool_join(&pool, NULL) == 0;
		_exit(!ok || look() != 0);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(look(), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	finish(_metadata, NULL);
}
#endif

TEST_HARNESS_MAIN
