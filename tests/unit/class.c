/* SPDX-License-Identifier: MIT */
/*
 * Classes (nap/class.h) on workers: every task is run, returned or refused; limits hold; and no
 * wait inside a class hangs.
 */
#include <errno.h>

#include "worker/nest.h"
#include "pool_fixture.h"
#include "under.h"
#include "watchdog.h"

static struct nap_pool pool;
static struct nap_classes classes;
static const uint32_t one_each[NAP_CLASSES] = { 1, 1, 1, 1 };

static void begin_pool(enum nap_idle idle, uint32_t workers, const uint32_t *limits)
{
	const struct nap_config config = { .max_workers = workers, .idle = idle,
					   .classes = &classes };

	watchdog(&pool, 0);
	for (uint32_t i = 0; i < NAP_CLASSES; i++) {
		classes.of[i].weight = 1u << (NAP_CLASSES - i);
		classes.of[i].limit = limits ? limits[i] : 0;
	}
	if (nap_pool_init(&pool, &config))
		abort();
	nap_store_release(&nr_run, 0);
}

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
}

/* ---- run, returned, refused */

/* Schedules a task and a batch in each class. */
static void schedule_others(struct nap_task *task)
{
	for (uint32_t c = 0; c < NAP_CLASSES; c++) {
		struct nap_batch batch = new_batch(3, count_and_free);

		if (nap_class_schedule(&pool, c, new_task(count_and_free)) ||
		    nap_class_schedule_batch(&pool, c, &batch) || batch.count)
			abort();
	}
	count_and_free(task);
}

static void drain(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t workers,
		  const uint32_t *limits)
{
	unsigned long n = nap_test_count(1000), all = 0;

	begin_pool(idle, workers, limits);
	for (unsigned long i = 0; nap_test_again(i, n); i++) {
		ASSERT_EQ(nap_class_schedule(&pool, i % NAP_CLASSES, new_task(schedule_others)), 0);
		ASSERT_EQ(nap_schedule(&pool, new_task(count_and_free)), 0);
		all += 2 + NAP_CLASSES * 4;
	}
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_load_acquire(&nr_run), all);
	ASSERT_EQ(nap_class_schedule(&pool, 0, new_task(schedule_others)), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_acquire(&nr_run), all + 1 + NAP_CLASSES * 4);
	for (int i = 0; i < NAP_CLASSES; i++)
		EXPECT_EQ(classes.of[i].inside, 0);
}

TEST_F(under, a_drain_runs_every_class)
{
	drain(_metadata, self->idle, 1, NULL);
	drain(_metadata, self->idle, 3, NULL);
	drain(_metadata, self->idle, 3, one_each);
}

TEST_F(under, a_stop_returns_what_was_not_run)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch left, batch = new_batch(5, count_and_free);
	struct nap_task *task;

	begin_pool(self->idle, 1, one_each);
	ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_IDLE, &blocker.task), 0);
	flag_wait(&blocker.running);
	for (uint32_t c = 0; c < NAP_CLASSES; c++)
		ASSERT_EQ(nap_class_schedule(&pool, c, new_task(count_and_free)), 0);
	ASSERT_EQ(nap_class_schedule_batch(&pool, NAP_CLASS_BATCH, &batch), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	batch = new_batch(5, count_and_free);
	task = batch.head;
	EXPECT_EQ(nap_class_schedule_batch(&pool, NAP_CLASS_BATCH, &batch), -ESHUTDOWN);
	EXPECT_EQ(batch.count, 5);
	EXPECT_EQ(batch.head, task);
	EXPECT_EQ(free_batch(&batch), 5);
	task = new_task(count_and_free);
	EXPECT_EQ(nap_class_schedule(&pool, 0, task), -ESHUTDOWN);
	free(task);
	flag_set(&blocker.let_go);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(free_batch(&left), NAP_CLASSES + 5);
	EXPECT_EQ(nap_load_acquire(&nr_run), 1);
	/* The classes can be used again, as if they were new. */
	drain(_metadata, self->idle, 1, one_each);
}

/* ---- works */

static int seven(struct nap_work *work)
{
	(void)work;
	return 7;
}

static uint32_t ended;
static int result_of;

static void note_result(struct nap_work *work, int result)
{
	(void)work;
	result_of = result;
	flag_set(&ended);
}

