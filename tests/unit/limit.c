/* SPDX-License-Identifier: MIT */
/* A limit that changes while the pool runs: up, down, with the CPUs, and by several threads. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "os/futex.h"
#include "os/os.h"
#include "sync/event.h"
#include "thread/cpu_rank.h"
#include "worker/message.h"
#include "worker/registry.h"
#include "limit_fixture.h"
#include "wrap.h"

/* The CPUs that the test pretends; how often workers have set their CPUs. */
static uint32_t cpus = 2, online = 8, taken;

WRAP(uint32_t, nap__os_cpu_count, (const unsigned long *mask, size_t size))
{
	(void)mask;
	(void)size;
	return nap_load_relaxed(&cpus);
}

WRAP(uint32_t, nap__os_cpus_online, (void))
{
	return online;
}

static uint32_t allowed = 2;

WRAP(uint32_t, nap__os_cpus_allowed, (const unsigned long *mask, size_t size))
{
	(void)mask;
	(void)size;
	return allowed;
}

/* How many threads this thread has woken. */
static __thread uint32_t woken;

WRAP(void, nap__futex_wake, (uint32_t *word, uint32_t n))
{
	woken++;
	__real_nap__futex_wake(word, n);
}

WRAP(void, nap__os_thread_take_cpus, (struct nap_worker *worker, uint32_t rank))
{
	__real_nap__os_thread_take_cpus(worker, rank);
	nap_fetch_add_relaxed(&taken, 1);
}

TEST(what_it_returns)
{
	struct nap_pool_stats stats;

	EXPECT_EQ(nap_pool_set_limit(NULL, 1), -EINVAL);
	EXPECT_EQ(nap_pool_reread(NULL), -EINVAL);
	begin(_metadata, (struct nap_config){ .max_workers = 2, .most_workers = 5 });
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.max_workers, 2);
	EXPECT_EQ(nap_pool_set_limit(&pool, 5), 5);
	EXPECT_EQ(nap_pool_set_limit(&pool, 6), -EINVAL);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.max_workers, 5);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	/* A limit of 0 restores the configured limit. */
	EXPECT_EQ(nap_pool_set_limit(&pool, 0), 2);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.max_workers, 2);
	EXPECT_EQ(stats.spawned, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_reread(&pool), -ESHUTDOWN);
}

TEST(what_a_configuration_may_ask_for)
{
	struct nap_config wrong[] = {
		{ .max_workers = 4, .most_workers = 3 },
		{ .most_workers = NAP_MAX_WORKERS + 1 },
		{ .max_workers = 1, .most_workers = NAP_MAX_WORKERS - 1, .most_blocked = 2 },
		{ .max_workers = NAP_MAX_WORKERS, .most_blocked = 1 },
	};
	static struct nap_pool careless = NAP_POOL_INIT(.max_workers = 3, .most_workers = 2);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		EXPECT_EQ(nap_pool_init(&pool, &wrong[i]), -EINVAL);
	/* A static initialiser with a wrong value gets the nearest right one. */
	EXPECT_EQ(nap_pool_set_limit(&careless, 4), -EINVAL);
	EXPECT_EQ(nap_pool_set_limit(&careless, 3), 3);
	EXPECT_EQ(nap_pool_join(&careless, NULL), 0);
}

TEST_F(under, a_higher_limit_starts_workers_for_what_waits)
{
	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_workers = 4, .idle = self->idle });
	schedule_n(4, stay);
	await_inside(1);
	EXPECT_EQ(nr_spawned(), 1);
	EXPECT_EQ(nap_pool_set_limit(&pool, 4), 4);
	await_inside(4);
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 4);
	EXPECT_EQ(starts, 4);
	EXPECT_EQ(stops, 4);
}

TEST_F(under, a_lower_limit_sends_idle_workers_away)
{
	begin(_metadata, (struct nap_config){ .max_workers = 4, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 4), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	await_spawned(1);
	schedule_n(50, pass);
	await_run(50);
	EXPECT_EQ(nap_load_relaxed(&most_inside), 1);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	/* Workers return from standby, or are started. */
	EXPECT_EQ(nap_pool_set_limit(&pool, 4), 4);
	schedule_n(4, stay);
	await_inside(4);
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 54);
	EXPECT_EQ(starts, stops);
}

