/* SPDX-License-Identifier: MIT */
/*
 * nap_work_finish(): each work ends once, in whatever state it is, and nothing is lost.
 * nap_deadline().
 */
#include <errno.h>
#include <string.h>

#include "os/os.h"
#include "pool_fixture.h"
#include "watchdog.h"

#define JOBS 100

static struct nap_pool pool;
static struct nap_cq loop;
static uint32_t door, inside, nr_ended;

static struct job {
	struct nap_work work;
	uint32_t ends;
	int result;
	bool again;		/* its own @done schedules it again */
	bool on_worker;
} jobs[JOBS];

static struct job *job_of(struct nap_work *work)
{
	return nap_container_of(work, struct job, work);
}

static int wait_at_door(struct nap_work *work)
{
	(void)work;
	flag_set(&inside);
	flag_wait(&door);
	return 7;
}

static int run(struct nap_work *work)
{
	(void)work;
	return 8;
}

static void ended(struct nap_work *work, int result)
{
	struct job *job = job_of(work);

	job->ends++;
	job->result = result;
	job->on_worker = nap_worker_self();
	if (job->again && nap_work_schedule(&pool, work) != -ESHUTDOWN)
		abort();
	nap_fetch_add_relaxed(&nr_ended, 1);
}

static void begin(void)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) || nap_cq_init(&loop))
		abort();
}

/* Begins with the first work on the only worker, and all other works in the queue. */
static void begin_busy(struct nap_cq *cq)
{
	begin();
	for (int i = 0; i < JOBS; i++) {
		nap_work_init(&jobs[i].work, i ? run : wait_at_door, ended, cq);
		jobs[i].again = i % 2;
		if (nap_work_schedule(&pool, &jobs[i].work))
			abort();
		if (!i)
			flag_wait(&inside);
	}
}

static bool each_has_ended(int first, int others)
{
	for (int i = 0; i < JOBS; i++)
		if (jobs[i].ends != 1 || jobs[i].result != (i ? others : first) ||
		    jobs[i].on_worker || !nap_work_is_idle(&jobs[i].work))
			return false;
	return true;
}

TEST(bad_arguments_change_nothing)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin();
	EXPECT_EQ(nap_work_finish(NULL, &loop, &left), -EINVAL);
	EXPECT_EQ(nap_work_finish(&pool, &loop, NULL), -EINVAL);
	EXPECT_TRUE(nap_cq_fd(&loop) >= 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_EQ(left.count, 0u);
	EXPECT_EQ(nap_cq_fd(&loop), -EBADF);
}

/* The batch is set, whatever was in it. */
static struct nap_task task_there;

static void is_not_run(struct nap_task *task)
{
	(void)task;
}

static bool is_set_to(struct nap_batch *left, struct nap_task *task)
{
	return left->count == !!task && nap_batch_pop(left) == task && !left->head;
}

TEST(the_batch_is_set)
{
	struct nap_batch left;

	begin();
	nap_task_init(&task_there, is_not_run);
	EXPECT_EQ(nap_cq_push(&loop, &task_there), 0);
	memset(&left, 0xff, sizeof(left));
	EXPECT_EQ(nap_work_finish(&pool, NULL, &left), 0);
	EXPECT_TRUE(is_set_to(&left, NULL));
	memset(&left, 0xff, sizeof(left));
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_TRUE(is_set_to(&left, &task_there));
}

TEST(the_batch_is_set_on_a_timeout_too)
{
	struct nap_batch left;

	begin_busy(&loop);
	memset(&left, 0xff, sizeof(left));
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, 0), -ETIMEDOUT);
	EXPECT_TRUE(is_set_to(&left, NULL));
	flag_set(&door);
	memset(&left, 0xff, sizeof(left));
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_TRUE(is_set_to(&left, NULL));
	EXPECT_TRUE(each_has_ended(7, -ECANCELED));
}

