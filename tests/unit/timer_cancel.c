/* SPDX-License-Identifier: MIT */
/* nap_timer_cancel() and nap_timer_cancel_wait(), while the timer's task runs. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/async.h"
#include "async/fiber/waiters.h"
#include "os/os.h"
#include "sync/lock.h"
#include "worker/measure.h"
#include "harness.h"
#include "watchdog.h"
#include "wrap.h"

#define MS	1000000u
#define HOUR	(3600000 * (uint64_t)MS)

static struct nap_pool pool;
static uint32_t has_begun, may_end, nr_inside, nr_ended;

/*
 * A timer, and a value that its task writes. The value is not atomic, so that a race detector sees
 * a second writer.
 */
static struct thing {
	struct nap_timer timer;
	uint64_t value;
} *thing;

static struct thing *thing_of(struct nap_task *task)
{
	return nap_container_of(nap_container_of(task, struct nap_timer, task), struct thing,
				timer);
}

static void holds(struct nap_task *task)
{
	thing_of(task)->value++;
	nap_fetch_add_release(&has_begun, 1);
	while (!nap_load_acquire(&may_end))
		nap_cpu_relax();
	thing_of(task)->value++;
	nap_fetch_add_relaxed(&nr_ended, 1);
}

static void begin(uint32_t workers, nap_task_fn fn)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers });
	nap_store_relaxed(&has_begun, 0);
	nap_store_relaxed(&may_end, 0);
	nap_store_relaxed(&nr_ended, 0);
	thing = malloc(sizeof(*thing));
	thing->value = 0;
	nap_timer_init(&thing->timer, fn);
}

static void until(uint32_t *word, uint32_t n)
{
	while (nap_load_acquire(word) < n)
		usleep(100);
}

static void *lets_go(void *unused)
{
	(void)unused;
	usleep(2000);
	nap_store_release(&may_end, 1);
	return NULL;
}

/* ---- from outside */

static void cancel_while_it_runs(struct __test_metadata *_metadata, uint64_t period)
{
	pthread_t thread;

	begin(1, holds);
	ASSERT_EQ(period ? nap_schedule_every(&pool, &thing->timer, 0, period) :
			   nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	if (period)
		EXPECT_EQ(nap_schedule_after(&pool, &thing->timer, 0), -EBUSY);
	EXPECT_EQ(nap_timer_cancel(&thing->timer), -EINPROGRESS);
	EXPECT_EQ(nap_timer_cancel(&thing->timer), -EINPROGRESS);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, nap_deadline(MS)), -ETIMEDOUT);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 0u);
	ASSERT_EQ(pthread_create(&thread, NULL, lets_go, NULL), 0);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	/* The task has ended, and has not run again. */
	EXPECT_EQ(thing->value, 2u);
	free(thing);
	pthread_join(thread, NULL);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_periodic_one_that_runs_is_in_progress)
{
	cancel_while_it_runs(_metadata, 1);
}

TEST(so_is_one_that_is_not)
{
	cancel_while_it_runs(_metadata, 0);
}

TEST(what_is_not_armed_needs_no_waiting)
{
	begin(1, holds);
	EXPECT_EQ(nap_timer_cancel_wait(NULL, 0), -EINVAL);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, 0), 0);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, HOUR), 0);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, 0), 0);
	/* The timer's task is as nap_timer_init() has made it. */
	EXPECT_TRUE(thing->timer.task.run == holds);
	EXPECT_EQ(nap_timer_cancel(&thing->timer), -EALREADY);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	EXPECT_EQ(thing->value, 0u);
	free(thing);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- by the timer's own task */

static int own[3];

static void waits_for_itself(struct nap_task *task)
{
	own[0] = nap_timer_cancel(&thing_of(task)->timer);
	own[1] = nap_timer_cancel_wait(&thing_of(task)->timer, NAP_FOREVER);
	own[2] = nap_timer_cancel_wait(&thing_of(task)->timer, 0);
	nap_store_release(&has_begun, 1);
}

