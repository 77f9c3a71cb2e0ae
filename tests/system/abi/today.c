/* SPDX-License-Identifier: MIT */
/*
 * Uses everything of nap that the compiler puts into a program itself: pools of both kinds, structs
 * on its own stack, inline functions, forks in frames, and structs that the library fills in.
 * Prints what it has computed.
 */
#include <stdio.h>
#include <string.h>

#include <nap/nap.h>

struct job {
	struct nap_task task;
	struct nap_group *group;
	uint32_t number;
};

static uint32_t sum;

static void add(struct nap_task *task)
{
	struct job *job = nap_container_of(task, struct job, task);

	__atomic_fetch_add(&sum, job->number, __ATOMIC_RELAXED);
	nap_group_done(job->group);
}

static void tasks(struct nap_pool *pool)
{
	struct nap_group group = NAP_GROUP_INIT(pool);
	struct nap_batch batch = NAP_BATCH_INIT;
	struct job job[10];

	nap_group_add(&group, 10);
	for (uint32_t i = 0; i < 10; i++) {
		job[i] = (struct job){ NAP_TASK_INIT(add), &group, i };
		nap_batch_push(&batch, &job[i].task);
	}
	nap_schedule_batch(pool, &batch);
	nap_group_wait(&group);
}

static long fib(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(fib, long, long)

static long fib(struct nap_worker *worker, struct nap_frame *top, long n)
{
	struct nap_frame *next;
	long one;

	if (n < 2)
		return n;
	next = fib_fork(worker, top, n - 1);
	one = fib(worker, next, n - 2);
	return one + fib_join(worker, top, n - 1);
}

static void fib_of_12(struct nap_worker *worker, void *result)
{
	*(long *)result = fib(worker, nap_top(worker), 12);
}

static int answer(struct nap_work *work)
{
	(void)work;
	return 42;
}

static int result_is;

static void done(struct nap_work *work, int result)
{
	(void)work;
	result_is = result;
}

static void work(struct nap_pool *pool)
{
	struct nap_work work = NAP_WORK_INIT(answer, done, NULL);

	nap_work_schedule(pool, &work);
	nap_pool_quiesce(pool);
}

static int use(struct nap_pool *pool)
{
	struct nap_pool_stats stats;
	struct nap_config kept;
	long fibs = 0;

	sum = 0;
	result_is = 0;
	kept = pool->config;
	tasks(pool);
	work(pool);
	nap_call(pool, fib_of_12, &fibs);
	memset(&stats, 0xff, sizeof(stats));
	nap_pool_get_stats(pool, &stats);
	printf("%u %d %ld, limit %u, measured %u, failed %u\n", sum, result_is, fibs,
	       stats.max_workers, kept.measure, stats.spawn_failures);
	return nap_pool_join(pool, NULL);
}

static struct nap_pool fixed = NAP_POOL_INIT(.max_workers = 3, .measure = 100);

int main(void)
{
	struct nap_config config = { .max_workers = 2, .spin_us = NAP_NO_SPIN, .measure = 64 };
	struct nap_pool pool;
	int err;

	err = nap_pool_init(&pool, &config);
	if (err || use(&pool) || use(&fixed))
		return 1;
	printf("%zu\n", nap_pool_size() - sizeof(pool));
	return 0;
}
