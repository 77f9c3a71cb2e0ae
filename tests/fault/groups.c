/* SPDX-License-Identifier: MIT */
/*
 * Waits for groups that time out: while the last member is done; by many waiters, of which some
 * give up; on workers and outside. Groups are freed as soon as a wait has returned 0. Freed memory
 * is overwritten, or watched by AddressSanitizer, so that a late access shows.
 */
#include <errno.h>
#include <pthread.h>

#include "fault/report.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static unsigned long scheduled, timeouts, odd;

enum { MEMBERS = 3 };

/*
 * A member. It writes a value before its nap_group_done(); the waiter reads this value after the
 * wait.
 */
struct piece {
	struct nap_task task;
	struct nap_group *group;
	unsigned long value;
};

static void do_piece(struct nap_task *task)
{
	struct piece *piece = nap_container_of(task, struct piece, task);
	struct nap_group *group = piece->group;

	piece->value = ~piece->value;
	nap_fetch_add_relaxed(&nr_run, 1);
	if (nap_group_done(group))
		abort();
}

struct job {
	struct nap_group group;
	struct piece pieces[MEMBERS];
};

static void job_schedule(struct job *job, struct nap_pool *of, unsigned long seed)
{
	nap_group_init(&job->group, of);
	if (nap_group_add(&job->group, MEMBERS))
		abort();
	for (int i = 0; i < MEMBERS; i++) {
		job->pieces[i] = (struct piece){ NAP_TASK_INIT(do_piece), &job->group, seed };
		if (nap_schedule(&pool, &job->pieces[i].task))
			abort();
	}
	nap_fetch_add_relaxed(&scheduled, MEMBERS);
}

/*
 * Checks all values after a wait that has returned 0. Overwrites the group, because no thread may
 * touch it from now on.
 */
static void job_is_over(struct job *job, unsigned long seed)
{
	for (int i = 0; i < MEMBERS; i++)
		if (job->pieces[i].value != ~seed)
			nap_fetch_add_relaxed(&odd, 1);
	memset(job, 0xee, sizeof(*job));
}

/* Waits until the group is complete, with growing timeouts; returns how many timed out. */
static unsigned long wait_patiently(struct nap_group *group, uint64_t timeout)
{
	unsigned long n = 0;
	int err;

	while ((err = nap_group_wait_for(group, timeout)) == -ETIMEDOUT) {
		n++;
		timeout += timeout ? timeout / 2 + 1 : n > 100;
	}
	if (err)
		nap_fetch_add_relaxed(&odd, 1);
	return n;
}

static const uint64_t waits[] = { 0, 1, 100, 1000, 3000, 10000, 30000 };
#define NR_WAITS (sizeof(waits) / sizeof(waits[0]))

/*
 * Waits for a group on the waiter's own frame. The waiter leaves the frame when all members are
 * done. After a timeout it stays, because the members still use the group.
 */
static void wait_on_the_frame(struct nap_pool *of, unsigned long seed)
{
	struct job job;

	job_schedule(&job, of, seed);
	nap_fetch_add_relaxed(&timeouts, wait_patiently(&job.group, waits[seed % NR_WAITS]));
	job_is_over(&job, seed);
}

static void wait_on_the_heap(struct nap_pool *of, unsigned long seed)
{
	struct job *job = malloc(sizeof(*job));

	if (!job)
		abort();
	job_schedule(job, of, seed);
	nap_fetch_add_relaxed(&timeouts, wait_patiently(&job->group, waits[seed % NR_WAITS]));
	job_is_over(job, seed);
	free(job);
}

static void *wait_all_the_time(void *n)
{
	for (unsigned long i = 0; i < *(unsigned long *)n; i++) {
		wait_on_the_frame(i % 3 ? &pool : NULL, i);
		wait_on_the_heap(i % 2 ? &pool : NULL, i + 3);
	}
	return NULL;
}

static void end(struct __test_metadata *_metadata, const char *fault)
{
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(odd, 0);
	fault_report(fault, timeouts, scheduled, nr_run);
}

TEST(timeouts_outside_race_with_the_last_done)
{
	unsigned long n = nap_test_count(5000);
	pthread_t threads[3];

	watchdog(&pool, 0);
	for (int t = 0; t < 3; t++)
		pthread_create(&threads[t], NULL, wait_all_the_time, &n);
	for (int t = 0; t < 3; t++)
		pthread_join(threads[t], NULL);
	end(_metadata, "waits outside that timed out");
}

/* ---- on workers */

static unsigned long inside;

