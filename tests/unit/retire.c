/* SPDX-License-Identifier: MIT */
/* Workers that retire when they have slept for a configured time, and workers that start later. */
#include <errno.h>
#include <pthread.h>

#include <sys/wait.h>

#include "os/os.h"
#include "worker/registry.h"
#include "fib.h"
#include "limit_fixture.h"
#include "wrap.h"

#if defined(__SANITIZE_THREAD__) || defined(NAP_TEST_EMULATED) || defined(NAP_TEST_BARE)
#define FORKS_END 0
#else
#define FORKS_END 1
#endif

#define MS 1000000u

TEST_F(under, idle_workers_retire_but_for_the_least)
{
	begin(_metadata, (struct nap_config){ .max_workers = 4, .min_workers = 1,
					      .idle_timeout_ns = MS, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 4), 0);
	await_spawned(1);
	while (nap_load_relaxed(&stops) < 3)
		sched_yield();
	usleep(5000);
	EXPECT_EQ(nr_spawned(), 1);
	/* The threads of retired workers end as well. */
	while (listed_workers() > 1)
		usleep(100);
	EXPECT_EQ(listed_workers(), 1);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	/* More than 4, if a worker retired before the last one was started. */
	EXPECT_GE(starts, 4);
	EXPECT_EQ(starts, stops);
	EXPECT_EQ(count_workers(), 0);
}

TEST_F(under, they_come_back)
{
	unsigned long i;

	begin(_metadata, (struct nap_config){ .max_workers = 3, .idle_timeout_ns = MS,
					      .idle = self->idle });
	for (i = 0; nap_test_again(i, nap_test_count(100)); i++) {
		may_go = 0;
		schedule_n(3, stay);
		await_inside(3);
		flag_set(&may_go);
		await_run(3 * (i + 1));
		if (i % 2)
			await_spawned(0);
	}
	await_spawned(0);
	/* The pool has no thread left. */
	while (listed_workers() > 0)
		usleep(100);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3 * i);
	EXPECT_EQ(starts, stops);
	EXPECT_GE(starts, 3);
}

static struct nap_task inner = NAP_TASK_INIT(count_run);
static uint32_t in_ring;

static void schedule_inside(struct nap_task *task)
{
	nap_schedule(&pool, &inner);
	in_ring = ring_count(&nap__self()->worker->ring);
	count_and_free(task);
}

/* The third worker has the record of the first one, and nothing else of that worker. */
TEST_F(under, they_are_new_workers)
{
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle_timeout_ns = MS,
					      .idle = self->idle });
	/* A worker on standby that is called back does not start. */
	for (unsigned long i = 0; nap_load_relaxed(&starts) < 5; i++) {
		schedule_n(1, schedule_inside);
		await_run(2 * (i + 1));
		EXPECT_EQ(in_ring, 1);
		await_spawned(0);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_LT(pool.nr_records, starts);
}

static void await_idle(uint32_t n)
{
	struct nap_pool_stats stats;

	do {
		sched_yield();
		nap_pool_get_stats(&pool, &stats);
	} while (stats.idle != n);
}

/*
 * Workers that sleep without limit are notified of the new time. Workers that start later have it,
 * too.
 */
TEST_F(under, the_time_is_set_while_they_sleep)
{
	begin(_metadata, (struct nap_config){ .max_workers = 4, .idle = self->idle });
	EXPECT_EQ(nap_pool_set_idle(NULL, 0, MS), -EINVAL);
	ASSERT_EQ(nap_pool_prewarm(&pool, 4), 0);
	await_idle(4);
	EXPECT_EQ(nap_pool_set_idle(&pool, 2, 1), 0);
	await_spawned(2);
	EXPECT_EQ(nap_pool_set_idle(&pool, 2, 0), 0);
	may_go = 0;
	schedule_n(4, stay);
	await_inside(4);
	flag_set(&may_go);
	await_run(4);
	await_idle(4);
	EXPECT_EQ(nr_spawned(), 4);
	EXPECT_EQ(nap_pool_set_idle(&pool, 0, MS), 0);
	await_spawned(0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_set_idle(&pool, 0, MS), -ESHUTDOWN);
	EXPECT_EQ(starts, stops);
}

TEST_F(under, nothing_is_lost_by_those_who_retire_at_once)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	unsigned long n = 0;

	begin(_metadata, (struct nap_config){ .max_workers = 3, .idle_timeout_ns = 1,
					      .spin_us = NAP_NO_SPIN, .idle = self->idle });
	for (unsigned long i = 0; nap_test_again(i, nap_test_count(3000)); i++) {
		schedule_n(1 + i % 4, count_and_free);
		n += 1 + i % 4;
		/*
		 * Tasks come up to four at a time, and the test waits for their ends in two of
		 * three rounds.
		 */
		if (i % 3)
			await_run(n);
		if (i % 50 == 0)
			EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	}
	EXPECT_EQ(nap_group_wait(&group), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, n);
	EXPECT_EQ(starts, stops);
}