TEST(its_own_task_does_not_wait_for_itself)
{
	begin(1, waits_for_itself);
	ASSERT_EQ(nap_schedule_every(&pool, &thing->timer, 0, 1), 0);
	until(&has_begun, 1);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	EXPECT_EQ(own[0], -EINPROGRESS);
	EXPECT_EQ(own[1], -EDEADLK);
	EXPECT_EQ(own[2], -EDEADLK);
	free(thing);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_group group;

static void nested(struct nap_task *task)
{
	(void)task;
	own[0] = nap_timer_cancel_wait(&thing->timer, NAP_FOREVER);
	nap_group_done(&group);
}

static void waits_for_a_task(struct nap_task *task)
{
	struct nap_task other;

	(void)task;
	nap_group_init(&group, &pool);
	nap_group_add(&group, 1);
	nap_task_init(&other, nested);
	nap_schedule(&pool, &other);
	nap_group_wait(&group);
	nap_store_release(&has_begun, 1);
}

/* The only worker runs the task that cancels, nested in a wait of the timer's task. */
TEST(nor_does_what_its_worker_runs_meanwhile)
{
	begin(1, waits_for_a_task);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	EXPECT_EQ(own[0], -EDEADLK);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	free(thing);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void frees_itself(struct nap_task *task)
{
	nap_timer_cancel(&thing_of(task)->timer);
	free(thing_of(task));
	nap_fetch_add_release(&has_begun, 1);
}

/* When the timer's task has ended, the pool does not touch the timer any longer. */
TEST(its_own_task_may_free_it)
{
	begin(2, frees_itself);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	thing = malloc(sizeof(*thing));
	nap_timer_init(&thing->timer, frees_itself);
	ASSERT_EQ(nap_schedule_every(&pool, &thing->timer, 0, 1), 0);
	until(&has_begun, 2);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&has_begun), 2u);
}

static int of_next[4];

static void makes_the_next(struct nap_task *task)
{
	struct nap_timer *next = &thing_of(task)->timer;

	/* As after a free() of this timer, and a malloc() that returns its memory. */
	nap_timer_init(next, holds);
	of_next[0] = nap_schedule_after(&pool, next, HOUR);
	of_next[1] = nap_timer_cancel(next);
	of_next[2] = nap_schedule_every(&pool, next, HOUR, HOUR);
	of_next[3] = nap_timer_cancel_wait(next, NAP_FOREVER);
	nap_fetch_add_release(&has_begun, 1);
}

TEST(a_later_timer_in_its_memory_is_another_one)
{
	begin(1, makes_the_next);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(of_next[i], 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	free(thing);
}

static void arms_itself(struct nap_task *task)
{
	thing_of(task)->value++;
	own[0] = nap_schedule_after(&pool, &thing_of(task)->timer, HOUR);
	nap_fetch_add_release(&has_begun, 1);
	while (!nap_load_acquire(&may_end))
		nap_cpu_relax();
	nap_fetch_add_relaxed(&nr_ended, 1);
}

TEST(armed_and_running)
{
	pthread_t thread;

	begin(1, arms_itself);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	EXPECT_EQ(own[0], 0);
	EXPECT_EQ(nap_timer_cancel(&thing->timer), -EINPROGRESS);
	ASSERT_EQ(pthread_create(&thread, NULL, lets_go, NULL), 0);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1u);
	EXPECT_EQ(nap_timer_cancel(&thing->timer), -EALREADY);
	free(thing);
	pthread_join(thread, NULL);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&has_begun), 1u);
}

/* ---- between the time of the timer and its task */

#ifndef NAP_NO_TRACE
static int err_between;

/*
 * A worker of a measured pool calls this when the timer is due, before it runs the timer's task:
 * cancels the timer.
 */
WRAP(void, nap__watch_due, (struct nap_pool *of, uint64_t when, struct nap_task *head,
			    struct nap_task *tail))
{
	__real_nap__watch_due(of, when, head, tail);
	if (of->config.measure)
		err_between = nap_timer_cancel(&thing_of(head)->timer);
}

