/* SPDX-License-Identifier: MIT */
/* Checks for workers that are stuck in a task. */
#include <errno.h>
#include <pthread.h>

#include "os/os.h"
#include "idle/set.h"
#include "sync/event.h"
#include "worker/registry.h"
#include "worker/runs.h"
#include "worker/self.h"
#include "limit_fixture.h"
#include "wrap.h"

/* The time, as the thread that checks reads it; 0: the system's. */
static __thread uint64_t at;

WRAP(uint64_t, nap__os_now, (void))
{
	return at ? at : __real_nap__os_now();
}

static uint32_t told, told_worker;
static uint64_t told_ns;

static void tell(uint32_t worker, uint64_t ns, void *arg)
{
	/* A callback is inside the thread, as a task is. */
	if (arg != &told || !nap__self()->outer)
		abort();
	told_worker = worker;
	told_ns = ns;
	nap_fetch_add_relaxed(&told, 1);
}

static const struct nap_stuck look = { .stuck_ns = 1, .stuck = tell, .arg = &told };

/* Checks for stuck workers more than a nanosecond after the last check. */
static int look_later(const struct nap_stuck *with)
{
	uint64_t now = nap__os_now();

	while (nap__os_now() < now + 2)
		;
	return nap_pool_check_stuck(&pool, with);
}

static uint32_t nr_asleep(void)
{
	uint32_t n = 0;

	for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
		n += (nap_load_relaxed(&w->event) & EVENT_PARKED) != 0;
	return n;
}

/*
 * Returns when @n workers sleep, waiting ones included. A worker that counts as idle may still
 * search once, and a check would then find it inside a task.
 */
static void await_asleep(uint32_t n)
{
	while (nr_asleep() != n)
		sched_yield();
}

TEST(what_it_returns)
{
	struct nap_stuck nothing = { .stuck_ns = 0 };

	EXPECT_EQ(nap_pool_check_stuck(NULL, &look), -EINVAL);
	EXPECT_EQ(nap_pool_check_stuck(&pool, NULL), -EINVAL);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &nothing), -EINVAL);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &(struct nap_stuck){ .stuck_ns = 1,
								   .reserved = 1 }),
		  -EINVAL);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &(struct nap_stuck){ .stuck_ns = 1,
								   .reserved_too = 1 }),
		  -EINVAL);
	begin(_metadata, (struct nap_config){ .max_workers = 1 });
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), -ESHUTDOWN);
}