static void *schedule_many(void *n)
{
	schedule_n((int)(uintptr_t)n, pass);
	return NULL;
}

TEST_F(under, several_producers_against_those_who_retire)
{
	unsigned long n = nap_test_count(300);
	pthread_t threads[3];

	begin(_metadata, (struct nap_config){ .max_workers = 4, .idle_timeout_ns = 1000,
					      .min_workers = 1, .idle = self->idle });
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, schedule_many, (void *)n), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	await_run(3 * n);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3 * n);
	EXPECT_EQ(starts, stops);
}

/* ---- worker_stop of a worker that retires */

static uint32_t in_stop, stop_may_end;

static void slow_stop(struct nap_worker *worker, void *arg)
{
	count_stop(worker, arg);
	/* Only the first worker that stops waits here. */
	if (nap_xchg_acq_rel(&in_stop, 1))
		return;
	flag_wait(&stop_may_end);
}

/* Waits until a worker is on standby. A worker that retires is no longer counted by then. */
static void await_benched(void)
{
	uint32_t n;

	do {
		sched_yield();
		n = 0;
		for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
			n += nap_load_relaxed(&w->record) == RECORD_STANDBY;
	} while (n != 1);
}

TEST_F(under, a_slow_worker_stop_holds_up_nobody)
{
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle_timeout_ns = MS,
					      .worker_stop = slow_stop, .idle = self->idle });
	schedule_n(1, pass);
	flag_wait(&in_stop);
	EXPECT_EQ(nr_spawned(), 0);
	/* A second worker starts, runs each of these tasks, and is on standby in between. */
	for (unsigned long i = 2; i < 6; i++) {
		schedule_n(1, pass);
		await_run(i);
		await_spawned(0);
		await_benched();
	}
	EXPECT_EQ(nap_load_relaxed(&stops), 1);
	EXPECT_EQ(nap_load_relaxed(&starts), 2);
	flag_set(&stop_may_end);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(starts, stops);
}

/* A worker in worker_stop counts as not busy, so a wait for tasks does not wait for this worker. */
TEST_F(under, a_slow_worker_stop_is_no_task)
{
	struct nap_pool_stats stats;
	struct nap_remaining left;
	struct nap_end end;
	struct nap_cq cq;

	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle_timeout_ns = MS,
					      .worker_stop = slow_stop, .idle = self->idle });
	ASSERT_EQ(nap_cq_init(&cq), 0);
	nap_end_init(&end, count_run, &cq);
	EXPECT_EQ(nap_pool_notify_end(&pool, &end), 0);
	/* No prewarm here: it would start another worker if the first one had retired. */
	schedule_n(1, pass);
	flag_wait(&in_stop);
	EXPECT_EQ(nap_pool_remaining(&pool, &left), 0);
	EXPECT_EQ(left.workers, 0);
	EXPECT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.running, 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	/* Another worker starts, runs a task, and waits until the first worker may leave. */
	schedule_n(1, pass);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_load_acquire(&nr_run), 2);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	while (nap_cq_run(&cq, 0) == 0)
		sched_yield();
	EXPECT_EQ(nap_load_acquire(&nr_run), 3);
	EXPECT_EQ(nap_load_relaxed(&stops), 1);
	flag_set(&stop_may_end);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(starts, stops);
	EXPECT_EQ(nap_cq_close(&cq, &(struct nap_batch)NAP_BATCH_INIT), 0);
}

static uint32_t scheduled_at_stop;
static int at_stop = 1;

static void schedule_at_stop(struct nap_worker *worker, void *arg)
{
	struct nap_task *task = new_task(count_and_free);

	count_stop(worker, arg);
	if (!nap_load_relaxed(&scheduled_at_stop)) {
		nap_store_relaxed(&scheduled_at_stop, 1);
		at_stop = nap_schedule(&pool, task);
	} else if (nap_schedule(&pool, task)) {
		free(task);
	} else {
		nap_fetch_add_relaxed(&scheduled_at_stop, 1);
	}
}

TEST_F(under, worker_stop_may_schedule_as_long_as_the_pool_runs)
{
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle_timeout_ns = MS,
					      .worker_stop = schedule_at_stop,
					      .idle = self->idle });
	schedule_n(1, count_and_free);
	await_run(3);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(at_stop, 0);
	EXPECT_EQ(nr_run, 1 + scheduled_at_stop);
	EXPECT_EQ(starts, stops);
}

/* ---- all kinds of work, and waits, in a pool whose workers have retired */

static struct nap_classes classes;
static struct nap_serial in_turn;
static struct nap_group brought = NAP_GROUP_INIT(&pool);
static struct nap_slot slots[1];
static struct nap_submitter submitter;
static uint32_t brings;
static int results[6], beside_a_full_one;
static long forked_there;