/* The task still runs, once. The timer is no longer periodic, so its task may arm it. */
TEST(a_periodic_one_whose_task_is_scheduled_is_in_progress)
{
	begin(1, arms_itself);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1, .measure = NAP_MEASURE });
	nap_store_relaxed(&may_end, 1);
	ASSERT_EQ(nap_schedule_every(&pool, &thing->timer, 0, HOUR), 0);
	until(&has_begun, 1);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	EXPECT_EQ(err_between, -EINPROGRESS);
	EXPECT_EQ(own[0], 0);
	EXPECT_EQ(thing->value, 1u);
	free(thing);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}
#endif

/* ---- calls of fibers and tasks */

static intptr_t waits(void *unused)
{
	int err;

	(void)unused;
	nap_store_release(&nr_inside, 1);
	err = nap_timer_cancel_wait(&thing->timer, NAP_FOREVER);
	return err ? err : (intptr_t)thing->value;
}

TEST(a_fiber_waits)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	for (int canceled = 0; canceled <= 1; canceled++) {
		begin(2, holds);
		nap_store_relaxed(&nr_inside, 0);
		ASSERT_EQ(nap_schedule_every(&pool, &thing->timer, 0, 1), 0);
		until(&has_begun, 1);
		ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
		until(&nr_inside, 1);
		if (!canceled)
			nap_store_release(&may_end, 1);
		EXPECT_EQ(canceled ? nap_fiber_cancel(fiber) : 0, 0);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		/* The result counts the writes of all runs before the fiber's call, two a run. */
		EXPECT_EQ(result,
			  canceled ? -ECANCELED : (intptr_t)(2 * nap_load_relaxed(&nr_ended)));
		nap_store_release(&may_end, 1);
		EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
		free(thing);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

static uint64_t waited;

static void waits_in_a_task(struct nap_task *task)
{
	(void)task;
	waited = (uint64_t)waits(NULL);
	nap_store_release(&nr_inside, 2);
}

TEST(a_task_waits)
{
	struct nap_task task = NAP_TASK_INIT(waits_in_a_task);

	begin(2, holds);
	nap_store_relaxed(&nr_inside, 0);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	until(&nr_inside, 1);
	nap_store_release(&may_end, 1);
	until(&nr_inside, 2);
	EXPECT_EQ(waited, 2u);
	free(thing);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Stops the pool, which ends the wait of a thread outside. */
static void *stops(void *unused)
{
	(void)unused;
	usleep(1000);
	nap_pool_shutdown(&pool, NAP_STOP);
	return NULL;
}

TEST(a_stop_ends_the_wait)
{
	pthread_t thread;

	begin(1, holds);
	ASSERT_EQ(nap_schedule_every(&pool, &thing->timer, 0, 1), 0);
	until(&has_begun, 1);
	ASSERT_EQ(pthread_create(&thread, NULL, stops, NULL), 0);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), -ECANCELED);
	nap_store_release(&may_end, 1);
	pthread_join(thread, NULL);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(thing->value, 2u);
	free(thing);
}

/* ---- run after run */

static void alone(struct nap_task *task)
{
	if (nap_fetch_add_relaxed(&nr_inside, 1))
		nap_store_relaxed(&nr_ended, 1000000);
	thing_of(task)->value++;
	nap_fetch_sub_relaxed(&nr_inside, 1);
	nap_fetch_add_relaxed(&has_begun, 1);
}

/*
 * What one run writes is seen by the next run, on whichever worker, and by the thread that cancels
 * the timer.
 */
