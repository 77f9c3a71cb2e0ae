/* SPDX-License-Identifier: MIT */
/*
 * nap/version.h, nap/foreign.h: the version and the sizes are those of the headers, and each symbol
 * that stands for an inline function does what the inline function does. This file, and what it
 * includes, calls the symbols: kit/outline.h.
 */
#include "kit/outline.h"

#include <errno.h>

#include "pool_fixture.h"
#include "watchdog.h"

TEST(the_version_is_that_of_the_headers)
{
	EXPECT_EQ(nap_version(), (uint32_t)NAP_VERSION);
	EXPECT_EQ(NAP_VERSION_OF(1, 2, 3), 0x010203);
	EXPECT_TRUE(NAP_VERSION_OF(0, 255, 0) < NAP_VERSION_OF(1, 0, 0));
}

TEST(sizes_are_those_of_the_headers)
{
	size_t align = 0;

	EXPECT_EQ(nap_pool_size(), sizeof(struct nap_pool));
	EXPECT_EQ(nap_size_of("nap_pool", &align), sizeof(struct nap_pool));
	EXPECT_EQ(align, 64u);
	EXPECT_EQ(nap_size_of("nap_task", &align), sizeof(struct nap_task));
	EXPECT_EQ(align, _Alignof(struct nap_task));
	EXPECT_EQ(nap_size_of("nap_after", &align), sizeof(struct nap_after));
	EXPECT_EQ(nap_size_of("nap_worker_stats", NULL), sizeof(struct nap_worker_stats));
}

TEST(a_type_that_is_not_known_has_no_size)
{
	size_t align = 3;

	EXPECT_EQ(nap_size_of(NULL, &align), 0u);
	EXPECT_EQ(nap_size_of("", &align), 0u);
	EXPECT_EQ(nap_size_of("nap_tas", &align), 0u);
	EXPECT_EQ(nap_size_of("nap_worker", &align), 0u);
	EXPECT_EQ(align, 3u);
}

TEST(batches)
{
	struct nap_batch batch = NAP_BATCH_INIT, more = NAP_BATCH_INIT;
	struct nap_task task[3];

	for (int i = 0; i < 3; i++) {
		nap_task_init(&task[i], count_run);
		nap_batch_push(i < 1 ? &batch : &more, &task[i]);
	}
	nap_batch_concat(&batch, &more);
	EXPECT_EQ(batch.count, 3u);
	EXPECT_EQ(more.count, 0u);
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(nap_batch_pop(&batch) == &task[i]);
	EXPECT_TRUE(!nap_batch_pop(&batch));
	EXPECT_TRUE(task[2].run == count_run);
}

static int answer(struct nap_work *work)
{
	(void)work;
	return 42;
}

static int result_is;
static uint32_t is_done;

static void done(struct nap_work *work, int result)
{
	(void)work;
	result_is = result;
	flag_set(&is_done);
}

TEST(a_work_and_a_notified_end)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	struct nap_end end;
	struct nap_work work;
	struct nap_cq cq;

	ASSERT_EQ(nap_cq_init(&cq), 0);
	watchdog(&pool, 0);
	nap_work_init(&work, answer, done, NULL);
	ASSERT_EQ(nap_work_schedule(&pool, &work), 0);
	flag_wait(&is_done);
	EXPECT_EQ(result_is, 42);
	nap_end_init(&end, count_run, &cq);
	EXPECT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_cq_run(&cq, 0), 1u);
	EXPECT_EQ(nr_run, 1u);
	EXPECT_EQ(nap_cq_close(&cq, &(struct nap_batch)NAP_BATCH_INIT), 0);
	watchdog_forget(&pool);
}

/* ---- forks, without NAP_JOB(), as a foreign language has them */

static long fib(struct nap_worker *worker, struct nap_frame *top, long n);

static void fib_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	long n;

	memcpy(&n, frame->words, sizeof(n));
	n = fib(worker, top, n);
	memcpy(frame->words, &n, sizeof(n));
}

static long fib(struct nap_worker *worker, struct nap_frame *top, long n)
{
	struct nap_frame *next;
	long other, one;

	if (n < 2)
		return n;
	other = n - 1;
	memcpy(top->words, &other, sizeof(other));
	next = nap_fork(worker, top, fib_job);
	one = fib(worker, next, n - 2);
	if (nap_join(worker, top))
		other = fib(worker, top, other);
	else
		memcpy(&other, top->words, sizeof(other));
	return one + other;
}

static void fib_of_15(struct nap_worker *worker, void *result)
{
	*(long *)result = fib(worker, nap_top(worker), 15);
}

TEST(forks_and_joins)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
	unsigned long rounds = nap_test_count(100);
	long result;

	watchdog(&pool, 0);
	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		result = 0;
		ASSERT_EQ(nap_call(&pool, fib_of_15, &result), 0);
		ASSERT_EQ(result, 610);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	watchdog_forget(&pool);
}

TEST_HARNESS_MAIN