TEST_F(under, a_work_may_have_a_class)
{
	struct nap_work work = NAP_WORK_INIT(seven, note_result, NULL);
	struct blocker blocker = BLOCKER_INIT;

	begin_pool(self->idle, 1, one_each);
	nap_store_relaxed(&ended, 0);
	EXPECT_EQ(nap_class_work(&pool, NAP_CLASSES, &work), -EINVAL);
	ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &blocker.task), 0);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_class_work(&pool, NAP_CLASS_BATCH, &work), 0);
	EXPECT_EQ(nap_class_work(&pool, NAP_CLASS_BATCH, &work), -EBUSY);
	/* The other arguments are checked first. */
	EXPECT_EQ(nap_class_work(&pool, NAP_CLASSES, &work), -EINVAL);
	EXPECT_EQ(nap_class_work(NULL, NAP_CLASS_BATCH, &work), -EINVAL);
	flag_set(&blocker.let_go);
	flag_wait(&ended);
	EXPECT_EQ(result_of, 7);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_class_work(&pool, NAP_CLASS_BATCH, &work), -ESHUTDOWN);
	EXPECT_TRUE(nap_work_is_idle(&work));
}

/* ---- limits */

static uint32_t now_inside, most_inside;

static void look_around(struct nap_task *task)
{
	uint32_t now = nap_fetch_add_relaxed(&now_inside, 1) + 1;
	uint32_t most = nap_load_relaxed(&most_inside);

	while (now > most && !nap_try_cmpxchg_relaxed(&most_inside, &most, now))
		;
	for (int i = 0; i < 100; i++)
		nap_cpu_relax();
	nap_fetch_sub_relaxed(&now_inside, 1);
	count_and_free(task);
}

TEST_F(under, no_more_are_inside_than_the_limit)
{
	unsigned long n = nap_test_count(20000);

	for (uint32_t limit = 1; limit <= 3; limit++) {
		const uint32_t limits[NAP_CLASSES] = { 0, 0, limit, 0 };
		unsigned long i;

		begin_pool(self->idle, 4, limits);
		nap_store_relaxed(&most_inside, 0);
		for (i = 0; nap_test_again(i, n); i++)
			ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH,
						     new_task(look_around)), 0);
		/* A helper counts against the limit as well. */
		EXPECT_GE(nap_pool_help(&pool, 0), 0);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(nap_load_acquire(&nr_run), i);
		EXPECT_LE(most_inside, limit);
	}
}

/*
 * The class has five tasks, and a limit of two. Two of its tasks run at a time; the other workers
 * take tasks of other classes.
 */
TEST_F(under, a_limit_is_reached_and_keeps_nobody_else_out)
{
	static const uint32_t limits[NAP_CLASSES] = { 0, 0, 2, 0 };
	enum { ALL = 5 };
	struct blocker blockers[ALL], other = BLOCKER_INIT;

	begin_pool(self->idle, 4, limits);
	for (int i = 0; i < ALL; i++) {
		blockers[i] = (struct blocker)BLOCKER_INIT;
		ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &blockers[i].task), 0);
	}
	for (int i = 0; i < ALL; i++) {
		flag_wait(&blockers[i].running);
		if (i + 1 < ALL)
			flag_wait(&blockers[i + 1].running);
		/* A task of another class gets a thread; a third task of this class does not. */
		other.running = other.let_go = 0;
		nap_task_init(&other.task, block);
		ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_IDLE, &other.task), 0);
		flag_wait(&other.running);
		if (i + 2 < ALL)
			EXPECT_EQ(nap_load_relaxed(&blockers[i + 2].running), 0);
		/* A worker leaves the class after its task has returned. */
		while (i + 1 == ALL && nap_load_relaxed(&classes.of[NAP_CLASS_BATCH].inside) > 1)
			sched_yield();
		EXPECT_EQ(nap_load_relaxed(&classes.of[NAP_CLASS_BATCH].inside),
			  i + 1 < ALL ? 2 : 1);
		flag_set(&other.let_go);
		while (nap_load_acquire(&nr_run) < 2 * (unsigned long)i + 1)
			sched_yield();
		flag_set(&blockers[i].let_go);
		while (nap_load_acquire(&nr_run) < 2 * (unsigned long)i + 2)
			sched_yield();
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- waits inside */

/* member_fork() with classes: two children of a node are in two classes, if there are as many. */
static uint32_t nr_classes_waited;

