/* SPDX-License-Identifier: MIT */
/*
 * src/async/io/poll.c: how a poller sleeps in the epoll, and why it wakes up, step by step. The
 * main thread plays the worker.
 */
#include "async/fiber/stacks.h"
#include "async/io/io.h"
#include "idle_steps.h"

enum { PASSED = 1 };	/* a deadline */

static struct nap_worker *worker;
static struct nap__files *files;
static int file;

/* Called once, before the kernel is asked, by a poller that sleeps. */
static void (*before_sleep)(void);
static int result;		/* the result of such a sleep, if it is negative */
static uint32_t nr_sleeps, nr_asked;

WRAP(int, nap__os_epoll_wait, (int epoll, struct nap__os_ready *ready, int most, uint64_t deadline))
{
	void (*act)(void) = before_sleep;
	int err = result;

	if (!deadline) {
		nr_asked++;
		return __real_nap__os_epoll_wait(epoll, ready, most, deadline);
	}
	nr_sleeps++;
	before_sleep = NULL;
	if (act)
		act();
	if (err == -EINTR)
		result = 0;
	return err ? err : __real_nap__os_epoll_wait(epoll, ready, most, deadline);
}

static void set_event(void)
{
	event_set(&worker->event, EVENT_WORK);
}

static void make_ready(void)
{
	if (nap__os_eventfd_write(file) ||
	    nap__os_epoll_arm(files->epoll, file, slot_of(files, file)->number, NAP_IO_READ))
		abort();
}

static void do_both(void)
{
	set_event();
	make_ready();
}

static void write_late(void)
{
	if (nap__os_eventfd_write(files->eventfd))
		abort();
}

static void begin_files(struct __test_metadata *_metadata)
{
	begin(_metadata, NAP_IDLE_SYNC, 1);
	worker = worker_at(0);
	file = nap__os_eventfd_open();
	ASSERT_GE(file, 0);
	ASSERT_TRUE(!!nap__fibers_of(&pool));
	ASSERT_EQ(nap__files_of(&pool, &files), 0);
	worker->event = 0;
}

/* The poller sleeps, and finds @reasons, @nr ready files, and @owed writes that are to come. */
static void expect_sleep(struct __test_metadata *_metadata, uint32_t reasons, int nr, uint64_t owed)
{
	uint64_t before = files->owed;
	bool ready = !nr;

	EXPECT_EQ(files->io.ops->sleep(&files->io, worker, PASSED, &ready), reasons);
	EXPECT_EQ(ready, nr > 0);
	if (nr) {
		EXPECT_EQ(files->nr_ready, nr);
	}
	EXPECT_EQ(files->owed, before + owed);
	EXPECT_EQ(worker->event, 0u);
	files->io.ops->notify(&files->io);
	EXPECT_EQ(files->nr_ready, 0);
}

TEST(a_time_a_reason_or_a_file_ends_the_sleep)
{
	begin_files(_metadata);
	expect_sleep(_metadata, 0, 0, 0);
	EXPECT_EQ(nr_sleeps, 1u);
	before_sleep = make_ready;
	expect_sleep(_metadata, 0, 1, 0);
	before_sleep = set_event;
	expect_sleep(_metadata, EVENT_WORK, 0, 1);
	EXPECT_EQ(nr_sleeps, 3u);
	before_sleep = do_both;
	expect_sleep(_metadata, EVENT_WORK, 2, 1);
	/* A reason that is there before the sleep is seen without the kernel. */
	worker->event = EVENT_WORK;
	expect_sleep(_metadata, EVENT_WORK, 0, 0);
	EXPECT_EQ(nr_sleeps, 4u);
	EXPECT_EQ(nr_asked, 0u);
}

TEST(a_signal_and_a_late_write_do_not)
{
	begin_files(_metadata);
	result = -EINTR;
	expect_sleep(_metadata, 0, 0, 0);
	EXPECT_EQ(nr_sleeps, 2u);
	before_sleep = write_late;
	expect_sleep(_metadata, 0, 0, 0);
	EXPECT_EQ(nr_sleeps, 4u);
	result = -EINTR;
	before_sleep = set_event;
	expect_sleep(_metadata, EVENT_WORK, 0, 1);
	EXPECT_EQ(nr_sleeps, 5u);
	EXPECT_EQ(nr_asked, 0u);
}

/* The kernel is asked once at each end of a shorter sleep. */
TEST(where_the_kernel_refuses_it_is_asked_without_a_sleep)
{
	begin_files(_metadata);
	result = -EINVAL;
	expect_sleep(_metadata, 0, 0, 0);
	EXPECT_EQ(nr_asked, 1u);
	before_sleep = make_ready;
	expect_sleep(_metadata, 0, 1, 0);
	EXPECT_EQ(nr_asked, 2u);
	before_sleep = set_event;
	expect_sleep(_metadata, EVENT_WORK, 0, 1);
	EXPECT_EQ(nr_asked, 2u);
	EXPECT_EQ(nr_sleeps, 3u);
}

TEST_HARNESS_MAIN
