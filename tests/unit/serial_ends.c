/* SPDX-License-Identifier: MIT */
/*
 * How a serial queue ends: with a last task or without, at any time, in a drain, in a stop, and
 * when it is ended twice.
 */
#include <errno.h>
#include <pthread.h>

#include "worker/measure.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

static struct nap_pool pool;

/* A connection as a server has it: an allocation with the alignment of malloc(). */
struct connection {
	int fd;
	struct nap_serial serial;
	struct nap_task request, last;
	struct nap_work work;
};

static uint32_t nr_requests, nr_ends;	/* atomic */
static __thread char here;
static char *ended_on;			/* the address of @here on the thread of the end */
static struct nap_worker *ended_by;

static void serve(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_relaxed(&nr_requests, 1);
}

static void end_connection(struct connection *connection)
{
	ended_on = &here;
	ended_by = nap_worker_self();
	free(connection);
	nap_fetch_add_release(&nr_ends, 1);
}

static void hang_up(struct nap_task *task)
{
	end_connection(nap_container_of(task, struct connection, last));
}

static struct connection *open_one(void)
{
	struct connection *connection = malloc(sizeof(*connection));

	if (!connection || nap_serial_init(&connection->serial, &pool))
		abort();
	nap_task_init(&connection->request, serve);
	nap_task_init(&connection->last, hang_up);
	return connection;
}

static void begin(void)
{
	watchdog(&pool, 0);
	nr_requests = nr_ends = 0;
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }))
		abort();
}

/* Returns a connection that has served a request, and has nothing to do. */
static struct connection *begin_idle(void)
{
	struct connection *connection;

	begin();
	connection = open_one();
	if (nap_serial_schedule(&connection->serial, &connection->request) ||
	    nap_pool_quiesce(&pool))
		abort();
	return connection;
}

static struct blocker blocker;

/* Returns a connection whose queue has a blocked task, and then a request. */
static struct connection *begin_busy(void)
{
	struct connection *connection;

	begin();
	connection = open_one();
	blocker = (struct blocker)BLOCKER_INIT;
	if (nap_serial_schedule(&connection->serial, &blocker.task) ||
	    nap_serial_schedule(&connection->serial, &connection->request))
		abort();
	flag_wait(&blocker.running);
	return connection;
}

/* ---- in a drain */

TEST(a_busy_one_is_ended_in_a_drain)
{
	struct connection *connection = begin_busy();
	struct nap_task late = NAP_TASK_INIT(serve);
	struct nap_remaining left;

	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_serial_schedule(&connection->serial, &late), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, &late), -ESHUTDOWN);
	EXPECT_EQ(nap_load_relaxed(&nr_ends), 0u);
	/* The request and the last task wait. */
	EXPECT_EQ(nap_serial_depth(&connection->serial), 2u);
	EXPECT_EQ(nap_pool_remaining(&pool, &left), 0);
	EXPECT_EQ(left.queued, 2u);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_requests == 1 && nr_ends == 1);
	EXPECT_NE(ended_by, NULL);
}

static void expect_ended_here(struct __test_metadata *_metadata)
{
	EXPECT_TRUE(nr_requests == 1 && nr_ends == 1);
	EXPECT_TRUE(ended_on == &here);
	EXPECT_EQ(ended_by, NULL);
}

TEST(an_idle_one_is_ended_in_a_drain_by_the_caller)
{
	struct connection *connection = begin_idle();
	struct blocker other = BLOCKER_INIT;

	EXPECT_EQ(nap_schedule(&pool, &other.task), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), 0);
	expect_ended_here(_metadata);
	flag_set(&other.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(also_behind_the_join)
{
	struct connection *connection = begin_idle();

	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), 0);
	expect_ended_here(_metadata);
}

static void work_done(struct nap_work *work, int result)
{
	if (!result)
		end_connection(nap_container_of(work, struct connection, work));
}

TEST(a_work_needs_no_function_for_that)
{
	struct connection *connection = begin_idle();
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_cq cq;

	ASSERT_EQ(nap_cq_init(&cq), 0);
	nap_work_init(&connection->work, NULL, work_done, &cq);
	EXPECT_EQ(nap_serial_work(&connection->serial, &connection->work), -EINVAL);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_serial_end_work(&connection->serial, &connection->work), 0);
	EXPECT_EQ(nr_ends, 0u);
	EXPECT_EQ(nap_cq_run(&cq, 0), 1);
	expect_ended_here(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_cq_close(&cq, &left), 0);
}

static void *drain(void *unused)
{
	(void)unused;
	if (nap_pool_shutdown(&pool, NAP_DRAIN))
		abort();
	return NULL;
}

