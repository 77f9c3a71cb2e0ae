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

/* Whether an event is set in the next sleep on an event word, and until when this sleep lasts. */
static bool sets_in_sleep;
static uint64_t slept_until;

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t value, uint64_t deadline))
{
	if (!sets_in_sleep)
		return __real_nap__futex_wait(word, value, deadline);
	sets_in_sleep = false;
	slept_until = deadline;
	set_event();
	return 0;
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

#ifdef NAP_NO_TRACE
static void expect_notified(struct __test_metadata *_metadata, bool is_file)
{
	(void)_metadata;
	(void)is_file;
	files->io.ops->notify(&files->io);
}
#else
static uint32_t nr_traced;

WRAP(void, nap__trace, (struct nap_pool *of, uint32_t kind, uint32_t other, uint64_t a, uint64_t b))
{
	(void)of;
	(void)other;
	(void)b;
	nr_traced++;
	if (kind != NAP_TRACE_FILE || a != (uint64_t)file)
		abort();
}

/* A trace has an event for each file, and none for the eventfd. */
static void expect_notified(struct __test_metadata *_metadata, bool is_file)
{
	nr_traced = 0;
	pool.watched = WATCH_TRACE;
	files->io.ops->notify(&files->io);
	pool.watched = 0;
	EXPECT_EQ(nr_traced, is_file ? 1u : 0u);
}
#endif

/*
 * The poller sleeps, and finds @reasons, @nr ready files with the eventfd, whether one of them
 * @is_file, and @owed writes that are to come.
 */
static void expect_sleep(struct __test_metadata *_metadata, uint32_t reasons, int nr, bool is_file,
			 uint64_t owed)
{
	uint64_t before = files->owed;
	bool ready = !is_file;

	files->nr_ready = 3;
	EXPECT_EQ(files->io.ops->sleep(&files->io, worker, PASSED, &ready), reasons);
	EXPECT_EQ(ready, is_file);
	EXPECT_EQ(files->nr_ready, nr);
	EXPECT_EQ(files->owed, before + owed);
	EXPECT_EQ(worker->event, 0u);
	expect_notified(_metadata, is_file);
	EXPECT_EQ(files->nr_ready, 0);
}

TEST(a_time_a_reason_or_a_file_ends_the_sleep)
{
	begin_files(_metadata);
	expect_sleep(_metadata, 0, 0, false, 0);
	EXPECT_EQ(nr_sleeps, 1u);
	before_sleep = make_ready;
	expect_sleep(_metadata, 0, 1, true, 0);
	before_sleep = set_event;
	expect_sleep(_metadata, EVENT_WORK, 1, false, 1);
	EXPECT_EQ(nr_sleeps, 3u);
	before_sleep = do_both;
	expect_sleep(_metadata, EVENT_WORK, 2, true, 1);
	/* A reason that is there before the sleep is seen without the kernel. */
	worker->event = EVENT_WORK;
	expect_sleep(_metadata, EVENT_WORK, 0, false, 0);
	EXPECT_EQ(nr_sleeps, 4u);
	EXPECT_EQ(nr_asked, 0u);
}

TEST(a_signal_and_a_late_write_do_not)
{
	begin_files(_metadata);
	result = -EINTR;
	expect_sleep(_metadata, 0, 0, false, 0);
	EXPECT_EQ(nr_sleeps, 2u);
	before_sleep = write_late;
	expect_sleep(_metadata, 0, 0, false, 0);
	EXPECT_EQ(nr_sleeps, 4u);
	result = -EINTR;
	before_sleep = set_event;
	expect_sleep(_metadata, EVENT_WORK, 0, false, 1);
	EXPECT_EQ(nr_sleeps, 5u);
	EXPECT_EQ(nr_asked, 0u);
}

/* The kernel is asked once at each end of a shorter sleep. */
TEST(where_the_kernel_refuses_it_is_asked_without_a_sleep)
{
	begin_files(_metadata);
	result = -EINVAL;
	expect_sleep(_metadata, 0, 0, false, 0);
	EXPECT_EQ(nr_asked, 1u);
	before_sleep = make_ready;
	expect_sleep(_metadata, 0, 1, true, 0);
	EXPECT_EQ(nr_asked, 2u);
	before_sleep = set_event;
	expect_sleep(_metadata, EVENT_WORK, 0, false, 1);
	EXPECT_EQ(nr_asked, 2u);
	EXPECT_EQ(nr_sleeps, 3u);
}

TEST(there_a_reason_ends_the_shorter_sleep)
{
	uint64_t later = nap__os_now() + 3600000000000u;
	bool ready = true;

	begin_files(_metadata);
	result = -EINVAL;
	sets_in_sleep = true;
	EXPECT_EQ(files->io.ops->sleep(&files->io, worker, later, &ready), EVENT_WORK);
	EXPECT_FALSE(ready);
	EXPECT_LT(slept_until, later);
	EXPECT_EQ(worker->event, 0u);
	EXPECT_EQ(nr_sleeps, 1u);
	EXPECT_EQ(nr_asked, 1u);
}

TEST_HARNESS_MAIN