static void wait_inside(struct nap_task *task)
{
	unsigned long i = nap_fetch_add_relaxed(&inside, 1);

	/* The group needs its pool: otherwise the worker that waits would not run the members. */
	wait_on_the_frame(&pool, i);
	wait_on_the_heap(&pool, i + 2);
	free(task);
	nap_fetch_add_relaxed(&nr_run, 1);
}

TEST(timeouts_on_workers_race_with_the_last_done)
{
	unsigned long n = nap_test_count(8000);

	watchdog(&pool, 0);
	for (unsigned long i = 0; i < n; i++) {
		ASSERT_EQ(nap_schedule(&pool, new_task(wait_inside)), 0);
		/* Each wait may run a task that waits, so the test limits the number of waits. */
		if (i % 8 == 7)
			ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	}
	nap_fetch_add_relaxed(&scheduled, n);
	end(_metadata, "waits on workers that timed out");
}

/* ---- many waiters for one group: some give up, and all others are woken */

enum { WAITERS = 6 };
static struct job *shared;
static pthread_barrier_t start, finish;
static uint32_t over;
static unsigned long round_nr;
static int results[WAITERS];

static void *wait_for_shared(void *number)
{
	uintptr_t i = (uintptr_t)number;

	for (;;) {
		pthread_barrier_wait(&start);
		if (over)
			return NULL;
		/* The last two waiters never give up. */
		results[i] = nap_group_wait_for(&shared->group, i >= WAITERS - 2 ? NAP_FOREVER :
						waits[(round_nr + i) % NR_WAITS]);
		pthread_barrier_wait(&finish);
	}
}

static void judge(struct __test_metadata *_metadata)
{
	for (int i = 0; i < WAITERS; i++) {
		ASSERT_TRUE(results[i] == 0 || (results[i] == -ETIMEDOUT && i < WAITERS - 2));
		timeouts += results[i] != 0;
	}
}

TEST(many_wait_and_some_give_up)
{
	unsigned long n = nap_test_count(2000);
	pthread_t threads[WAITERS];

	watchdog(&pool, 0);
	pthread_barrier_init(&start, NULL, WAITERS + 1);
	pthread_barrier_init(&finish, NULL, WAITERS + 1);
	for (uintptr_t i = 0; i < WAITERS; i++)
		pthread_create(&threads[i], NULL, wait_for_shared, (void *)i);
	for (round_nr = 0; round_nr < n; round_nr++) {
		shared = malloc(sizeof(*shared));
		ASSERT_NE(shared, NULL);
		nap_group_init(&shared->group, &pool);
		nap_group_add(&shared->group, 1);
		pthread_barrier_wait(&start);
		/*
		 * This yield is left out in every third round: then fewer waiters have begun to
		 * wait before the last member is done.
		 */
		if (round_nr % 3)
			sched_yield();
		EXPECT_EQ(nap_group_done(&shared->group), 0);
		pthread_barrier_wait(&finish);
		judge(_metadata);
		free(shared);
		nr_run++;
		scheduled++;
	}
	over = 1;
	pthread_barrier_wait(&start);
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
	end(_metadata, "waits of many for one group that timed out");
}

/* ---- a group that may come to zero between two adds, polled, and freed after the last wait */

/*
 * Polls the group, which is seldom complete at once, because a worker has to run the task. @surely:
 * polls until the group is complete.
 */
static bool comes_to_zero(struct nap_group *group, bool surely)
{
	while (nap_group_wait_for(group, 0) == -ETIMEDOUT) {
		if (!surely)
			return false;
		sched_yield();
	}
	return true;
}

TEST(a_group_that_comes_to_zero_while_it_is_added_to)
{
	unsigned long n = nap_test_count(10000), zeros = 0;

	watchdog(&pool, 0);
	for (unsigned long i = 0; i < n; i++) {
		struct job *job = malloc(sizeof(*job));

		ASSERT_NE(job, NULL);
		nap_group_init(&job->group, &pool);
		for (int k = 0; k < MEMBERS; k++) {
			zeros += k && comes_to_zero(&job->group, i % 16 == 0);
			ASSERT_EQ(nap_group_add(&job->group, 1), 0);
			job->pieces[k] = (struct piece){ NAP_TASK_INIT(do_piece), &job->group, i };
			ASSERT_EQ(nap_schedule(&pool, &job->pieces[k].task), 0);
		}
		scheduled += MEMBERS;
		timeouts += wait_patiently(&job->group, waits[i % NR_WAITS]);
		job_is_over(job, i);
		free(job);
	}
	EXPECT_EQ(odd, 0);
	TH_LOG("%lu times at zero between two adds", zeros);
	timeouts = zeros;
	end(_metadata, "groups at zero while they were added to");
}

TEST_HARNESS_MAIN