TEST_F(under, a_lower_limit_waits_for_tasks_and_for_no_more)
{
	begin(_metadata, (struct nap_config){ .max_workers = 3, .idle = self->idle });
	schedule_n(3, stay);
	await_inside(3);
	schedule_n(20, pass);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	EXPECT_EQ(nr_spawned(), 3);
	flag_set(&may_go);
	await_spawned(1);
	nap_store_relaxed(&most_inside, 0);
	await_run(23);
	schedule_n(20, pass);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 43);
	EXPECT_EQ(nap_load_relaxed(&most_inside), 1);
}

/* Chains of tasks that keep their worker busy all the time. */
enum { CHAINS = 32 };
static uint32_t end_chains;
static uint64_t links[CHAINS];

struct chain {
	struct nap_task task;
	uint64_t *count;
};

static void go_on(struct nap_task *task)
{
	struct chain *chain = nap_container_of(task, struct chain, task);

	nap_fetch_add_relaxed(chain->count, 1);
	if (!nap_load_relaxed(&end_chains) && nap_schedule(&pool, task))
		abort();
}

TEST_F(under, a_busy_worker_sees_that_it_is_too_many)
{
	static struct chain chains[CHAINS];
	struct nap_worker_stats stats;

	begin(_metadata, (struct nap_config){ .max_workers = 2, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	for (int i = 0; i < CHAINS; i++) {
		chains[i] = (struct chain){ NAP_TASK_INIT(go_on), &links[i] };
		ASSERT_EQ(nap_schedule(&pool, &chains[i].task), 0);
	}
	/* Both workers have rings full of chains. */
	for (uint32_t i = 0; i < 2; i++)
		do {
			sched_yield();
			ASSERT_EQ(nap_worker_get_stats(&pool, i, &stats), 0);
		} while (stats.run < 10 * CHAINS);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	await_spawned(1);
	/* The remaining worker runs all chains. */
	for (int i = 0; i < CHAINS; i++) {
		uint64_t seen = nap_load_relaxed(&links[i]);

		while (nap_load_relaxed(&links[i]) < seen + 10)
			sched_yield();
	}
	nap_store_relaxed(&end_chains, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

enum { QUEUED = 100 };

static void lower_with_a_full_ring(struct nap_task *task)
{
	if (nap_pool_set_limit(&pool, 1) != 1)
		abort();
	schedule_n(QUEUED, count_and_free);
	free(task);
}

TEST_F(under, a_busy_worker_retires_as_soon_as_promised)
{
	begin(_metadata, (struct nap_config){ .max_workers = 2, .idle = self->idle });
	schedule_n(1, stay);
	await_inside(1);
	/* The tasks are in the other worker's ring, and no other thread can run them. */
	schedule_n(1, lower_with_a_full_ring);
	await_spawned(1);
	EXPECT_LE(nap_load_acquire(&nr_run), NAP_LIMIT_DEQUEUES);
	flag_set(&may_go);
	await_run(QUEUED + 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void lower(struct nap_task *task)
{
	if (nap_pool_set_limit(&pool, 1) != 1)
		abort();
	count_and_free(task);
}

TEST_F(under, also_beside_what_was_moved_in_bulk)
{
	struct nap_batch batch = NAP_BATCH_INIT, more = new_batch(4 * QUEUED, count_and_free);

	begin(_metadata, (struct nap_config){ .max_workers = 2, .idle = self->idle });
	schedule_n(1, stay);
	await_inside(1);
	nap_batch_push(&batch, new_task(lower));
	nap_batch_concat(&batch, &more);
	ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
	await_spawned(1);
	/* One more than the bound: the task that has lowered the limit. */
	EXPECT_LE(nap_load_acquire(&nr_run), NAP_LIMIT_DEQUEUES + 1);
	flag_set(&may_go);
	await_run(4 * QUEUED + 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void set_from_inside(struct nap_task *task)
{
	if (nap_pool_set_limit(&pool, 2) != 2 || nap_pool_set_limit(&pool, 1) != 1)
		abort();
	count_and_free(task);
}

TEST_F(under, a_task_may_change_it)
{
	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_workers = 2, .idle = self->idle });
	for (unsigned long i = 0; nap_test_again(i, 100); i++) {
		schedule_n(2, set_from_inside);
		await_run(2 * (i + 1));
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(starts, stops);
}

static uint32_t end_changing;

static void *change(void *from)
{
	uint32_t limit = (uint32_t)(uintptr_t)from;

	while (!nap_load_relaxed(&end_changing)) {
		limit = limit % 5 + 1;
		if (nap_pool_set_limit(&pool, limit) != (int)limit)
			abort();
	}
	return NULL;
}

TEST_F(under, several_change_it_while_there_is_work)
{
	unsigned long n = 0;
	pthread_t threads[2];

	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_workers = 5, .idle = self->idle });
	for (uintptr_t i = 0; i < 2; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, change, (void *)(2 * i)), 0);
	for (unsigned long i = 0; nap_test_again(i, nap_test_count(300)); i++) {
		n += 20;
		schedule_n(20, pass);
		EXPECT_LE(nr_spawned(), 5);
		if (i % 4 == 0)
			await_run(n);
	}
	nap_store_relaxed(&end_changing, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	/* The last limit that was set counts. */
	EXPECT_EQ(nap_pool_set_limit(&pool, 2), 2);
	await_run(n);
	while (nr_spawned() > 2)
		sched_yield();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, n);
	EXPECT_LE(nap_load_relaxed(&most_inside), 5);
	EXPECT_EQ(starts, stops);
}

static void count_call(struct nap_worker *worker, void *count)
{
	(void)worker;
	nap_fetch_add_relaxed((uint32_t *)count, 1);
}

TEST_F(under, who_is_too_many_has_its_messages)
{
	uint32_t called = 0;

	/*
	 * A worker stays on standby for ever. If a broadcast's message waited for the end of the
	 * standby, the watchdog would end the test.
	 */
	begin(_metadata, (struct nap_config){ .max_workers = 3, .min_workers = 3,
					      .idle_timeout_ns = UINT64_MAX, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 3), 0);
	for (unsigned long i = 0; nap_test_again(i, 50); i++) {
		EXPECT_EQ(nap_pool_set_limit(&pool, 3), 3);
		nap_store_relaxed(&may_go, 0);
		schedule_n(3, stay);
		await_inside(3);
		flag_set(&may_go);
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
		EXPECT_GE(nap_broadcast(&pool, count_call, &called), 1);
		await_spawned(1);
		EXPECT_GE(nap_broadcast(&pool, count_call, &called), 1);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void *broadcast(void *called)
{
	if (nap_broadcast(&pool, count_call, called) != 2)
		abort();
	return NULL;
}

static void await_messages(void)
{
	for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
		while (!w->guest && nap_load_relaxed(&w->mailbox) <= MESSAGE_NONE)
			sched_yield();
}

TEST_F(under, who_is_too_many_has_its_message_behind_a_stop)
{
	uint32_t called = 0;
	pthread_t thread;

	begin(_metadata, (struct nap_config){ .max_workers = 2, .idle = self->idle });
	schedule_n(2, stay);
	await_inside(2);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	ASSERT_EQ(pthread_create(&thread, NULL, broadcast, &called), 0);
	await_messages();
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	/* Neither worker goes on standby: the pool is stopped. */
	flag_set(&may_go);
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(called, 2);
	EXPECT_EQ(stops, 2);
}

static uint32_t begun_elsewhere;

static void says_so(struct nap_worker *worker, struct nap_frame *top, uint32_t *flag)
{
	(void)worker;
	(void)top;
	nap_store_relaxed(flag, 1);
}

NAP_JOB_VOID(says_so, uint32_t *)

static void fork_and_wait(struct nap_task *task)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *top = nap_top(worker), *more;
	uint32_t first = 0;

	(void)task;
	/* The worker has forked before, so its next jobs are private until another worker asks. */
	for (int i = 0; i < 50; i++) {
		says_so_fork(worker, top, &first);
		if (nap_join(worker, top))
			says_so(worker, top, &first);
	}
	more = says_so_fork(worker, top, &begun_elsewhere);
	says_so_fork(worker, more, &first);
	flag_set(&may_go);
	while (!nap_load_relaxed(&begun_elsewhere))
		sched_yield();
	if (nap_join(worker, more))
		says_so(worker, more, &first);
	if (nap_join(worker, top))
		abort();
}

/* Nothing is queued, and the only worker is in a task, so it does not check the limit. */
TEST_F(under, forked_jobs_are_work_for_one_more)
{
	struct nap_task task = NAP_TASK_INIT(fork_and_wait);

	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_workers = 2, .idle = self->idle });
	nap_store_relaxed(&begun_elsewhere, 0);
	nap_store_relaxed(&may_go, 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	while (!nap_load_acquire(&may_go))
		sched_yield();
	EXPECT_EQ(nap_pool_set_limit(&pool, 2), 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, cpus_come_and_go)
{
	begin(_metadata, (struct nap_config){ .idle = self->idle });
	schedule_n(6, stay);
	await_inside(2);
	EXPECT_EQ(nr_spawned(), 2);
	nap_store_relaxed(&cpus, 6);
	/* The limit does not follow the machine unless the program asks. */
	EXPECT_EQ(nr_spawned(), 2);
	EXPECT_EQ(nap_pool_set_limit(&pool, 0), 6);
	await_inside(6);
	flag_set(&may_go);
	await_run(6);
	taken = 0;
	nap_store_relaxed(&cpus, 3);
	EXPECT_EQ(nap_pool_reread(&pool), 3);
	EXPECT_GE(taken, 3);
	await_spawned(3);
	/* The limit is at most the number of CPUs online. */
	nap_store_relaxed(&cpus, 100);
	EXPECT_EQ(nap_pool_reread(&pool), 8);
	/* A reread replaces a limit that was set before. */
	EXPECT_EQ(nap_pool_set_limit(&pool, 2), 2);
	EXPECT_EQ(nap_pool_reread(&pool), 8);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, a_limit_that_the_program_gave_stays)
{
	begin(_metadata,
	      (struct nap_config){ .max_workers = 3, .most_workers = 7, .idle = self->idle });
	EXPECT_EQ(nap_pool_set_limit(&pool, 5), 5);
	EXPECT_EQ(nap_pool_reread(&pool), 5);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- what a change of the limit does besides */

static uint32_t nr_parked(void)
{
	uint32_t n = 0;

	for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
		n += (nap_load_relaxed(&w->event) & EVENT_PARKED) != 0;
	return n;
}

TEST_F(under, who_sleeps_is_woken_only_if_there_are_too_many)
{
	begin(_metadata, (struct nap_config){ .max_workers = 4, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	while (nr_parked() != 2)
		usleep(100);
	woken = 0;
	EXPECT_EQ(nap_pool_set_limit(&pool, 3), 3);
	EXPECT_EQ(nap_pool_set_limit(&pool, 2), 2);
	EXPECT_EQ(woken, 0);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	EXPECT_EQ(woken, 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, the_cpus_are_counted_anew_though_the_limit_stays)
{
	begin(_metadata, (struct nap_config){ .max_workers = 4, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(nap_load_relaxed(&pool.cpus), allowed);
	allowed = 7;
	EXPECT_EQ(nap_pool_reread(&pool), 4);
	EXPECT_EQ(nap_load_relaxed(&pool.cpus), 7);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- workers and guests */

static void give_lowest_rank(struct nap_worker *worker, void *unused)
{
	(void)unused;
	if (worker->cpu_rank == 0)
		cpu_rank_give(worker);
}

static void note_rank(struct nap_worker *worker, void *ranks)
{
	if (worker->holds_rank)
		nap_fetch_add_relaxed((uint32_t *)ranks + worker->cpu_rank, 1);
}

/* A worker has given its CPU back, so another one moves there. */
TEST_F(under, with_a_cpu_each_no_cpu_is_left_out)
{
	uint32_t before[2] = { 0 }, behind[2] = { 0 };

	begin(_metadata, (struct nap_config){ .max_workers = 2, .flags = NAP_ONE_CPU_EACH,
					      .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	EXPECT_EQ(nap_broadcast(&pool, give_lowest_rank, NULL), 2);
	EXPECT_EQ(nap_broadcast(&pool, note_rank, before), 2);
	EXPECT_TRUE(before[0] == 0 && before[1] == 1);
	EXPECT_EQ(nap_pool_reread(&pool), 2);
	EXPECT_EQ(nap_broadcast(&pool, note_rank, behind), 2);
	EXPECT_TRUE(behind[0] == 1 && behind[1] == 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void call_nothing(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
}

TEST_F(under, guests_are_not_woken)
{
	uint32_t nr_guests = 0;

	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle = self->idle });
	ASSERT_EQ(nap_call(&pool, call_nothing, NULL), 0);
	EXPECT_EQ(nap_pool_set_idle(&pool, 1, 0), 0);
	for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
		if (w->guest) {
			EXPECT_EQ(nap_load_relaxed(&w->event), 0);
			nr_guests++;
		}
	EXPECT_EQ(nr_guests, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