TEST(each_work_ends_once_on_the_loop)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(&loop);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_TRUE(each_has_ended(7, -ECANCELED));
	EXPECT_EQ(left.count, 0u);
	EXPECT_EQ(nap_cq_close(&loop, &left), -EALREADY);
	EXPECT_EQ(nap_pool_join(&pool, NULL), -EALREADY);
}

/*
 * Without a loop, the @done of the first work runs on the work's worker. The @done of each other
 * work runs on this thread.
 */
TEST(or_without_a_loop)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(NULL);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish(&pool, NULL, &left), 0);
	EXPECT_TRUE(jobs[0].ends == 1 && jobs[0].result == 7 && jobs[0].on_worker);
	jobs[0].on_worker = false;
	EXPECT_TRUE(each_has_ended(7, -ECANCELED));
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
}

TEST(what_has_run_keeps_its_result)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(&loop);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_ended, 0u);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_TRUE(each_has_ended(7, 8));
}

/* On a running pool each work is run or canceled, and its result says which. */
TEST(of_a_pool_that_is_busy)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(&loop);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	for (int i = 1; i < JOBS; i++)
		EXPECT_TRUE(jobs[i].ends == 1 &&
			    (jobs[i].result == 8 || jobs[i].result == -ECANCELED));
	EXPECT_EQ(nr_ended, (uint32_t)JOBS);
}

TEST(what_is_no_work_is_left)
{
	struct nap_task queued = NAP_TASK_INIT(count_run), pushed = NAP_TASK_INIT(count_run);
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(&loop);
	EXPECT_EQ(nap_schedule(&pool, &queued), 0);
	EXPECT_EQ(nap_cq_push(&loop, &pushed), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_EQ(left.count, 2u);
	EXPECT_EQ(nap_batch_pop(&left), &queued);
	EXPECT_EQ(nap_batch_pop(&left), &pushed);
	EXPECT_TRUE(each_has_ended(7, -ECANCELED));
	EXPECT_EQ(nr_run, 0ul);
}

/* ---- with a deadline */

static bool nothing_has_changed(void)
{
	return nap_cq_fd(&loop) >= 0 && nr_ended == 0 && !nap_work_is_idle(&jobs[1].work);
}

TEST(until_a_time_that_has_passed)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_task pushed = NAP_TASK_INIT(count_run);

	begin_busy(&loop);
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, NULL, 0), -EINVAL);
	EXPECT_EQ(nap_work_finish_until(NULL, &loop, &left, 0), -EINVAL);
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, 0), -ETIMEDOUT);
	EXPECT_TRUE(nothing_has_changed());
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, 1), -ETIMEDOUT);
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, nap_deadline(0)), -ETIMEDOUT);
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, nap_deadline(1000000)), -ETIMEDOUT);
	EXPECT_TRUE(nothing_has_changed());
	/* The loop still runs what is pushed to it, but the pool accepts nothing. */
	EXPECT_EQ(nap_schedule(&pool, &pushed), -ESHUTDOWN);
	EXPECT_EQ(nap_cq_push(&loop, &pushed), 0);
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, NAP_FOREVER), 0);
	EXPECT_TRUE(each_has_ended(7, -ECANCELED));
	EXPECT_EQ(left.count, 0u);
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, 0), 0);
}

TEST(or_until_one_that_comes_late_enough)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(&loop);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish_until(&pool, &loop, &left, nap_deadline(NAP_FOREVER / 2)), 0);
	EXPECT_EQ(nr_ended, (uint32_t)JOBS);
	EXPECT_EQ(nap_cq_fd(&loop), -EBADF);
}

/* ---- in several steps, and several pools */

/*
 * The join empties the batch that it is given. So the join comes before the calls that append to
 * the batch.
 */
TEST(step_by_step)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(&loop);
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
	EXPECT_EQ(left.count, (size_t)JOBS);
	EXPECT_EQ(nap_work_end_left(&left), (size_t)JOBS);
	EXPECT_TRUE(each_has_ended(7, 8));
}

