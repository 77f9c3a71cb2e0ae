/* SPDX-License-Identifier: MIT */
/*
 * src/dump/whole.c, all.c: the lines about a whole pool, in each phase of its life, and the errors.
 * No pool here has a worker.
 */
#include <errno.h>
#include <unistd.h>

#include <nap/nap.h>

#include "dump_steps.h"
#include "worker/pools.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2, .flags = NAP_NO_WORKERS);
static struct nap_task tasks[2];
static uint32_t nr_run;

static void count(struct nap_task *task)
{
	(void)task;
	nr_run++;
}

/* Dumps the pool. *@line: how the first line has to begin, up to what the pool does. */
static int dump_pool(int fd, const char *how, char line[128])
{
	snprintf(line, 128, "nap: pool 0x%lx of process %d %s\n", (unsigned long)&pool,
		 (int)getpid(), how);
	text_begin(0);
	return nap_pool_dump(&pool, fd);
}

static void schedule_both(void)
{
	for (int i = 0; i < 2; i++) {
		nap_task_init(&tasks[i], count);
		if (nap_schedule(&pool, &tasks[i]))
			abort();
	}
}

TEST(before_and_behind_its_life)
{
	char line[128];

	EXPECT_EQ(dump_pool(0, "was not used yet", line), 0);
	EXPECT_STREQ(text, line);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(dump_pool(0, "was joined, or is about to be", line), -ESHUTDOWN);
	EXPECT_STREQ(text, line);
	EXPECT_EQ(dump_pool(-EIO, "", line), -EIO);
	EXPECT_EQ(nap_pool_dump(NULL, 0), -EINVAL);
}

TEST(a_pool_with_tasks_runs_and_then_drains)
{
	char line[128];

	schedule_both();
	EXPECT_EQ(dump_pool(0, "runs", line), 0);
	EXPECT_EQ(strncmp(text, line, strlen(line)), 0);
	EXPECT_EQ(said("workers: 0 of 2 started, 0 idle, 0 blocked; guests: 0\nqueued: 2 injected, "
		       "0 in rings, 0 in overflows, 0 in classes, 0 in serial queues, "
		       "0 starts of fibers, 0 calls\n\tinjected:\n\t\ttask 0x"), 1);
	EXPECT_STREQ(text + strlen(text) - 12, "end of pool\n");
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(dump_pool(0, "is shut down, and runs what remains", line), 0);
	EXPECT_EQ(strncmp(text, line, strlen(line)), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 2);
}

TEST(a_pool_that_is_stopped)
{
	struct nap_batch left;
	char line[128];

	schedule_both();
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(dump_pool(0, "is stopped", line), 0);
	EXPECT_EQ(strncmp(text, line, strlen(line)), 0);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(dump_pool(0, "was joined, or is about to be", line), -ESHUTDOWN);
	EXPECT_STREQ(text, line);
}

TEST(a_pool_of_the_parents_is_not_read)
{
	char line[128];

	snprintf(line, sizeof(line), "nap: pool 0x40 of process %d is the parent's\n",
		 (int)getpid());
	text_begin(0);
	EXPECT_EQ(nap__dump_parents((struct nap_pool *)0x40, 0), 0);
	EXPECT_STREQ(text, line);
	EXPECT_EQ(nap__dump_parents((struct nap_pool *)0x40, -EIO), -EIO);
	text_begin(0);
	EXPECT_EQ(nap__dump_parents(NULL, -EIO), 0);
	EXPECT_STREQ(text, "");
}

/* The pools are listed as at their first use, and not used. */
TEST(the_first_error_of_all_pools)
{
	static struct nap_pool unused[3];

	for (int i = 0; i < 3; i++)
		pools_enter(&unused[i]);
	text_begin(0);
	EXPECT_EQ(nap_pools_dump(0), 0);
	EXPECT_EQ(said(" was not used yet\n"), 3);
	text_begin(0);
	EXPECT_EQ(nap_pools_dump(-EIO), -EIO);
	EXPECT_EQ(nr_writes, 3);
	for (int i = 0; i < 3; i++) {
		EXPECT_TRUE(pools_leave(&unused[i]));
	}
}

TEST_HARNESS_MAIN
