/* SPDX-License-Identifier: MIT */
/* A call with a timeout does not read the clock if it need not wait, and else not in vain. */
#include <errno.h>

#include <nap/async.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "os/os.h"
#include "harness.h"
#include "wrap.h"

#define HOUR	3600000000000u

/* How often the calling thread has read the clock. No worker runs in these tests. */
static uint32_t nr_asked;

WRAP(uint64_t, nap__os_now, (void))
{
	nr_asked++;
	return __real_nap__os_now();
}

#define EXPECT_UNASKED(call, want)		\
	do {					\
		nr_asked = 0;			\
		EXPECT_EQ(call, want);		\
		EXPECT_EQ(nr_asked, 0);		\
	} while (0)

/* The deadline may lie between two readings, whose difference would then be of the wrong sign. */
TEST(what_remains_until_a_deadline_is_of_one_reading)
{
	uint64_t now = nap__os_now(), left;

	nr_asked = 0;
	left = time_until(now + HOUR);
	EXPECT_EQ(nr_asked, 1);
	EXPECT_LE(left, HOUR);
	EXPECT_GT(left, 0);
	EXPECT_EQ(time_until(now), 0);
	EXPECT_EQ(time_until(0), 0);
}

TEST(a_mutex_and_a_semaphore)
{
	struct nap_mutex mutex = NAP_MUTEX_INIT;
	struct nap_sem sem = NAP_SEM_INIT(1);

	EXPECT_UNASKED(nap_mutex_lock_for(&mutex, HOUR), 0);
	EXPECT_UNASKED(nap_sem_acquire_for(&sem, HOUR), 0);
}

TEST(an_event)
{
	struct nap_event event = NAP_EVENT_INIT;

	nap_event_set(&event);
	EXPECT_UNASKED(nap_event_wait_for(&event, HOUR), 0);
}

TEST(a_group)
{
	static struct nap_pool pool = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
	struct nap_group group = NAP_GROUP_INIT(NULL);

	/*
	 * Under a race detector every call takes the slow path. The first pool shows whether this
	 * build has a detector.
	 */
	ASSERT_EQ(nap_pool_help(&pool, 0), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	if (is_detected())
		SKIP(return, "a race detector watches");
	EXPECT_UNASKED(nap_group_wait_for(&group, HOUR), 0);
}

TEST(a_channel)
{
	int buffer[1], value = 1, got = 0;
	struct nap_channel channel = NAP_CHANNEL_INIT(buffer, sizeof(*buffer), 1);

	EXPECT_UNASKED(nap_channel_send_for(&channel, &value, HOUR), 0);
	EXPECT_UNASKED(nap_channel_recv_for(&channel, &got, HOUR), 0);
	EXPECT_EQ(got, 1);
}

/*
 * The cases are initialised by position: then no compiler warns about the library's members without
 * names.
 */
TEST(a_select)
{
	int buffer[1], value = 1, got = 0;
	struct nap_channel channel = NAP_CHANNEL_INIT(buffer, sizeof(*buffer), 1);
	struct nap_select_case cases[] = { { &channel, &value, true, 0 },
					   { NULL, &got, false, 0 } };

	EXPECT_UNASKED(nap_select_for(cases, 2, HOUR), 0);
	cases[1].channel = &channel;
	EXPECT_UNASKED(nap_select_for(cases, 2, HOUR), 1);
	EXPECT_EQ(got, 1);
	EXPECT_EQ(cases[1].result, 0);
}

/* A call that has to wait does read the clock, so the tests above can fail. */
TEST(what_is_not_there_yet)
{
	struct nap_event event = NAP_EVENT_INIT;

	nr_asked = 0;
	EXPECT_EQ(nap_event_wait_for(&event, 1), -ETIMEDOUT);
	EXPECT_NE(nr_asked, 0);
	nap_event_set(&event);
}

TEST_HARNESS_MAIN
