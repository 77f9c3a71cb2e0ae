/* SPDX-License-Identifier: MIT */
/*
 * The last task of a serial queue whose pool drains, run by the thread that ends the queue. This
 * task may end a second queue, whose last task ends a third, and so on. The thread may be in the
 * middle of a fiber.
 */
#include "worker/exclusive.h"
#include "worker/self.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool, other;

static void begin(void)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, NULL) || nap_pool_shutdown(&pool, NAP_DRAIN))
		abort();
}

/* ---- a chain */

#define LINKS	100000

static struct link {
	struct nap_serial serial;
	struct nap_task last;
	struct nap_work work;
} links[LINKS];
static uint32_t nr_inside, nr_nested, nr_ended;

static void end_link(struct link *link)
{
	nr_nested += nr_inside;
	nr_inside++;
	nr_ended++;
	if (link + 1 < links + LINKS) {
		struct link *next = link + 1;

		/* In every second queue the last task is a work. */
		if ((nr_ended & 1 ? nap_serial_end_work(&next->serial, &next->work) :
				    nap_serial_end(&next->serial, &next->last)) != 0)
			abort();
	}
	nr_inside--;
}

static void end_by_task(struct nap_task *task)
{
	end_link(nap_container_of(task, struct link, last));
}

static void end_by_work(struct nap_work *work, int result)
{
	if (result)
		abort();
	end_link(nap_container_of(work, struct link, work));
}

TEST(a_chain_of_ends_takes_no_stack)
{
	begin();
	for (int i = 0; i < LINKS; i++) {
		ASSERT_EQ(nap_serial_init(&links[i].serial, &pool), 0);
		nap_task_init(&links[i].last, end_by_task);
		nap_work_init(&links[i].work, NULL, end_by_work, NULL);
	}
	EXPECT_EQ(nap_serial_end(&links[0].serial, &links[0].last), 0);
	/* The queues have ended one after another, all inside the call that ended the first one. */
	EXPECT_EQ(nr_ended, LINKS);
	EXPECT_EQ(nr_nested, 0u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- inside a fiber */

static struct nap_serial queue;
static bool was_exclusive, may_leave;

/* Notes whether this wait would suspend the fiber, which might then resume on another thread. */
static void wait_in_last(struct nap_task *task)
{
	(void)task;
	was_exclusive = is_exclusive();
	may_leave = nap__self()->fiber && !nap__self()->outer;
	nap_sleep(1000);
}

static struct nap_task last = NAP_TASK_INIT(wait_in_last);

static intptr_t ends_queue(void *may)
{
	int err = nap_serial_end(&queue, &last);

	*(bool *)may = nap__self()->fiber && !nap__self()->outer;
	return err;
}

/*
 * A serial queue's task, and all that runs nested in it, runs on one thread. So the fiber does not
 * leave this thread before the task has returned.
 */
TEST(a_fiber_does_not_leave_its_thread_in_the_middle)
{
	struct nap_fiber *fiber;
	bool behind = false;
	intptr_t result;

	begin();
	ASSERT_EQ(nap_pool_init(&other, &(struct nap_config){ .max_workers = 1 }), 0);
	ASSERT_EQ(nap_serial_init(&queue, &pool), 0);
	ASSERT_EQ(nap_spawn(&other, &fiber, ends_queue, &behind), 0);
	EXPECT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	EXPECT_TRUE(was_exclusive);
	EXPECT_FALSE(may_leave);
	EXPECT_TRUE(behind);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
