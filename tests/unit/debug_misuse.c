/* SPDX-License-Identifier: MIT */
/* Misuse of pools that a debug build catches: one line that says what and where, then abort. */
#include "pool_fixture.h"
#include "unit/debug_dies.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .name = "misused");

static void schedule_twice(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule(&pool, &task);
	nap_schedule(&pool, &task);
}

static void schedule_twice_in_a_batch(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_batch batch = { &task, &task, 1 };
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule(&pool, &task);
	nap_schedule_batch(&pool, &batch);
}

static void schedule_null(void)
{
	struct nap_task task = NAP_TASK_INIT(NULL);

	nap_schedule(&pool, &task);
}

TEST(a_task_scheduled_twice)
{
	EXPECT_DIES(schedule_twice, "nap_schedule: task 0x");
	EXPECT_NE(strstr(said, "is scheduled twice, called from "), NULL);
	EXPECT_DIES(schedule_twice_in_a_batch, "nap_schedule_batch: task 0x");
}

TEST(a_task_without_a_run_function)
{
	EXPECT_DIES(schedule_null, "has no run function");
}

static void schedule_unaligned(void)
{
	static struct nap_task tasks[2] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };

	nap_schedule(&pool, (struct nap_task *)((char *)tasks + 4));
}

/*
 * A task's address has to be a multiple of 8, because nap marks tasks in the lowest bits of their
 * links.
 */
TEST(a_task_that_is_not_aligned)
{
	EXPECT_DIES(schedule_unaligned, "is not aligned to 8 bytes");
}

/*
 * Scheduling a refused task again is no misuse: the call promises an answer, and a thread that
 * races a shutdown relies on it.
 */
TEST(a_refused_task_is_not_scheduled)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(nap_schedule(&pool, &task), -ESHUTDOWN);
}

/* Arguments that are NULL: only a debug build checks them. */
static void schedule_into_nothing(void)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	nap_schedule(NULL, &task);
}

static void schedule_nothing(void)
{
	nap_schedule(&pool, NULL);
}

static void schedule_no_batch(void)
{
	nap_schedule_batch(&pool, NULL);
}

static void schedule_batch_into_nothing(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	nap_schedule_batch(NULL, &batch);
}

static void schedule_into_unaligned(void)
{
	static char memory[2 * sizeof(struct nap_pool)];
	uintptr_t aligned = ((uintptr_t)memory + 63) / 64 * 64;
	struct nap_task task = NAP_TASK_INIT(count_run);

	nap_schedule((struct nap_pool *)(aligned + 8), &task);
}

static void init_no_group(void)
{
	nap_group_init(NULL, &pool);
}

static void add_to_no_group(void)
{
	nap_group_add(NULL, 1);
}

static void no_group_is_done(void)
{
	nap_group_done(NULL);
}

TEST(arguments_that_are_not_there)
{
	static const struct { void (*misuse)(void); const char *says; } table[] = {
		{ schedule_into_nothing, "nap_schedule: no pool" },
		{ schedule_nothing, "nap_schedule: no task" },
		{ schedule_no_batch, "nap_schedule_batch: no batch" },
		{ schedule_batch_into_nothing, "nap_schedule_batch: no pool" },
		{ schedule_into_unaligned, "is not aligned to 64 bytes" },
		{ init_no_group, "nap_group_init: no group" },
		{ add_to_no_group, "nap_group_add: no group" },
		{ no_group_is_done, "nap_group_done: no group" },
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		EXPECT_DIES(table[i].misuse, table[i].says);
	}
}

/*
 * Correct use is not reported: a task may be scheduled again when it runs, was refused, or was
 * returned.
 */
static int again;

static void reschedule(struct nap_task *task)
{
	if (again++ < 100)
		nap_schedule(&pool, task);
}

TEST(a_task_may_be_used_again)
{
	struct nap_task task = NAP_TASK_INIT(reschedule), other = NAP_TASK_INIT(count_run);
	struct nap_batch batch = NAP_BATCH_INIT, left;
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&pool, &task);
	nap_pool_quiesce(&pool);
	EXPECT_EQ(again, 101);
	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule(&pool, &other);
	nap_pool_shutdown(&pool, NAP_STOP);
	nap_batch_push(&batch, &task);
	EXPECT_NE(nap_schedule(&pool, &task), 0);
	EXPECT_NE(nap_schedule_batch(&pool, &batch), 0);
	flag_set(&blocker.let_go);
	nap_pool_join(&pool, &left);
	EXPECT_EQ(left.head, &other);
	EXPECT_TRUE(other.run == count_run);
	EXPECT_TRUE(task.run == reschedule);
	nap_pool_init(&pool, NULL);
	nap_schedule(&pool, &other);
	nap_schedule(&pool, &task);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A batch whose links end before its tail: a task in the batch was changed. */
static void schedule_torn_batch(void)
{
	static struct nap_task tasks[3] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run),
					    NAP_TASK_INIT(count_run) };
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int i = 0; i < 3; i++)
		nap_batch_push(&batch, &tasks[i]);
	tasks[1].next = NULL;
	nap_schedule_batch(&pool, &batch);
}

TEST(a_batch_that_ends_before_its_tail)
{
	EXPECT_DIES(schedule_torn_batch, "nap_schedule_batch: the batch ends before its tail 0x");
}

/* After a refusal each task of the batch may be used again, not only the first one. */
TEST(a_refused_batch_may_be_used_again)
{
	struct nap_task tasks[3] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run),
				     NAP_TASK_INIT(count_run) };
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int i = 0; i < 3; i++)
		nap_batch_push(&batch, &tasks[i]);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_NE(nap_schedule_batch(&pool, &batch), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	EXPECT_EQ(nap_schedule_batch(&pool, &batch), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3);
}

TEST_HARNESS_MAIN
