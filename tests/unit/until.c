/* SPDX-License-Identifier: MIT */
/* Times, as every call takes them: what has passed, what is now, what never comes. */
#include <errno.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/nap.h>

#include "async.h"
#include "atomic.h"
#include "harness.h"
#include "os.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static int pipe_of[2];

/* ---- what never comes */

static uint32_t has_waited;

static intptr_t reads(void *until)
{
	int got = nap_io_wait(pipe_of[0], NAP_IO_READ, *(uint64_t *)until);

	nap_store_release(&has_waited, 1);
	return got;
}

static bool waits_for_a_file(void)
{
	struct nap__async *async = pool_async(&pool);

	return async && nap_load_relaxed(&async->timers.files);
}

TEST(a_file_is_waited_for_until_never)
{
	uint64_t until = nap_deadline(NAP_FOREVER);
	struct nap_fiber *fiber;
	intptr_t got;

	ASSERT_EQ(pipe(pipe_of), 0);
	ASSERT_EQ(nap_spawn(&pool, &fiber, reads, &until), 0);
	/* There is nothing to read before it waits, or has not. */
	while (!waits_for_a_file() && !nap_load_acquire(&has_waited))
		usleep(100);
	ASSERT_EQ(write(pipe_of[1], "", 1), 1);
	ASSERT_EQ(nap_await(fiber, &got), 0);
	EXPECT_EQ(got, NAP_IO_READ);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	close(pipe_of[0]);
	close(pipe_of[1]);
}

static uint32_t runs;

static void count(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&runs, 1);
}

/* One that is due and was armed later has run. So has each that would have been due. */
TEST(a_timer_is_armed_until_never)
{
	struct nap_timer never[4], due;

	for (int i = 0; i < 4; i++)
		nap_timer_init(&never[i], count);
	nap_timer_init(&due, count);
	ASSERT_EQ(nap_schedule_at(&pool, &never[0], nap_deadline(NAP_FOREVER)), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &never[1], NAP_FOREVER), 0);
	ASSERT_EQ(nap_schedule_after(&pool, &never[2], NAP_FOREVER), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &never[3], NAP_FOREVER - 1), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &due, nap_deadline(0)), 0);
	while (!nap_load_acquire(&runs))
		usleep(100);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_load_relaxed(&runs), 1u);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(nap_timer_cancel(&never[i]), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