/* At whatever time the drain begins: each accepted task runs, and then the end comes, once. */
TEST(ends_while_a_drain_begins)
{
	for (unsigned long round = 0; nap_test_again(round, nap_test_count(1000)); round++) {
		struct connection *connection;
		struct nap_task more[2];
		uint32_t accepted = 0;
		pthread_t other;

		begin();
		connection = open_one();
		ASSERT_EQ(pthread_create(&other, NULL, drain, NULL), 0);
		for (int i = 0; i < 2; i++) {
			nap_task_init(&more[i], serve);
			accepted += !nap_serial_schedule(&connection->serial, &more[i]);
		}
		ASSERT_EQ(nap_serial_end(&connection->serial, &connection->last), 0);
		ASSERT_EQ(pthread_join(other, NULL), 0);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
		ASSERT_EQ(nr_ends, 1u);
		ASSERT_EQ(nr_requests, accepted);
	}
}

/*
 * Tasks from outside that are accepted while a drain begins are run: on an idle queue, on a busy
 * one, and across the end of a quantum. No task is left after the join.
 */
#define BURST	(3 * NAP_SERIAL_QUANTUM)

TEST(what_is_accepted_while_a_drain_begins_is_run)
{
	static struct nap_task burst[2][BURST];

	for (unsigned long round = 0; nap_test_again(round, nap_test_count(1000)); round++) {
		struct nap_batch left = NAP_BATCH_INIT;
		struct connection *connections[2];
		uint32_t accepted = 0;
		pthread_t other;

		begin();
		for (int c = 0; c < 2; c++)
			connections[c] = open_one();
		ASSERT_EQ(pthread_create(&other, NULL, drain, NULL), 0);
		for (uint32_t i = 0; i < BURST; i++)
			/* The second queue gets a task only sometimes. */
			for (uint32_t c = 0; c < 2 && (!c || i % 8 == 0); c++) {
				nap_task_init(&burst[c][i], serve);
				accepted += !nap_serial_schedule(&connections[c]->serial,
								 &burst[c][i]);
			}
		ASSERT_EQ(pthread_join(other, NULL), 0);
		ASSERT_EQ(nap_pool_join(&pool, &left), 0);
		ASSERT_EQ(left.count, 0u);
		for (int c = 0; c < 2; c++) {
			ASSERT_EQ(nap_serial_depth(&connections[c]->serial), 0u);
			ASSERT_EQ(nap_serial_close(&connections[c]->serial, &left), 0);
			ASSERT_EQ(left.count, 0u);
			free(connections[c]);
		}
		ASSERT_EQ(nr_requests, accepted);
	}
}

/*
 * A pool has drained, and its worker is in worker_stop. From then on a helper runs nothing, not
 * even a timer that is due, because no thread would run what the timer's task schedules.
 */
static uint32_t at_stop, let_go_home, nr_fired;
static struct connection *fired_for;

static void wait_in_stop(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	flag_set(&at_stop);
	flag_wait(&let_go_home);
}

static void schedule_when_fired(struct nap_task *task)
{
	(void)task;
	nr_fired += !nap_serial_schedule(&fired_for->serial, &fired_for->request);
}

static void *join_and_close(void *left)
{
	if (nap_pool_join(&pool, NULL) || nap_serial_close(&fired_for->serial, left))
		abort();
	return NULL;
}

TEST(a_helper_behind_the_end_of_a_drain_begins_nothing)
{
	struct nap_config config = { .max_workers = 1, .worker_stop = wait_in_stop };
	uint64_t due = nap_deadline(50000000);
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_timer timer;
	pthread_t joiner;

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	fired_for = open_one();
	nap_timer_init(&timer, schedule_when_fired);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, due), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	ASSERT_EQ(pthread_create(&joiner, NULL, join_and_close, &left), 0);
	flag_wait(&at_stop);
	while (nap_deadline(0) <= due)
		sched_yield();
	EXPECT_EQ(nap_pool_help(&pool, 1), 0);
	flag_set(&let_go_home);
	ASSERT_EQ(pthread_join(joiner, NULL), 0);
	EXPECT_EQ(nr_requests, nr_fired);
	EXPECT_EQ(left.count, 0u);
	free(fired_for);
}

/* ---- in a stop */

TEST(a_stop_refuses_a_last_task)
{
	struct connection *connection = begin_busy();
	struct nap_batch left = NAP_BATCH_INIT, of_queue = NAP_BATCH_INIT;

	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), -ESHUTDOWN);
	/* What is refused stays as it was. */
	nap_work_init(&connection->work, NULL, work_done, NULL);
	EXPECT_EQ(nap_serial_end_work(&connection->serial, &connection->work), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_end_work(NULL, &connection->work), -EINVAL);
	EXPECT_TRUE(!connection->work.fn && nap_work_is_idle(&connection->work));
	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), -EINPROGRESS);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_TRUE(left.count == 1 && nap_serial_of(left.head) == &connection->serial);
	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), -EINPROGRESS);
	EXPECT_EQ(nap_serial_close(&connection->serial, &of_queue), 0);
	EXPECT_TRUE(of_queue.count == 1 && of_queue.head == &connection->request);
	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_depth(&connection->serial), 0u);
	free(connection);
}

/*
 * A queue that was ended before a stop is in the batch that the stop leaves. Of the queue's own
 * tasks the last task comes last.
 */