static void count_brought(struct nap_task *task)
{
	count_and_free(task);
	nap_group_done(&brought);
}

static void count_submitted(void *group)
{
	flag_wait(&stop_may_end);
	nap_fetch_add_release(&nr_run, 1);
	nap_group_done(group);
}

static void count_job(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_release(&nr_run, 1);
}

static void bring(struct nap_worker *worker, void *arg)
{
	struct nap_batch batch = new_batch(2, count_brought);

	count_stop(worker, arg);
	/* Only the first worker brings work. */
	if (nap_xchg_acq_rel(&brings, 1)) {
		free_batch(&batch);
		return;
	}
	nap_group_add(&brought, 5);
	results[0] = nap_class_schedule(&pool, 0, new_task(count_brought));
	results[1] = nap_class_schedule_batch(&pool, 1, &batch);
	results[2] = nap_serial_schedule(&in_turn, new_task(count_brought));
	results[3] = nap_submit(&submitter, count_submitted, &brought);
	/* The submitter has no free slot at this moment, and says so. */
	beside_a_full_one = nap_submit(&submitter, count_submitted, &brought);
	flag_set(&stop_may_end);
	results[4] = nap_call(&pool, count_job, NULL);
	forked_there = fib(worker, nap_top(worker), 10);
	/* This wait runs nothing: another worker runs the tasks. */
	results[5] = nap_group_wait(&brought);
	flag_set(&in_stop);
}

TEST_F(under, worker_stop_may_bring_work_of_all_kinds)
{
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle_timeout_ns = MS,
					      .classes = &classes, .worker_stop = bring,
					      .idle = self->idle });
	nap_serial_init(&in_turn, &pool);
	ASSERT_EQ(nap_submit_init(&submitter, &pool, slots, 1, 0, 0, NULL, NULL), 0);
	schedule_n(1, count_and_free);
	flag_wait(&in_stop);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(results[i], 0);
	EXPECT_EQ(beside_a_full_one, -EAGAIN);
	EXPECT_EQ(forked_there, 55);
	EXPECT_EQ(nr_run, 7);
	EXPECT_EQ(starts, stops);
}

/* ---- the end */

TEST_F(under, a_pool_ends_beside_those_who_retire)
{
	for (unsigned long i = 0; nap_test_again(i, nap_test_count(200)); i++) {
		struct nap_batch left;

		begin(_metadata, (struct nap_config){ .max_workers = 3,
						      .idle_timeout_ns = 1 + 20000 * (i % 4),
						      .idle = self->idle });
		nr_run = 0;
		schedule_n(5, pass);
		if (i % 2)
			EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
		EXPECT_EQ(nap_pool_join(&pool, &left), 0);
		EXPECT_EQ(nr_run + free_batch(&left), 5);
		EXPECT_EQ(starts, stops);
		watchdog_forget(&pool);
	}
	EXPECT_EQ(count_workers(), 0);
}