TEST(runs_are_ordered)
{
	for (int round = 0; round < 20; round++) {
		begin(3, alone);
		nap_store_relaxed(&nr_inside, 0);
		ASSERT_EQ(nap_schedule_every(&pool, &thing->timer, 0, round % 2 ? 1 : 20000), 0);
		while (nap_load_relaxed(&has_begun) < 50)
			usleep(100);
		EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
		EXPECT_EQ(thing->value, nap_load_relaxed(&has_begun));
		EXPECT_EQ(nap_load_relaxed(&nr_ended), 0u);
		thing->value = 0;
		free(thing);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* After the answers 0 and -EALREADY, too, the caller sees what the runs have written. */
TEST(so_is_what_cancel_says)
{
	for (int round = 0; round < 50; round++) {
		int err;

		begin(2, alone);
		nap_store_relaxed(&nr_inside, 0);
		ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, (uint64_t)round * 1000), 0);
		while ((err = nap_timer_cancel(&thing->timer)) == -EINPROGRESS)
			usleep(10);
		EXPECT_EQ(thing->value, err ? 1u : 0u);
		free(thing);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* ---- several runs, and several that wait */

static struct nap__timers *timers_here(void)
{
	return &pool_async(&pool)->timers;
}

static uint32_t count_listed(void)
{
	struct nap__timers *timers = timers_here();
	uint32_t n = 0;

	lock_take(&timers->lock);
	for (struct nap__fiber_waiter *w = timers->ends.first; w; w = w->next)
		n++;
	lock_give(&timers->lock);
	return n;
}

static struct staying {
	struct nap_timer timer;
	uint32_t is_inside, may_go;
} staying[2];

static void stays(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);
	struct staying *s = nap_container_of(timer, struct staying, timer);

	nap_store_release(&s->is_inside, 1);
	while (!nap_load_acquire(&s->may_go))
		usleep(100);
}

static void *waits_for_its_end(void *timer)
{
	return (void *)(intptr_t)nap_timer_cancel_wait(timer, NAP_FOREVER);
}

/* The task that has begun first ends first. */
TEST(each_end_is_told_to_all_who_wait_for_it_and_to_no_other)
{
	pthread_t threads[3];
	void *err;

	begin(2, holds);
	for (int i = 0; i < 2; i++) {
		nap_timer_init(&staying[i].timer, stays);
		ASSERT_EQ(nap_schedule_after(&pool, &staying[i].timer, 0), 0);
		until(&staying[i].is_inside, 1);
	}
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, waits_for_its_end,
					 &staying[i == 2].timer), 0);
	while (count_listed() < 3)
		usleep(100);
	nap_store_release(&staying[0].may_go, 1);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &err);
		EXPECT_EQ(err, NULL);
	}
	EXPECT_EQ(count_listed(), 1u);
	nap_store_release(&staying[1].may_go, 1);
	pthread_join(threads[2], &err);
	EXPECT_EQ(err, NULL);
	EXPECT_EQ(count_listed(), 0u);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	free(thing);
}

static uint32_t may_wait;

static intptr_t waits_when_canceled(void *unused)
{
	(void)unused;
	nap_store_release(&nr_inside, 1);
	until(&may_wait, 1);
	return nap_timer_cancel_wait(&thing->timer, NAP_FOREVER);
}

TEST(a_canceled_fiber_does_not_wait)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	begin(2, holds);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits_when_canceled, NULL), 0);
	until(&nr_inside, 1);
	ASSERT_EQ(nap_fiber_cancel(fiber), 0);
	nap_store_release(&may_wait, 1);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	EXPECT_EQ(count_listed(), 0u);
	nap_store_release(&may_end, 1);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	free(thing);
}

/* ---- between the check whether the task goes on, and the wait */

static __thread void (*in_between)(void);

/* A call with a deadline reads the clock there. */
WRAP(uint64_t, nap__os_now, (void))
{
	void (*now)(void) = in_between;

	in_between = NULL;
	if (now)
		now();
	return __real_nap__os_now();
}

static void let_it_end(void)
{
	struct nap__timers *timers = timers_here();
	bool runs;

	nap_store_release(&may_end, 1);
	do {
		lock_take(&timers->lock);
		runs = timers->running;
		lock_give(&timers->lock);
	} while (runs);
}

static uint32_t was_told, is_canceled;

static intptr_t waits_too_late(void *unused)
{
	uint64_t deadline = nap_deadline(HOUR);
	int err;

	(void)unused;
	in_between = let_it_end;
	err = nap_timer_cancel_wait(&thing->timer, deadline);
	nap_store_release(&was_told, 1);
	until(&is_canceled, 1);
	return err ? err : nap_sleep(HOUR);
}

