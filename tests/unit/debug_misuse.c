/* SPDX-License-Identifier: MIT */
/* Misuse of pools that a debug build catches: one line that says what and where, then abort. */
#include "pool_fixture.h"
#include "unit/debug_dies.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .name = "misused");

MISUSES void schedule_twice(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule(&pool, &task);
	nap_schedule(&pool, &task);
}

MISUSES void schedule_twice_in_a_batch(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_batch batch = { &task, &task, 1 };
	struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule(&pool, &task);
	nap_schedule_batch(&pool, &batch);
}

/* A task that is queued behind a blocker is given to each kind of queue. */
static struct nap_classes one_class = { .of = { { .weight = 1 } } };
static struct nap_pool class_pool = NAP_POOL_INIT(.max_workers = 1, .classes = &one_class);
static struct nap_serial serial;
static struct nap_order order;
static struct nap_cq cq;
static struct nap_task queued = NAP_TASK_INIT(count_run);
static struct nap_batch with_queued = { &queued, &queued, 1 };

static void queue_it(void)
{
	static struct blocker blocker = BLOCKER_INIT;

	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule(&pool, &queued);
	nap_serial_init(&serial, &pool);
	nap_order_init(&order, &pool, 1);
	nap_cq_init(&cq);
}

#define TWICE(call, ...) MISUSES void call##_twice(void) { queue_it(); call(__VA_ARGS__); }
TWICE(nap_class_schedule, &class_pool, 0, &queued)
TWICE(nap_class_schedule_batch, &class_pool, 0, &with_queued)
TWICE(nap_serial_schedule, &serial, &queued)
TWICE(nap_serial_end, &serial, &queued)
TWICE(nap_order_schedule, &order, NAP_ORDER_FAST, &queued)
TWICE(nap_cq_push, &cq, &queued)

#define MISUSE_TWICE(call) { call##_twice, #call ": task 0x" }

TEST(a_task_in_two_queues)
{
	static const struct { void (*misuse)(void); const char *says; } table[] = {
		MISUSE_TWICE(nap_class_schedule), MISUSE_TWICE(nap_class_schedule_batch),
		MISUSE_TWICE(nap_serial_schedule), MISUSE_TWICE(nap_serial_end),
		MISUSE_TWICE(nap_order_schedule), MISUSE_TWICE(nap_cq_push),
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		EXPECT_DIES(table[i].misuse, table[i].says);
		EXPECT_NE(strstr(said, "is scheduled twice, called from "), NULL);
	}
}

MISUSES void schedule_null(void)
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

MISUSES void schedule_unaligned(void)
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
	struct nap_task task = NAP_TASK_INIT(count_run), others[2];
	struct nap_batch batch = NAP_BATCH_INIT;

	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&class_pool, NULL), 0);
	for (int i = 0; i < 2; i++) {
		nap_task_init(&others[i], count_run);
		nap_batch_push(&batch, &others[i]);
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(nap_schedule(&pool, &task), -ESHUTDOWN);
		EXPECT_EQ(nap_class_schedule(&class_pool, 0, &task), -ESHUTDOWN);
		EXPECT_EQ(nap_class_schedule_batch(&class_pool, 0, &batch), -ESHUTDOWN);
	}
}

/* Arguments that are NULL: only a debug build checks them. */
MISUSES void schedule_into_nothing(void)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	nap_schedule(NULL, &task);
}

MISUSES void schedule_nothing(void)
{
	nap_schedule(&pool, NULL);
}

MISUSES void schedule_no_batch(void)
{
	nap_schedule_batch(&pool, NULL);
}

MISUSES void schedule_batch_into_nothing(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	nap_schedule_batch(NULL, &batch);
}

MISUSES void schedule_into_unaligned(void)
{
	static char memory[2 * sizeof(struct nap_pool)];
	uintptr_t aligned = ((uintptr_t)memory + 63) / 64 * 64;
	struct nap_task task = NAP_TASK_INIT(count_run);

	nap_schedule((struct nap_pool *)(aligned + 8), &task);
}

MISUSES void init_no_group(void)
{
	nap_group_init(NULL, &pool);
}

MISUSES void add_to_no_group(void)
{
	nap_group_add(NULL, 1);
}

MISUSES void no_group_is_done(void)
{
	nap_group_done(NULL);
}

MISUSES void push_to_no_queue(void)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	nap_cq_push(NULL, &task);
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
		{ push_to_no_queue, "nap_cq_push: no queue" },
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		EXPECT_DIES(table[i].misuse, table[i].says);
	}
}