TEST_F(under, who_is_in_one_task_for_too_long_is_told_of_once)
{
	struct nap_stuck patient = { .stuck_ns = UINT64_MAX, .stuck = tell, .arg = &told };

	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	await_asleep(1);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	EXPECT_EQ(look_later(&look), 0);
	schedule_n(1, stay);
	await_inside(1);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	EXPECT_EQ(look_later(&patient), 0);
	EXPECT_EQ(look_later(&look), 1);
	EXPECT_EQ(look_later(&look), 1);
	EXPECT_EQ(told, 1);
	EXPECT_EQ(told_worker, 0);
	EXPECT_GE(told_ns, 1);
	flag_set(&may_go);
	await_run(1);
	await_asleep(1);
	EXPECT_EQ(look_later(&look), 0);
	/* In its next task the worker is stuck again. */
	may_go = 0;
	schedule_n(1, stay);
	await_inside(1);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	EXPECT_EQ(look_later(&look), 1);
	EXPECT_EQ(told, 2);
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(who_is_there_for_exactly_as_long_is_stuck)
{
	struct nap_stuck hour = { .stuck_ns = 3600000000000u, .stuck = tell, .arg = &told };
	struct nap_worker *worker;
	uint64_t since;

	begin(_metadata, (struct nap_config){ .max_workers = 1 });
	schedule_n(1, stay);
	await_inside(1);
	worker = registry_first(&pool);
	at = nap__os_now();
	since = at;
	EXPECT_EQ(nap_pool_check_stuck(&pool, &hour), 0);
	at += hour.stuck_ns - 1;
	EXPECT_EQ(nap_pool_check_stuck(&pool, &hour), 0);
	at++;
	EXPECT_EQ(nap_pool_check_stuck(&pool, &hour), 1);
	EXPECT_EQ(told, 1);
	EXPECT_EQ(told_ns, hour.stuck_ns);
	/* A dump shows the time since the first check. */
	EXPECT_EQ(worker->seen, seen_word(done_by(worker), since));
	at = 0;
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Between two sleeps a worker is not in the idle set, and yet it has no task. */
TEST_F(under, one_that_rests_is_not_stuck)
{
	struct nap_worker *worker;
	uint32_t state;

	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle = self->idle });
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	await_asleep(1);
	worker = registry_first(&pool);
	state = nap_load_relaxed(&worker->idle_state);
	EXPECT_EQ(state, SET_LISTED);
	nap_store_relaxed(&worker->idle_state, SET_OUT);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	EXPECT_EQ(look_later(&look), 0);
	nap_store_relaxed(&worker->idle_state, state);
	EXPECT_EQ(told, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_group group = NAP_GROUP_INIT(&pool);
static uint32_t waiting;

static void wait_for_group(struct nap_task *task)
{
	flag_set(&waiting);
	if (nap_group_wait(&group))
		abort();
	count_and_free(task);
}

TEST_F(under, who_waits_and_can_be_called_is_not_stuck)
{
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle = self->idle });
	nap_group_add(&group, 1);
	schedule_n(1, wait_for_group);
	flag_wait(&waiting);
	await_asleep(1);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 0);
	EXPECT_EQ(look_later(&look), 0);
	EXPECT_EQ(told, 0);
	nap_group_done(&group);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, a_stuck_worker_is_replaced)
{
	struct nap_stuck replacing = { .stuck_ns = 1, .compensate = true };

	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_blocked = 1, .idle = self->idle });
	schedule_n(1, stay);
	await_inside(1);
	schedule_n(1, count_and_free);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &replacing), 0);
	EXPECT_EQ(look_later(&replacing), 1);
	await_run(1);
	EXPECT_EQ(nap_load_relaxed(&pool.limit), 2);
	await_asleep(1);
	/* The stuck worker is replaced only once. */
	EXPECT_EQ(look_later(&replacing), 1);
	EXPECT_EQ(nap_load_relaxed(&pool.limit), 2);
	flag_set(&may_go);
	await_run(2);
	while (nap_pool_check_stuck(&pool, &replacing) != 0 || nap_load_relaxed(&pool.limit) != 1)
		sched_yield();
	await_spawned(1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t first_may_go, in_section, section_may_end;

static void stay_first(struct nap_task *task)
{
	come_in();
	flag_wait(&first_may_go);
	go_out(task);
}

static void stay_in_section(struct nap_task *task)
{
	nap_blocking_begin();
	flag_set(&in_section);
	flag_wait(&section_may_end);
	nap_blocking_end();
	count_and_free(task);
}

TEST_F(under, a_section_keeps_the_replacement_of_one_that_was_stuck)
{
	struct nap_stuck replacing = { .stuck_ns = 1, .compensate = true };

	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_blocked = 1, .idle = self->idle });
	schedule_n(1, stay_first);
	await_inside(1);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &replacing), 0);
	EXPECT_EQ(look_later(&replacing), 1);
	/* The second worker is busy, so the blocking section begins on the first worker. */
	schedule_n(1, stay);
	await_inside(2);
	schedule_n(1, stay_in_section);
	flag_set(&first_may_go);
	flag_wait(&in_section);
	EXPECT_EQ(nap_load_relaxed(&pool.limit), 2);
	/* The first worker is no longer stuck. */
	nap_pool_check_stuck(&pool, &replacing);
	ASSERT_EQ(nap_load_relaxed(&pool.limit), 2);
	flag_set(&may_go);
	schedule_n(1, count_and_free);
	await_run(3);
	flag_set(&section_may_end);
	await_run(4);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	nap_pool_check_stuck(&pool, &replacing);
	EXPECT_EQ(nap_load_relaxed(&pool.blocked), 0);
	EXPECT_EQ(nap_load_relaxed(&pool.limit), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t looking, look_may_end;

static void stay_in_look(uint32_t worker, uint64_t ns, void *arg)
{
	(void)worker;
	(void)ns;
	(void)arg;
	flag_set(&looking);
	flag_wait(&look_may_end);
}

static void *look_for_long(void *unused)
{
	struct nap_stuck slow = { .stuck_ns = 1, .stuck = stay_in_look };

	(void)unused;
	nap_pool_check_stuck(&pool, &slow);
	if (look_later(&slow) != 1)
		abort();
	return NULL;
}

TEST(one_looks_at_a_time)
{
	pthread_t thread;

	begin(_metadata, (struct nap_config){ .max_workers = 1 });
	schedule_n(1, stay);
	await_inside(1);
	ASSERT_EQ(pthread_create(&thread, NULL, look_for_long, NULL), 0);
	flag_wait(&looking);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), -EBUSY);
	flag_set(&look_may_end);
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_pool_check_stuck(&pool, &look), 1);
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
