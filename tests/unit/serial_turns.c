/* SPDX-License-Identifier: MIT */
/*
 * Serial queues beside other queues: how many tasks a quantum has; and that each task of a queue
 * counts, in the statistics, in what remains, and in the check for stuck workers. The only worker
 * is held by a task until everything is in place.
 */
#include <errno.h>
#include <pthread.h>

#include "pool_fixture.h"
#include "watchdog.h"

#define MANY	400

static struct nap_pool pool;
static struct nap_serial busy[2], polite;
static struct nap_task tasks[2][MANY];
static uint32_t nr_busy;	/* atomic: tasks of the busy queues that have begun */

/* The worker stops in the busy task number @stop_at, until the test lets it go. */
static uint32_t stop_at, stopped, let_go;

static void stop_here(uint32_t n)
{
	if (n != nap_load_relaxed(&stop_at))
		return;
	flag_set(&stopped);
	flag_wait(&let_go);
	nap_store_relaxed(&let_go, 0);
}

static void busy_task(struct nap_task *task)
{
	(void)task;
	stop_here(nap_fetch_add_relaxed(&nr_busy, 1) + 1);
}

static void busy_again(struct nap_task *task)
{
	uint32_t n = nap_fetch_add_relaxed(&nr_busy, 1) + 1;

	stop_here(n);
	if (n < MANY && nap_serial_schedule(&busy[0], task))
		abort();
}

/* Lets the worker go on to the busy task number @n. */
static void go_on_until(uint32_t n)
{
	nap_store_relaxed(&stopped, 0);
	nap_store_relaxed(&stop_at, n);
	flag_set(&let_go);
	flag_wait(&stopped);
}

static void go_on(void)
{
	nap_store_relaxed(&stop_at, 0);
	flag_set(&let_go);
}

static void begin(uint32_t idle)
{
	watchdog(&pool, 0);
	nr_busy = stopped = let_go = 0;
	stop_at = 1;
	if (nap_pool_init(&pool,
			  &(struct nap_config){ .max_workers = 1, .idle = (enum nap_idle)idle }) ||
	    nap_serial_init(&busy[0], &pool) || nap_serial_init(&busy[1], &pool) ||
	    nap_serial_init(&polite, &pool))
		abort();
}

static void fill(int queue)
{
	for (int i = 0; i < MANY; i++) {
		nap_task_init(&tasks[queue][i], busy_task);
		if (nap_serial_schedule(&busy[queue], &tasks[queue][i]))
			abort();
	}
}

/* ---- other tasks run between quanta */

static uint32_t begun_at;

static void other_task(struct nap_task *task)
{
	(void)task;
	begun_at = nap_load_relaxed(&nr_busy);
}

/*
 * Schedules a task when busy task @n has begun. Returns how many busy tasks begin after that, and
 * before the scheduled task.
 */
static uint32_t behind(uint32_t n, bool on_queue, bool fills_itself, uint32_t idle)
{
	struct nap_task other = NAP_TASK_INIT(other_task);

	begin(idle);
	if (fills_itself) {
		nap_task_init(&tasks[0][0], busy_again);
		if (nap_serial_schedule(&busy[0], &tasks[0][0]))
			abort();
	} else {
		fill(0);
	}
	flag_wait(&stopped);
	if (n > 1)
		go_on_until(n);
	if (on_queue ? nap_serial_schedule(&polite, &other) : nap_schedule(&pool, &other))
		abort();
	go_on();
	if (nap_pool_join(&pool, NULL))
		abort();
	return begun_at - n;
}

TEST(a_task_from_outside_begins_within_a_turn)
{
	static const uint32_t at[] = { 1, 15, 16, 17, 40, 99, 200 };
	uint32_t worst = 0;

	for (uint32_t idle = 0; idle < 3; idle++)
		for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
			for (int way = 0; way < 4; way++) {
				uint32_t n = behind(at[i], way & 1, way & 2, idle);

				worst = n > worst ? n : worst;
			}
	EXPECT_GE(NAP_SERIAL_QUANTUM - 1, worst);
}

/*
 * A client that sends its next request when it has the answer to the last one, beside two clients
 * that send many requests at once.
 */
static uint32_t nr_requests, nr_answers;	/* atomic: counted after the schedule */
static uint32_t sent_at, worst_wait;

static void answer(struct nap_task *task)
{
	uint32_t n = nap_load_relaxed(&nr_busy) - sent_at;

	(void)task;
	worst_wait = n > worst_wait ? n : worst_wait;
	nap_fetch_add_release(&nr_answers, 1);
}

/* Waits until the polite client has sent its next request, unless the client has ended. */
static void pipelined(struct nap_task *task)
{
	(void)task;
	while (nap_load_acquire(&nr_answers) >= nap_load_acquire(&nr_requests))
		sched_yield();
	nap_fetch_add_relaxed(&nr_busy, 1);
}

static struct nap_task request = NAP_TASK_INIT(answer);