/* Each work ends on the loop's thread, whichever pool it belongs to. */
TEST(two_pools_with_one_loop)
{
	static struct nap_pool second = NAP_POOL_INIT(.max_workers = 1);
	struct nap_batch left = NAP_BATCH_INIT;

	begin();
	for (int i = 0; i < JOBS; i++) {
		nap_work_init(&jobs[i].work, run, ended, &loop);
		EXPECT_EQ(nap_work_schedule(i % 2 ? &pool : &second, &jobs[i].work), 0);
	}
	EXPECT_EQ(nap_work_finish(&pool, NULL, &left), 0);
	EXPECT_TRUE(nap_cq_fd(&loop) >= 0);
	EXPECT_EQ(nap_work_finish(&second, &loop, &left), 0);
	EXPECT_TRUE(nr_ended == JOBS && left.count == 0);
	for (int i = 0; i < JOBS; i++)
		EXPECT_TRUE(jobs[i].ends == 1 && !jobs[i].on_worker);
}

/* ---- serial queues */

static struct nap_serial serial;

static void begin_serial(void)
{
	begin();
	if (nap_serial_init(&serial, &pool))
		abort();
	for (int i = 0; i < JOBS; i++)
		nap_work_init(&jobs[i].work, i ? run : wait_at_door, ended, &loop);
}

/* The serial queue itself waits in the pool. A task among its works stays queued. */
TEST(what_a_serial_queue_has_ends_too)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_task task = NAP_TASK_INIT(count_run);

	begin_serial();
	EXPECT_EQ(nap_work_schedule(&pool, &jobs[0].work), 0);
	flag_wait(&inside);
	for (int i = 1; i < JOBS; i++)
		EXPECT_EQ(nap_serial_work(&serial, &jobs[i].work), 0);
	EXPECT_EQ(nap_serial_end(&serial, &task), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_TRUE(each_has_ended(7, -ECANCELED));
	EXPECT_EQ(left.count, 1u);
	EXPECT_EQ(nap_batch_pop(&left), &task);
	EXPECT_EQ(nr_run, 0ul);
}

/* The stop comes while a worker runs the serial queue. */
TEST(so_does_what_is_behind_a_work_that_runs)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_serial();
	for (int i = 0; i < JOBS; i++)
		EXPECT_EQ(nap_serial_work(&serial, &jobs[i].work), 0);
	flag_wait(&inside);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_TRUE(each_has_ended(7, -ECANCELED));
	EXPECT_EQ(left.count, 0u);
	EXPECT_EQ(nap_serial_work(&serial, &jobs[0].work), -ESHUTDOWN);
}

/* The queue's memory is freed with its last work, which need not be the pool's last. */
struct owner {
	struct job job;
	struct nap_serial *serial;
};

static void free_serial(struct nap_work *work, int result)
{
	ended(work, result);
	free(nap_container_of(job_of(work), struct owner, job)->serial);
}

TEST(and_the_last_work_may_free_the_queue)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct owner last[3] = { 0 };

	begin_serial();
	EXPECT_EQ(nap_work_schedule(&pool, &jobs[0].work), 0);
	flag_wait(&inside);
	for (int i = 0; i < 3; i++) {
		nap_work_init(&last[i].job.work, run, free_serial, i ? &loop : NULL);
		last[i].serial = malloc(sizeof(*last[i].serial));
		ASSERT_EQ(nap_serial_init(last[i].serial, &pool), 0);
		EXPECT_EQ(nap_serial_work(last[i].serial, &jobs[i + 1].work), 0);
		EXPECT_EQ(nap_serial_end_work(last[i].serial, &last[i].job.work), 0);
	}
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_TRUE(last[i].job.ends == 1 && last[i].job.result == -ECANCELED);
		EXPECT_TRUE(jobs[i + 1].ends == 1 && jobs[i + 1].result == -ECANCELED);
	}
	EXPECT_TRUE(left.count == 0 && nr_ended == 7);
}