static void fork_classes(struct nap_task *task)
{
	struct member *m = nap_container_of(task, struct member, task);

	if (m->depth) {
		struct nap_group group = NAP_GROUP_INIT(m->pool);
		struct member children[2];

		nap_group_add(&group, 2);
		for (int i = 0; i < 2; i++) {
			uint32_t c = (uint32_t)(m->depth + i) % nr_classes_waited;

			children[i] = (struct member){ NAP_TASK_INIT(fork_classes), &group, m->pool,
						       m->depth - 1 };
			if (nap_class_schedule(m->pool, c, &children[i].task))
				abort();
		}
		if (nap_group_wait(&group))
			abort();
	}
	member_done(task);
}

/*
 * Each task waits for two tasks, of its own class or of other classes. The limit of each class is
 * one thread.
 */
TEST_F(under, a_tree_of_waits_in_classes_of_one)
{
	for (uint32_t workers = 1; workers <= 4; workers *= 2) {
		for (nr_classes_waited = 1; nr_classes_waited <= 3; nr_classes_waited++) {
			struct nap_group group = NAP_GROUP_INIT(&pool);
			struct member root = { NAP_TASK_INIT(fork_classes), &group, &pool, 7 };

			begin_pool(self->idle, workers, one_each);
			nap_group_add(&group, 1);
			ASSERT_EQ(nap_class_schedule(&pool, 0, &root.task), 0);
			ASSERT_EQ(nap_group_wait(&group), 0);
			EXPECT_EQ(nap_load_acquire(&nr_run), (2u << 7) - 1);
			ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
			for (int i = 0; i < NAP_CLASSES; i++)
				EXPECT_EQ(classes.of[i].inside, 0);
		}
	}
}

/*
 * A waiter that may run no task in its wait waits for a task of its own class, whose limit is 1:
 * another worker runs the task.
 */
static struct nap_group awaited;
static bool in_pool;

static void done_of_awaited(struct nap_task *task)
{
	(void)task;
	nap_group_done(&awaited);
}

static struct nap_task ending;

static void wait_deep(struct nap_task *task)
{
	uintptr_t half = nesting_off();

	nap_task_init(&ending, done_of_awaited);
	if (nap_class_schedule(&pool, NAP_CLASS_BATCH, &ending) || nap_group_wait(&awaited))
		abort();
	nesting_back(half);
	count_run(task);
}

TEST_F(under, a_wait_that_may_not_help_lends_its_place)
{
	for (int i = 0; i < 2; i++) {
		struct nap_task task = NAP_TASK_INIT(wait_deep);

		in_pool = i;
		begin_pool(self->idle, 2, one_each);
		awaited = (struct nap_group)NAP_GROUP_INIT(in_pool ? &pool : NULL);
		nap_group_add(&awaited, 1);
		ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &task), 0);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(nap_load_acquire(&nr_run), 1);
		EXPECT_EQ(classes.of[NAP_CLASS_BATCH].inside, 0);
	}
}

/* Each of two tasks holds a permit, and waits for a task of the other's class. */
static struct crossed {
	struct nap_task task, other;
	struct nap_group group;
	uint32_t inside, its_class;
} crossed[2];

static void done_crossed(struct nap_task *task)
{
	nap_group_done(&nap_container_of(task, struct crossed, other)->group);
}

static void wait_crossed(struct nap_task *task)
{
	struct crossed *c = nap_container_of(task, struct crossed, task);

	flag_set(&c->inside);
	flag_wait(&crossed[0].inside);
	flag_wait(&crossed[1].inside);
	if (nap_class_schedule(&pool, !c->its_class, &c->other) || nap_group_wait(&c->group))
		abort();
	count_run(task);
}

TEST_F(under, two_classes_of_one_that_wait_for_each_other)
{
	unsigned long n = nap_test_count(50);

	for (unsigned long i = 0; nap_test_again(i, n); i++) {
		begin_pool(self->idle, 2 + i % 2, one_each);
		for (uint32_t c = 0; c < 2; c++) {
			crossed[c] = (struct crossed){ NAP_TASK_INIT(wait_crossed),
						       NAP_TASK_INIT(done_crossed),
						       NAP_GROUP_INIT(&pool), 0, c };
			nap_group_add(&crossed[c].group, 1);
		}
		for (uint32_t c = 0; c < 2; c++)
			ASSERT_EQ(nap_class_schedule(&pool, c, &crossed[c].task), 0);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(nap_load_acquire(&nr_run), 2);
	}
}

TEST(the_bound_is_right_for_millions_of_tasks)
{
	EXPECT_EQ(NAP_CLASS_DEQUEUES(1275, 5, 4000000u), 4000001ull * 255 + NAP_CLASSES);
}

TEST_HARNESS_MAIN
