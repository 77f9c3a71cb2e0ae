/* SPDX-License-Identifier: MIT */
/*
 * Every bad argument to every public function: the call returns the documented error and has no
 * effect. Calls whose effect is undefined are tested in unit/debug_misuse.
 */
#include <errno.h>
#include <limits.h>

#include "fault/report.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_pool joined = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool_stats pool_stats;
static struct nap_worker_stats worker_stats;
static struct nap_batch left;
static struct nap_group empty_group = NAP_GROUP_INIT(NULL), full_group = NAP_GROUP_INIT(NULL);

static struct nap_pool *off_by(size_t bytes)
{
	return (struct nap_pool *)((char *)&pool + bytes);
}

static int init_with(uint32_t max_workers, size_t stack_size)
{
	struct nap_config config = { .max_workers = max_workers, .stack_size = stack_size };

	return nap_pool_init(&pool, &config);
}

static int add_to_full(uint32_t n)
{
	nap_group_init(&full_group, NULL);
	if (nap_group_add(&full_group, INT32_MAX))
		abort();
	return nap_group_add(&full_group, n);
}

/* Sets one reserved word, in which a later library may have a field. */
static int init_with_reserved(uint32_t word)
{
	struct nap_config config = { .max_workers = 1 };

	config.reserved[word] = 1u << 31;
	return nap_pool_init(&pool, &config);
}

#define BAD(call, error) { #call, call, error }

/* A macro, so that a row of the table can simply be a call. */
#define EXPECT_ERRORS(...)								\
	do {										\
		struct { const char *call; long got, stated; } table[] = { __VA_ARGS__ };	\
											\
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++, nr_bad++) {	\
			EXPECT_EQ(table[i].got, table[i].stated) {			\
				TH_LOG("%s is %ld, not %ld", table[i].call, table[i].got, \
				       table[i].stated);				\
			}								\
		}									\
	} while (0)

static unsigned long nr_bad;

TEST(each_is_answered_by_the_stated_error)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	watchdog(&pool, 0);
	nap_pool_join(&joined, NULL);
	left = (struct nap_batch){ &task, &task, 1 };
	EXPECT_ERRORS(
		BAD(nap_pool_init(NULL, NULL), -EINVAL),
		BAD(nap_pool_init(off_by(1), NULL), -EINVAL),
		BAD(nap_pool_init(off_by(8), NULL), -EINVAL),
		BAD(nap_pool_init(off_by(32), NULL), -EINVAL),
		BAD(init_with(NAP_MAX_WORKERS + 1, 0), -EINVAL),
		BAD(init_with(UINT32_MAX, 0), -EINVAL),
		BAD(init_with(1, 1), -EINVAL),
		BAD(init_with(1, 16383), -EINVAL),
		BAD(init_with_reserved(0), -EINVAL),
		BAD(init_with_reserved(4), -EINVAL),
		BAD(nap_pool_prewarm(NULL, 1), -EINVAL),
		BAD(nap_pool_quiesce(NULL), -EINVAL),
		BAD(nap_pool_quiesce_for(NULL, 0), -EINVAL),
		BAD(nap_pool_help(NULL, 1), -EINVAL),
		BAD(nap_pool_shutdown(NULL, NAP_STOP), -EINVAL),
		BAD(nap_pool_shutdown(&pool, (enum nap_shutdown)0), -EINVAL),
		BAD(nap_pool_shutdown(&pool, (enum nap_shutdown)3), -EINVAL),
		BAD(nap_pool_shutdown(&pool, (enum nap_shutdown)-1), -EINVAL),
		BAD(nap_pool_shutdown(&pool, (enum nap_shutdown)(NAP_STOP | 256)), -EINVAL),
		BAD(nap_pool_shutdown(&joined, (enum nap_shutdown)9), -EINVAL),
		BAD(nap_pool_join(NULL, NULL), -EINVAL),
		BAD(nap_pool_join(NULL, &left), -EINVAL),
		BAD((long)left.count, 0),
		BAD(nap_worker_pool(NULL) == NULL, 1),
		BAD(nap_worker_index(NULL), UINT32_MAX),
		BAD(nap_pool_get_stats(NULL, &pool_stats), -EINVAL),
		BAD(nap_pool_get_stats(&pool, NULL), -EINVAL),
		BAD(nap_pool_get_stats(NULL, NULL), -EINVAL),
#ifndef NAP_TEST_BARE
		BAD(nap_trace_begin(NULL, NULL), -EINVAL),
		BAD(nap_trace_end(NULL), -EINVAL),
		BAD(nap_trace_write(NULL, 1), -EINVAL),
		BAD(nap_pool_dump(NULL, 1), -EINVAL),
#endif
		BAD(nap_worker_get_stats(NULL, 0, &worker_stats), -EINVAL),
		BAD(nap_worker_get_stats(&pool, 0, NULL), -EINVAL),
		BAD(nap_worker_get_stats(&joined, 0, NULL), -EINVAL),
		BAD(nap_worker_get_stats(&pool, 0, &worker_stats), -ENOENT),
		BAD(nap_worker_get_stats(&pool, UINT_MAX, &worker_stats), -ENOENT),
		BAD(nap_worker_get_stats(&joined, 0, &worker_stats), -ESHUTDOWN),
		BAD(nap_group_wait(NULL), -EINVAL),
		BAD(nap_group_wait_for(NULL, 0), -EINVAL),
		BAD(nap_group_done(&empty_group), -EINVAL),
		BAD(nap_group_add(&empty_group, UINT32_MAX), -EOVERFLOW),
		BAD(nap_group_add(&empty_group, (uint32_t)INT32_MAX + 1), -EOVERFLOW),
		BAD(nap_group_wait(&empty_group), 0),
		BAD(add_to_full(1), -EOVERFLOW),
		BAD(add_to_full(UINT32_MAX), -EOVERFLOW),
		BAD(nap_group_wait_for(&full_group, 0), -ETIMEDOUT));
	/*
	 * No call has had an effect: there is no worker, the configuration is as before, and the
	 * pool works.
	 */
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(pool.config.max_workers, 2);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 1);
	fault_report("bad arguments", nr_bad, 1, nr_run);
}