/*
 * Each call that takes a pool, and may be the first to use it, reports a pool that is not aligned.
 * Such a pool is, for example, the member of a structure in memory of malloc().
 */
static struct nap_classes classes = { .of = { { .weight = 1 } } };
static struct nap_task a_task = NAP_TASK_INIT(count_run);
static struct nap_timer a_timer;
static struct nap_work a_work;

static void call_nothing(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
}

static intptr_t be_a_fiber(void *arg)
{
	return (intptr_t)arg;
}

static int tile_nothing(const struct nap_tile *tile, void *arg)
{
	(void)arg;
	return !tile;
}

static int chunk_nothing(const void *memory, size_t size, void *arg)
{
	(void)memory;
	(void)arg;
	return !size;
}

static int work_nothing(struct nap_work *work)
{
	(void)work;
	return 0;
}

static int loop_nothing(size_t begin, size_t end, void *arg)
{
	(void)arg;
	return begin > end;
}

static size_t find_nothing(size_t begin, size_t end, void *arg)
{
	(void)begin;
	(void)arg;
	return end;
}

static int add_nothing(size_t begin, size_t end, void *value, void *arg)
{
	(void)value;
	(void)arg;
	return begin > end;
}

static void merge_nothing(void *value, const void *right, void *arg)
{
	(void)value;
	(void)right;
	(void)arg;
}

static int compare_nothing(const void *left, const void *right, void *arg)
{
	(void)left;
	(void)right;
	(void)arg;
	return 0;
}

static void *make_nothing(struct nap_worker *worker, void *arg)
{
	(void)worker;
	return arg;
}

static const struct nap_reduction nothing = { .size = 1, .add = add_nothing,
					      .merge = merge_nothing };
static struct nap_local local = { .make = make_nothing };

/* Returns a pool that has classes, at an address that is no multiple of 64. */
static struct nap_pool *unaligned(void)
{
	static char memory[2 * sizeof(struct nap_pool)];
	char *at = (char *)(((uintptr_t)memory + 63) / 64 * 64 + 8);
	static struct nap_pool as = NAP_POOL_INIT(.max_workers = 1, .classes = &classes);

	memcpy(at, &as, sizeof(as));
	return (struct nap_pool *)(void *)at;
}

#define UNALIGNED(call, ...) MISUSES void call##_unaligned(void) { call(unaligned(), __VA_ARGS__); }
UNALIGNED(nap_all, NULL, 0, 1, find_nothing, NULL)
UNALIGNED(nap_any, NULL, 0, 1, find_nothing, NULL)
UNALIGNED(nap_broadcast, call_nothing, NULL)
UNALIGNED(nap_call_until, call_nothing, NULL, NAP_FOREVER)
UNALIGNED(nap_class_schedule, 0, &a_task)
UNALIGNED(nap_class_schedule_batch, 0, &(struct nap_batch)NAP_BATCH_INIT)
UNALIGNED(nap_class_work, 0, &a_work)
UNALIGNED(nap_fibers_init, &(struct nap_fibers_config){ 0 })
UNALIGNED(nap_find, NULL, 0, 1, find_nothing, NULL, &(size_t){ 0 })
UNALIGNED(nap_for_as, NULL, 0, 1, loop_nothing, NULL)
UNALIGNED(nap_for_2d, NULL, &(struct nap_tile){ 0, 1, 0, 1 }, 1, 1, tile_nothing, NULL)
UNALIGNED(nap_for_chunks, NULL, "", 1, 0, chunk_nothing, NULL)
UNALIGNED(nap_local_add, &local)
UNALIGNED(nap_pool_check_stuck, &(struct nap_stuck){ .stuck_ns = 1 })
UNALIGNED(nap_pool_help, 1)
UNALIGNED(nap_pool_histogram, NAP_MEASURE_WAKE, 0, &(struct nap_histogram){ 0 })
UNALIGNED(nap_pool_prewarm, 1)
UNALIGNED(nap_pool_quiesce_until, 0)
UNALIGNED(nap_pool_set_idle, 0, 1)
UNALIGNED(nap_pool_set_limit, 1)
UNALIGNED(nap_reduce, NULL, 0, 1, &nothing, &(char){ 0 }, NULL)
UNALIGNED(nap_run, be_a_fiber, NULL, NULL)
UNALIGNED(nap_scan, NULL, 0, 1, &nothing, add_nothing, &(char){ 0 }, NULL)
UNALIGNED(nap_schedule, &a_task)
UNALIGNED(nap_schedule_after, &a_timer, 0)
UNALIGNED(nap_schedule_at, &a_timer, 0)
UNALIGNED(nap_schedule_batch, &(struct nap_batch)NAP_BATCH_INIT)
UNALIGNED(nap_schedule_every, &a_timer, 0, 1)
UNALIGNED(nap_sort, &(char){ 0 }, 1, 1, compare_nothing, NULL)
UNALIGNED(nap_sort_slow, &(char){ 0 }, 1, 1, NULL, NULL, false)
UNALIGNED(nap_sort_stable, &(char){ 0 }, 1, 1, compare_nothing, NULL)
UNALIGNED(nap_sort_keys, &(uint32_t){ 0 }, 1, 4, NAP_KEY_U32, 0)
UNALIGNED(nap_spawn, NULL, be_a_fiber, NULL)
UNALIGNED(nap_trace_begin, NULL)
UNALIGNED(nap_trace_write, -1)
UNALIGNED(nap_work_schedule, &a_work)