/* There is nothing to wait for, so the fiber's next wait is its first one. */
TEST(a_task_may_end_right_before_the_wait)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	begin(2, holds);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits_too_late, NULL), 0);
	until(&was_told, 1);
	EXPECT_FALSE(nap_load_relaxed(&fiber->wait.state) & WAIT_OPEN);
	ASSERT_EQ(nap_fiber_cancel(fiber), 0);
	nap_store_release(&is_canceled, 1);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	EXPECT_EQ(thing->value, 2u);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	free(thing);
}

static uint32_t is_between, is_locked;

static void let_lock(void)
{
	nap_store_release(&is_between, 1);
	until(&is_locked, 1);
}

static void *waits_with_deadline(void *unused)
{
	uint64_t deadline = nap_deadline(HOUR);

	(void)unused;
	in_between = let_lock;
	return (void *)(intptr_t)nap_timer_cancel_wait(&thing->timer, deadline);
}

/* Holds the lock until a thread sleeps for it. */
static void hold_lock(uint32_t *lock, uint32_t *tell)
{
	lock_take(lock);
	nap_store_release(tell, 1);
	while (nap_load_relaxed(lock) != LOCK_AWAITED)
		usleep(100);
	lock_give(lock);
}

TEST(who_waits_is_listed_under_the_lock)
{
	pthread_t thread;
	void *err;

	begin(1, holds);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	ASSERT_EQ(pthread_create(&thread, NULL, waits_with_deadline, NULL), 0);
	until(&is_between, 1);
	hold_lock(&timers_here()->lock, &is_locked);
	while (!count_listed())
		usleep(100);
	/* The task's run ends under the lock, too. */
	hold_lock(&timers_here()->lock, &may_end);
	pthread_join(thread, &err);
	EXPECT_EQ(err, NULL);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	free(thing);
}

/* ---- a timer of another pool than the one in which its task runs */

static struct nap_pool another = NAP_POOL_INIT(.max_workers = 1);
static int armed_there;

static void arms_elsewhere(struct nap_task *task)
{
	armed_there = nap_schedule_after(&another, nap_container_of(task, struct nap_timer, task),
					 HOUR);
	holds(task);
}

TEST(a_timer_does_not_leave_the_pool_in_which_its_task_runs)
{
	begin(1, arms_elsewhere);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	until(&has_begun, 1);
	EXPECT_EQ(armed_there, -EBUSY);
	EXPECT_EQ(nap_timer_cancel(&thing->timer), -EINPROGRESS);
	nap_store_release(&may_end, true);
	EXPECT_EQ(nap_timer_cancel_wait(&thing->timer, NAP_FOREVER), 0);
	EXPECT_EQ(thing->value, 2);
	/* The task is over: the timer can be armed in another pool. */
	EXPECT_EQ(nap_schedule_after(&another, &thing->timer, HOUR), 0);
	EXPECT_EQ(nap_timer_cancel(&thing->timer), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_join(&another, NULL), 0);
	free(thing);
}

static uint32_t nr_asked, nr_busy;

static void asks_elsewhere(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);

	for (unsigned long i = 0; i < nap_test_count(1000000); i++)
		nr_busy += nap_schedule_after(&another, timer, HOUR) == -EBUSY;
	nap_store_release(&nr_asked, (uint32_t)nap_test_count(1000000));
}

static void *arms_others(void *arg)
{
	struct nap_timer timers[8];

	for (int i = 0; i < 8; i++)
		nap_timer_init(&timers[i], holds);
	while (!nap_load_acquire(&nr_asked)) {
		for (uint64_t i = 0; i < 8; i++)
			nap_schedule_after(&pool, &timers[i], HOUR - i);
		for (int i = 0; i < 8; i++)
			nap_timer_cancel(&timers[i]);
	}
	return arg;
}

/*
 * A refused call takes the lock of the pool's timers, and other threads arm timers at the same
 * time.
 */
TEST(it_may_be_asked_while_others_arm_timers)
{
	pthread_t threads[2];

	begin(1, asks_elsewhere);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, arms_others, NULL), 0);
	ASSERT_EQ(nap_schedule_after(&pool, &thing->timer, 0), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(nr_busy, nr_asked);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_join(&another, NULL), 0);
	free(thing);
}

TEST_HARNESS_MAIN