/*
 * Arguments that look bad and are allowed: a count of 0, a timeout of 0, an empty batch, a batch
 * that is appended to itself.
 */
TEST(odd_arguments_mean_what_they_say)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_task tasks[2] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };
	struct nap_pool_stats stats;
	struct {
		struct nap_config config;
		uint64_t beyond;
	} odd = { .config = { .max_workers = 2 }, .beyond = UINT64_MAX };

	watchdog(&pool, 0);
	EXPECT_EQ(nap_pool_init(&pool, &odd.config), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, 0), 0);
	EXPECT_EQ(nap_schedule_batch(&pool, &batch), 0);
	EXPECT_EQ(count_workers(), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, UINT32_MAX), 0);
	EXPECT_EQ(await_workers(2), 2);
	EXPECT_EQ(nap_worker_get_stats(&pool, 1, &worker_stats), 0);
	EXPECT_EQ(nap_worker_get_stats(&pool, 2, &worker_stats), -ENOENT);
	EXPECT_EQ(nap_pool_help(&pool, ULONG_MAX), 0);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, NAP_FOREVER), 0);
	EXPECT_EQ(nap_group_add(&empty_group, 0), 0);
	EXPECT_EQ(nap_group_wait(&empty_group), 0);
	for (int i = 0; i < 2; i++)
		nap_batch_push(&batch, &tasks[i]);
	nap_batch_concat(&batch, &batch);
	EXPECT_EQ(batch.count, 2);
	EXPECT_EQ(nap_schedule_batch(&pool, &batch), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.workers.run + stats.helped, 2);
	EXPECT_EQ(nap_pool_init(&pool, &pool.config), 0);
	EXPECT_EQ(pool.config.max_workers, 2);
	/* The smallest stack that is accepted. */
	EXPECT_EQ(init_with(2, 16384), 0);
	EXPECT_EQ(pool.config.stack_size, 16384);
	fault_report("odd but allowed arguments", 13, 2, nr_run);
}

/*
 * A static initialiser cannot refuse wrong values: the library lowers the limit and raises the
 * stack size.
 */
/* Needs more than the least stack that musl allows, which is rounded up to a page. */
static void needs_some_stack(struct nap_task *task)
{
	char some[4096];

	memset(some, 0, sizeof(some));
	__asm__ volatile("" : : "r"(some) : "memory");
	count_and_free(task);
}

TEST(a_static_initialiser_is_made_to_fit)
{
	static struct nap_pool huge = NAP_POOL_INIT(.max_workers = UINT32_MAX, .stack_size = 1);
	struct nap_pool_stats stats;

	watchdog(&huge, 0);
	EXPECT_EQ(nap_schedule(&huge, new_task(needs_some_stack)), 0);
	while (nap_load_acquire(&nr_run) < 1)	/* on the worker: no other thread helps */
		sched_yield();
	nap_pool_get_stats(&huge, &stats);
	EXPECT_EQ(stats.max_workers, NAP_MAX_WORKERS);
	EXPECT_EQ(stats.spawn_failures, 0);
	EXPECT_EQ(nap_pool_join(&huge, NULL), 0);
	fault_report("a static initialiser out of bounds", 2, 1, nr_run);
}

/* A start fails when its stack cannot be mapped. The pool goes on, as after any failed start. */
TEST(a_stack_that_cannot_be_had_is_a_failed_start)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2, (size_t)1 << 56 };
	unsigned long failures = 0;

	watchdog(&pool, 0);
	for (int i = 0; i < 4; i++) {
		struct nap_pool_stats stats;

		ASSERT_EQ(init_with(2, sizes[i]), 0);
		EXPECT_EQ(nap_schedule(&pool, new_task(count_and_free)), 0);
		EXPECT_LT(nap_pool_prewarm(&pool, 1), 0);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
		nap_pool_get_stats(&pool, &stats);
		EXPECT_EQ(stats.helped, 1);
		EXPECT_GT(stats.spawn_failures, 0);
		EXPECT_GT(stats.spawn_last_errno, 0);
		failures += stats.spawn_failures;
	}
	fault_report("stacks that cannot be had", failures, 4, nr_run);
}

TEST_HARNESS_MAIN