MISUSES void nap_pool_reread_unaligned(void)
{
	nap_pool_reread(unaligned());
}

MISUSES void nap_trace_end_unaligned(void)
{
	nap_trace_end(unaligned());
}

MISUSES void nap_fiber_start_init_unaligned(void)
{
	struct nap_fiber_start start;

	nap_fiber_start_init(&start, unaligned(), be_a_fiber, NULL);
}

MISUSES void nap_order_init_unaligned(void)
{
	nap_order_init(&order, unaligned(), 0);
}

MISUSES void nap_serial_init_unaligned(void)
{
	nap_serial_init(&serial, unaligned());
}

MISUSES void nap_submit_init_unaligned(void)
{
	struct nap_submitter submit;
	struct nap_slot slot;

	nap_submit_init(&submit, unaligned(), &slot, 1, 0, 0, NULL, NULL);
}

MISUSES void nap_scope_begin_unaligned(void)
{
	struct nap_scope scope;

	nap_scope_begin(&scope, unaligned());
}

MISUSES void nap_scope_spawn_unaligned(void)
{
	struct nap_scope scope = { .pool = unaligned() };

	nap_scope_spawn(&scope, be_a_fiber, NULL);
}

MISUSES void nap_pool_notify_end_unaligned(void)
{
	struct nap_end end;

	nap_cq_init(&cq);
	nap_end_init(&end, count_run, &cq);
	nap_pool_notify_end(unaligned(), &end);
}

#define MISUSE(call) { call##_unaligned, #call ": pool 0x" }

TEST(a_pool_that_is_not_aligned)
{
	static const struct { void (*misuse)(void); const char *says; } table[] = {
		MISUSE(nap_all), MISUSE(nap_any), MISUSE(nap_broadcast), MISUSE(nap_call_until),
		MISUSE(nap_class_schedule), MISUSE(nap_class_schedule_batch),
		MISUSE(nap_class_work), MISUSE(nap_fiber_start_init), MISUSE(nap_fibers_init),
		MISUSE(nap_find), MISUSE(nap_for_2d), MISUSE(nap_for_as), MISUSE(nap_for_chunks),
		MISUSE(nap_local_add), MISUSE(nap_order_init), MISUSE(nap_pool_check_stuck),
		MISUSE(nap_pool_help), MISUSE(nap_pool_histogram), MISUSE(nap_pool_notify_end),
		MISUSE(nap_pool_prewarm), MISUSE(nap_pool_quiesce_until), MISUSE(nap_pool_reread),
		MISUSE(nap_pool_set_idle), MISUSE(nap_pool_set_limit), MISUSE(nap_reduce),
		MISUSE(nap_run), MISUSE(nap_scan), MISUSE(nap_schedule),
		MISUSE(nap_schedule_after), MISUSE(nap_schedule_at), MISUSE(nap_schedule_batch),
		MISUSE(nap_schedule_every), MISUSE(nap_scope_begin), MISUSE(nap_scope_spawn),
		MISUSE(nap_serial_init), MISUSE(nap_sort), MISUSE(nap_sort_keys),
		MISUSE(nap_sort_slow), MISUSE(nap_sort_stable), MISUSE(nap_spawn),
		MISUSE(nap_submit_init), MISUSE(nap_trace_begin), MISUSE(nap_trace_end),
		MISUSE(nap_trace_write), MISUSE(nap_work_schedule),
	};
	nap_timer_init(&a_timer, count_run);
	nap_work_init(&a_work, work_nothing, NULL, NULL);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		EXPECT_DIES(table[i].misuse, table[i].says);
		EXPECT_NE(strstr(said, "is not aligned to 64 bytes, called from "), NULL);
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
MISUSES void schedule_torn_batch(void)
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