static void *be_polite(void *unused)
{
	(void)unused;
	while (nap_load_relaxed(&nr_busy) < 2 * MANY)
		if (nap_load_acquire(&nr_answers) == nap_load_relaxed(&nr_requests)) {
			sent_at = nap_load_relaxed(&nr_busy);
			if (nap_serial_schedule(&polite, &request))
				abort();
			nap_fetch_add_release(&nr_requests, 1);
		} else {
			sched_yield();
		}
	return NULL;
}

TEST(who_is_polite_waits_for_one_turn_of_each)
{
	struct blocker blocker = BLOCKER_INIT;
	pthread_t client;

	begin(0);
	worst_wait = nr_answers = nr_requests = 0;
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	for (int i = 0; i < MANY; i++)
		for (int queue = 0; queue < 2; queue++) {
			nap_task_init(&tasks[queue][i], pipelined);
			ASSERT_EQ(nap_serial_schedule(&busy[queue], &tasks[queue][i]), 0);
		}
	ASSERT_EQ(pthread_create(&client, NULL, be_polite, NULL), 0);
	flag_set(&blocker.let_go);
	ASSERT_EQ(pthread_join(client, NULL), 0);
	/* The client has seen enough runs. The other tasks run without waiting for its requests. */
	nap_store_release(&nr_requests, UINT32_MAX);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_GE(2 * NAP_SERIAL_QUANTUM, worst_wait);
	EXPECT_GE(nr_answers, MANY / NAP_SERIAL_QUANTUM - 1);
}

/* ---- each task counts */

static uint64_t left_now(void)
{
	struct nap_remaining left;

	if (nap_pool_remaining(&pool, &left))
		abort();
	return left.queued;
}

static uint64_t waiting_now(void)
{
	struct nap_pool_stats stats;

	if (nap_pool_get_stats(&pool, &stats))
		abort();
	return stats.queued_serial;
}

TEST(what_waits_is_counted)
{
	struct blocker before = BLOCKER_INIT, between = BLOCKER_INIT;

	begin(0);
	ASSERT_EQ(nap_schedule(&pool, &before.task), 0);
	flag_wait(&before.running);
	EXPECT_EQ(left_now(), 0u);
	fill(0);
	/* The task by which a queue itself is scheduled counts as the first task of the queue. */
	EXPECT_EQ(left_now(), MANY);
	EXPECT_EQ(waiting_now(), MANY - 1);
	EXPECT_EQ(nap_serial_depth(&busy[0]), MANY);
	EXPECT_EQ(nap_schedule(&pool, &between.task), 0);
	EXPECT_EQ(left_now(), MANY + 1);

	flag_set(&before.let_go);
	flag_wait(&stopped);
	go_on_until(8);
	EXPECT_EQ(left_now(), MANY + 1 - 8);
	EXPECT_EQ(nap_serial_depth(&busy[0]), MANY - 8);

	go_on();
	flag_wait(&between.running);
	EXPECT_EQ(left_now(), MANY - NAP_SERIAL_QUANTUM);
	EXPECT_EQ(waiting_now(), MANY - NAP_SERIAL_QUANTUM - 1);
	EXPECT_EQ(nap_serial_depth(&busy[0]), MANY - NAP_SERIAL_QUANTUM);
	flag_set(&between.let_go);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(left_now(), 0u);
	EXPECT_EQ(waiting_now(), 0u);
	EXPECT_EQ(nap_serial_depth(&busy[0]), 0u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint64_t left_inside, waiting_inside;

/* Fills the queue inside a task: the worker counts tasks that it schedules itself. */
static void fill_and_look(struct nap_task *task)
{
	(void)task;
	fill(1);
	left_inside = left_now();
	waiting_inside = waiting_now();
}

TEST(also_what_a_task_has_scheduled)
{
	struct nap_task filler = NAP_TASK_INIT(fill_and_look);

	begin(0);
	stop_at = 0;
	EXPECT_EQ(nap_schedule(&pool, &filler), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(left_inside, MANY);
	EXPECT_EQ(waiting_inside, MANY - 1);
	EXPECT_EQ(left_now(), 0u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static int run_work(struct nap_work *work)
{
	(void)work;
	return 0;
}

TEST(each_is_run_once_and_counted_once)
{
	static struct nap_work works[MANY];
	struct blocker blocker = BLOCKER_INIT;
	struct nap_pool_stats stats;

	begin(0);
	EXPECT_EQ(nap_schedule(&pool, &blocker.task), 0);
	flag_wait(&blocker.running);
	for (int i = 0; i < MANY; i++) {
		nap_work_init(&works[i], run_work, NULL, NULL);
		EXPECT_EQ(nap_serial_work(&polite, &works[i]), 0);
		if (i % 2)
			EXPECT_TRUE(nap_cancel(&works[i]));
	}
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.workers.run + stats.helped, MANY + 1);
	EXPECT_EQ(stats.workers.canceled, MANY / 2);
}

TEST(who_goes_from_one_to_the_next_is_not_stuck)
{
	struct nap_stuck look = { .stuck_ns = 1 };

	begin(0);
	fill(0);
	flag_wait(&stopped);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	for (uint32_t n = 2; n < 12; n++) {
		go_on_until(n);
		EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	}
	/* The check finds a task that does not end. */
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 1);
	go_on();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