/*
 * A connection, which its last work frees. The first work has run, and its end is in the loop's
 * queue; the last work has not begun.
 */
struct connection {
	struct nap_serial serial;
	struct nap_work first, last;
	uint32_t nr_replies;
};

static uint32_t nr_before_last;

static void reply(struct nap_work *work, int result)
{
	struct connection *connection = nap_container_of(work, struct connection, first);

	if (result == 8)
		connection->nr_replies++;
}

static void free_connection(struct nap_work *work, int result)
{
	struct connection *connection = nap_container_of(work, struct connection, last);

	if (result != -ECANCELED)
		abort();
	nr_before_last = connection->nr_replies;
	free(connection);
}

static struct blocker between = BLOCKER_INIT;

TEST(what_has_run_ends_before_what_was_queued_behind_it)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct connection *connection;

	begin();
	connection = malloc(sizeof(*connection));
	ASSERT_EQ(nap_serial_init(&connection->serial, &pool), 0);
	connection->nr_replies = 0;
	nap_work_init(&connection->first, run, reply, &loop);
	nap_work_init(&connection->last, run, free_connection, &loop);
	EXPECT_EQ(nap_serial_work(&connection->serial, &connection->first), 0);
	EXPECT_EQ(nap_serial_schedule(&connection->serial, &between.task), 0);
	EXPECT_EQ(nap_serial_end_work(&connection->serial, &connection->last), 0);
	flag_wait(&between.running);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&between.let_go);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_EQ(nr_before_last, 1u);
	EXPECT_EQ(left.count, 0u);
}

#define QUEUES 8

/* Workers run some queues, some queues wait, and some are just beginning: every work ends once. */
TEST(of_many_queues_that_are_busy)
{
	static struct nap_serial queues[QUEUES];
	struct nap_batch left = NAP_BATCH_INIT;

	watchdog(&pool, 0);
	for (unsigned long round = nap_test_count(200); round--; ) {
		uint32_t accepted = 0;

		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 3 }), 0);
		ASSERT_EQ(nap_cq_init(&loop), 0);
		nr_ended = 0;
		for (int i = 0; i < QUEUES; i++)
			ASSERT_EQ(nap_serial_init(&queues[i], &pool), 0);
		for (int i = 0; i < JOBS; i++) {
			nap_work_init(&jobs[i].work, run, ended, &loop);
			accepted += !nap_serial_work(&queues[i % QUEUES], &jobs[i].work);
		}
		EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
		EXPECT_TRUE(accepted == JOBS && nr_ended == JOBS && left.count == 0);
	}
}


static int err_on_worker;

static void finish_there(struct nap_task *task)
{
	struct nap_batch left = NAP_BATCH_INIT;

	(void)task;
	err_on_worker = nap_work_finish(&pool, &loop, &left);
}

TEST(not_on_a_worker)
{
	struct nap_task task = NAP_TASK_INIT(finish_there);
	struct nap_batch left = NAP_BATCH_INIT;

	begin();
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(err_on_worker, -EDEADLK);
	EXPECT_TRUE(nap_cq_fd(&loop) >= 0);
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
}

TEST(a_deadline_is_a_time_from_now)
{
	uint64_t before = nap__os_now(), now = nap_deadline(0), later = nap_deadline(1000000000);

	EXPECT_TRUE(before <= now && now + 1000000000 <= later);
	EXPECT_TRUE(later <= nap__os_now() + 1000000000);
	EXPECT_TRUE(nap_deadline(NAP_FOREVER) == NAP_FOREVER);
	EXPECT_TRUE(nap_deadline(NAP_FOREVER - 1) == NAP_FOREVER);
	EXPECT_TRUE(nap_deadline(NAP_FOREVER / 2) > NAP_FOREVER / 2);
}

TEST_HARNESS_MAIN