TEST(a_stop_leaves_the_last_task_last)
{
	struct connection *connection = begin_busy();
	struct nap_batch left = NAP_BATCH_INIT, of_queue = NAP_BATCH_INIT;

	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_serial_close(nap_serial_of(left.head), &of_queue), 0);
	EXPECT_TRUE(of_queue.count == 2 && of_queue.head == &connection->request &&
		    of_queue.tail == &connection->last);
	EXPECT_TRUE(nr_requests == 0 && nr_ends == 0);
	free(connection);
}

/* ---- without a last task */

TEST(an_idle_one_is_the_callers_at_once)
{
	struct connection *connection = begin_idle();

	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), 0);
	EXPECT_EQ(nap_serial_schedule(&connection->serial, &connection->request), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), -ESHUTDOWN);
	free(connection);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_busy_one_when_it_has_run_what_it_has)
{
	struct connection *connection = begin_busy();

	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), -EINPROGRESS);
	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), -EINPROGRESS);
	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), -ESHUTDOWN);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), -EINPROGRESS);
	flag_set(&blocker.let_go);
	while (nap_serial_end(&connection->serial, NULL))
		sched_yield();
	EXPECT_EQ(nr_requests, 1u);
	free(connection);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_serial *ends_itself;
static int answer;

static void end_own(struct nap_task *task)
{
	(void)task;
	answer = nap_serial_end(ends_itself, NULL);
}

TEST(by_a_task_of_its_own)
{
	struct connection *connection;

	begin();
	connection = open_one();
	ends_itself = &connection->serial;
	connection->request.run = end_own;
	EXPECT_EQ(nap_serial_schedule(ends_itself, &connection->request), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(answer, -EINPROGRESS);
	EXPECT_EQ(nap_serial_end(ends_itself, NULL), 0);
	free(connection);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

#ifndef NAP_NO_TRACE
/* A measured pool calls this between a caller's check that a queue is open, and the push. */
static struct nap_serial *ends_now;
static bool stops_now;

WRAP(void, nap__watch_in_order, (struct nap_pool *of, struct nap_class *class, uint64_t length,
				 struct nap_task *task))
{
	__real_nap__watch_in_order(of, class, length, task);
	if (ends_now && nap_serial_end(ends_now, NULL))
		abort();
	if (stops_now && nap_pool_shutdown(of, NAP_STOP))
		abort();
	ends_now = NULL;
	stops_now = false;
}

static int serve_as_work(struct nap_work *work)
{
	(void)work;
	nap_fetch_add_relaxed(&nr_requests, 1);
	return 0;
}

TEST(one_that_ends_right_before_a_push_refuses_it)
{
	struct nap_work work = NAP_WORK_INIT(serve_as_work, NULL, NULL);
	struct nap_task task = NAP_TASK_INIT(serve);
	struct nap_serial serials[2];

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1,
							     .measure = NAP_MEASURE }), 0);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_serial_init(&serials[i], &pool), 0);
	ends_now = &serials[0];
	EXPECT_EQ(nap_serial_schedule(&serials[0], &task), -ESHUTDOWN);
	EXPECT_TRUE(task.run == serve);
	ends_now = &serials[1];
	EXPECT_EQ(nap_serial_work(&serials[1], &work), -ESHUTDOWN);
	EXPECT_TRUE(nap_work_is_idle(&work));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(serials[i].nr_pushed, 0u);
		EXPECT_EQ(nap_serial_end(&serials[i], NULL), 0);
	}
	/* Both are the caller's again. */
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_work_schedule(&pool, &work), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_requests, 2u);
}

/* The first queue is an ordinary one, the second is in a class. */
TEST(a_stop_right_before_a_push_leaves_the_queue)
{
	struct nap_classes classes = { .of = { { .weight = 1 } } };

	watchdog(&pool, 0);
	for (int i = 0; i < 2; i++) {
		struct nap_batch left = NAP_BATCH_INIT, of_queue = NAP_BATCH_INIT;
		struct nap_config config = { .max_workers = 1, .measure = NAP_MEASURE,
					     .classes = &classes };
		struct nap_task task = NAP_TASK_INIT(serve);
		struct nap_serial serial;

		ASSERT_EQ(nap_pool_init(&pool, &config), 0);
		ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
		EXPECT_EQ(i ? nap_serial_set_class(&serial, 0) : 0, 0);
		stops_now = true;
		EXPECT_EQ(nap_serial_schedule(&serial, &task), 0);
		EXPECT_EQ(nap_pool_join(&pool, &left), 0);
		EXPECT_TRUE(left.count == 1 && nap_serial_of(left.head) == &serial);
		EXPECT_EQ(nap_serial_close(&serial, &of_queue), 0);
		EXPECT_TRUE(of_queue.count == 1 && of_queue.head == &task);
	}
	EXPECT_EQ(nr_requests, 0u);
}
#endif

TEST(one_that_has_a_last_task_is_that_ones)
{
	struct connection *connection = begin_busy();

	EXPECT_EQ(nap_serial_end(&connection->serial, &connection->last), 0);
	EXPECT_EQ(nap_serial_end(&connection->serial, NULL), -ESHUTDOWN);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_requests == 1 && nr_ends == 1);
}

TEST_HARNESS_MAIN
