/* SPDX-License-Identifier: MIT */
/*
 * The lost wake-up between push and notification. A test cannot find a lost wake-up by waiting for
 * the task, because the task's owner runs it in the end. So in this test the pusher does not end
 * before another worker has run the task: if a wake-up is lost, that worker stays parked and the
 * pusher waits for ever; the watchdog then prints the state of both.
 *
 * The push has to come between the worker's clearing of NOTIFIED and its check of the queues. The
 * pusher pushes the next child when it sees that the last child has run. The last child then stays
 * busy for a while: a bit longer in each round, over a range in which the two threads meet. The
 * pusher's load of the idle word does not wait until the pusher's stores reach memory. A wake-up
 * can be lost only between this load and the arrival of the stores. The payload makes this time
 * longer: it is on many cache lines, which the other thread has just written.
 */
#include "pool_fixture.h"
#include "watchdog.h"

/* Under JEC, workers without yields sleep as soon as they find no task. */
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2, .yields = NAP_NO_YIELDS);
static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1, .yields = NAP_NO_YIELDS);

#define LINES 16
#define SWEEP 4096	/* less would miss the window more often on a loaded machine */
struct child {
	struct nap_task task;
	uint32_t ran;
	struct {
		unsigned long written nap__line;
	} payload[LINES];
};

static unsigned long rounds, round_nr;
static __thread unsigned long busy;	/* iterations, each about a cycle */

static void run_child(struct nap_task *task)
{
	struct child *child = nap_container_of(task, struct child, task);

	for (int i = 0; i < LINES; i++)
		nap_store_relaxed(&child->payload[i].written, 1);
	flag_set(&child->ran);
	/* From here on the pusher may push this child again. */
	for (unsigned long i = 0; i < busy; i++)
		__asm__ volatile("");
	busy = (busy + 1) % SWEEP;
}

static void prepare_child(struct child *child)
{
	nap_task_init(&child->task, run_child);
	child->ran = 0;
	for (int i = 0; i < LINES; i++)
		nap_store_relaxed(&child->payload[i].written, 2);
}

/*
 * Waits without system calls. Yields only after 100,000 loads, because there may be one CPU, or an
 * emulator.
 */
static void spin_for(uint32_t *flag)
{
	for (int i = 0; i < 100000; i++)
		if (nap_load_acquire(flag))
			return;
	flag_wait(flag);
}

static void push_and_run_on(struct nap_task *task)
{
	static struct child child;

	(void)task;
	for (; round_nr < rounds; round_nr++) {
		prepare_child(&child);
		if (nap_schedule(&pool, &child.task))
			abort();
		spin_for(&child.ran);
	}
}

TEST(own_ring)
{
	struct nap_task pusher = NAP_TASK_INIT(push_and_run_on);

	rounds = nap_test_count(300000);
	watchdog(&pool, 0);
	nap_pool_prewarm(&pool, 2);
	nap_schedule(&pool, &pusher);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(round_nr, rounds);
}

TEST(from_outside)
{
	static struct child child;

	rounds = nap_test_count(100000);
	watchdog(&one, 0);
	for (unsigned long i = 0; i < rounds; i++) {
		prepare_child(&child);
		ASSERT_EQ(nap_schedule(&one, &child.task), 0);
		spin_for(&child.ran);
	}
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
}

/*
 * A worker pushes a batch of three tasks, and runs on. Each of the three other workers must run
 * one, all at the same time.
 */
static struct child children[3];
static struct nap_pool four = NAP_POOL_INIT(.max_workers = 4, .yields = NAP_NO_YIELDS);
static uint32_t arrived;

static void meet(struct nap_task *task)
{
	(void)task;
	/* No task goes on before all three have arrived. */
	nap_fetch_add_release(&arrived, 1);
	while (nap_load_acquire(&arrived) % 3)
		sched_yield();
	flag_set(&nap_container_of(task, struct child, task)->ran);
}

static void push_three(struct nap_task *task)
{
	(void)task;
	for (; round_nr < rounds; round_nr++) {
		struct nap_batch batch = NAP_BATCH_INIT;

		arrived = 0;
		for (int i = 0; i < 3; i++) {
			children[i].ran = 0;
			nap_task_init(&children[i].task, meet);
			nap_batch_push(&batch, &children[i].task);
		}
		if (nap_schedule_batch(&four, &batch))
			abort();
		for (int i = 0; i < 3; i++)
			flag_wait(&children[i].ran);
	}
}

TEST(wakes_cascade_until_everybody_works)
{
	struct nap_task pusher = NAP_TASK_INIT(push_three);

	rounds = nap_test_count(20000);
	watchdog(&four, 0);
	nap_schedule(&four, &pusher);
	EXPECT_EQ(nap_pool_join(&four, NULL), 0);
	EXPECT_EQ(round_nr, rounds);
}

TEST_HARNESS_MAIN