TEST_F(under, who_sits_on_the_bench_goes_when_the_pool_ends)
{
	uint64_t begun;

	begin(_metadata, (struct nap_config){ .max_workers = 3, .idle_timeout_ns = 600000000000u,
					      .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 3), 0);
	begun = nap__os_now();
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	await_spawned(1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_LT(nap__os_now() - begun, 600000000000u);
	EXPECT_EQ(stops, 3);
}

static uint32_t hold_spawns, in_spawn, may_leave[2], failures;

/*
 * Holds up a thread that starts workers until the joiner has taken the worker that the thread was
 * about to call back from standby.
 */
WRAP(int, nap__spawn, (struct nap_pool *of, void (*set_up)(struct nap_worker *worker)))
{
	if (nap_load_relaxed(&hold_spawns)) {
		flag_set(&in_spawn);
		while (nap_load_relaxed(&registry_at(of, 1)->record) < RECORD_JOINING)
			sched_yield();
	}
	return __real_nap__spawn(of, set_up);
}

static void count_failure(struct nap_pool *of, int err, void *arg)
{
	(void)of;
	(void)err;
	(void)arg;
	nap_fetch_add_relaxed(&failures, 1);
}

/*
 * The tasks end in order: the task on worker 1 first, the task on worker 0 last. Before its end the
 * last task schedules one more task, which only worker 1 could run, because worker 0 is busy.
 */
static void leave_in_turn(struct nap_task *task)
{
	uint32_t index = nap_worker_self()->index;

	come_in();
	flag_wait(&may_leave[index]);
	if (index == 0) {
		nap_store_relaxed(&hold_spawns, 1);
		schedule_n(1, count_and_free);
	}
	go_out(task);
}

/*
 * Whether the worker sleeps on standby. If it still searched, it would be the thread that starts
 * workers, and the test needs worker 0 for that.
 */
static bool is_benched_and_sleeps(struct nap_worker *worker)
{
	return nap_load_relaxed(&worker->record) == RECORD_STANDBY &&
	       (nap_load_relaxed(&worker->event) & EVENT_PARKED);
}

TEST_F(under, a_starter_finds_that_the_joiner_was_first)
{
	struct nap_batch left;

	begin(_metadata, (struct nap_config){ .max_workers = 2, .idle_timeout_ns = 600000000000u,
					      .min_workers = 2, .spawn_failed = count_failure,
					      .idle = self->idle });
	schedule_n(2, leave_in_turn);
	await_inside(2);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	flag_set(&may_leave[1]);
	while (!is_benched_and_sleeps(registry_at(&pool, 1)))
		sched_yield();
	EXPECT_EQ(nap_pool_set_limit(&pool, 2), 2);
	flag_set(&may_leave[0]);
	flag_wait(&in_spawn);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(free_batch(&left), 1);
	EXPECT_EQ(starts, 2);
	EXPECT_EQ(stops, 2);
	EXPECT_EQ(failures, 0);
	EXPECT_EQ(nap_load_relaxed(&pool.spawn_failures), 0);
}

/* ---- values that workers keep */

static void *make_number(struct nap_worker *worker, void *arg)
{
	static uint32_t next;

	(void)worker;
	(void)arg;
	return (void *)(uintptr_t)(nap_fetch_add_relaxed(&next, 1) + 1);
}

static uint32_t ended;

static void end_number(void *number, void *arg)
{
	(void)number;
	(void)arg;
	nap_fetch_add_relaxed(&ended, 1);
}

static struct nap_local numbers = { .make = make_number, .end = end_number };
static uintptr_t number;

static void note_number(struct nap_task *task)
{
	nap_store_relaxed(&number, (uintptr_t)nap_local_get(nap_worker_self(), &numbers));
	count_and_free(task);
}

TEST_F(under, the_next_one_has_what_was_kept)
{
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle_timeout_ns = MS,
					      .idle = self->idle });
	ASSERT_EQ(nap_local_add(&pool, &numbers), 0);
	for (unsigned long i = 1; i <= 10; i++) {
		schedule_n(1, note_number);
		await_run(i);
		/* At most three records are in use: two workers may start while another leaves. */
		EXPECT_LE(nap_load_relaxed(&number), 3);
		await_spawned(0);
	}
	EXPECT_EQ(ended, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_GE(ended, 1);
	EXPECT_LE(ended, 3);
}

/* ---- the child of a fork */

static int child = -1;

/*
 * Forks on a worker that is one too many when fork() returns, in both processes. In the child the
 * worker's thread is the only one.
 */
static void fork_as_surplus(struct nap_task *task)
{
	flag_wait(&in_stop);
	if (nap_pool_set_limit(&pool, 1) != 1)
		abort();
	nap_store_release(&child, fork());
	count_and_free(task);
}

static void stay_until_forked(struct nap_task *task)
{
	flag_set(&in_stop);
	while (nap_load_acquire(&child) < 0)
		sched_yield();
	count_and_free(task);
}

TEST_F(under, a_child_does_not_wait_to_be_called_back)
{
	int status;

	/* Under ThreadSanitizer the child has one thread more. */
	if (!FORKS_END)
		SKIP(return, "a child's last thread does not end it here");
	begin(_metadata, (struct nap_config){ .max_workers = 2, .idle_timeout_ns = UINT64_MAX,
					      .min_workers = 2, .idle = self->idle });
	schedule_n(1, stay_until_forked);
	schedule_n(1, fork_as_surplus);
	await_run(2);
	ASSERT_GT(child, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- worker_stop, which waits for a task that it has scheduled */

static struct nap_group of_stop;
static struct nap__self *stopper, *runner;
static uint32_t has_stopped;

static void run_for_stop(struct nap_task *unused)
{
	(void)unused;
	runner = nap__self();
	nap_group_done(&of_stop);
}

static struct nap_task for_stop = NAP_TASK_INIT(run_for_stop);

static void schedule_and_wait(struct nap_worker *unused, void *arg)
{
	(void)unused;
	(void)arg;
	if (nap_fetch_add_relaxed(&stops, 1))
		return;
	stopper = nap__self();
	nap_group_init(&of_stop, &pool);
	nap_group_add(&of_stop, 1);
	if (nap_schedule(&pool, &for_stop) || nap_group_wait(&of_stop))
		abort();
	flag_set(&has_stopped);
}

TEST_F(under, a_worker_that_retires_runs_no_task_in_worker_stop)
{
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle_timeout_ns = MS,
					      .worker_stop = schedule_and_wait,
					      .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	flag_wait(&has_stopped);
	EXPECT_NE(runner, stopper);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
