/* SPDX-License-Identifier: MIT */
/* nap/submit.h: slots, refusals, marks, and waiting for a slot. */
#include <errno.h>
#include <pthread.h>

#include <nap/class.h>

#include "pool_fixture.h"
#include "queue/kind.h"
#include "watchdog.h"

#define SLOTS 4u

static struct nap_pool pool;
static struct nap_slot slots[SLOTS];
static struct nap_submitter submit = NAP_SUBMIT_INIT(&pool, slots, SLOTS);
static uint32_t runs, door, nr_inside;

static void run(void *arg)
{
	nap_fetch_add_relaxed((uint32_t *)arg, 1);
}

static void stay(void *arg)
{
	nap_fetch_add_release(&nr_inside, 1);
	flag_wait(&door);
	run(arg);
}

static void begin(uint32_t workers)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }))
		abort();
}

static void begin_busy(void)
{
	begin(1);
	if (nap_submit(&submit, stay, &runs))
		abort();
	while (!nap_load_acquire(&nr_inside))
		sched_yield();
}

static struct nap_submit_stats stats(void)
{
	struct nap_submit_stats now;

	if (nap_submit_get_stats(&submit, &now))
		abort();
	return now;
}

static void end(struct __test_metadata *_metadata)
{
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(stats().taken, 0u);
}

static void no_mark(struct nap_submitter *s)
{
	(void)s;
}

TEST(bad_arguments_change_nothing)
{
	struct nap_submitter s = NAP_SUBMIT_INIT(NULL, NULL, 7);
	struct nap_submitter without = NAP_SUBMIT_INIT(&pool, NULL, 7);

	EXPECT_EQ(nap_submit(NULL, run, &runs), -EINVAL);
	EXPECT_EQ(nap_submit(&without, run, &runs), -EINVAL);
	EXPECT_EQ(nap_submit_wait(&without, run, &runs, 0), -EINVAL);
	EXPECT_EQ(nap_submit(&submit, NULL, &runs), -EINVAL);
	EXPECT_EQ(nap_submit_wait(NULL, run, &runs, 0), -EINVAL);
	EXPECT_EQ(nap_submit_wait(&submit, NULL, &runs, 0), -EINVAL);
	EXPECT_EQ(nap_submit_init(NULL, &pool, slots, 1, 0, 0, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_submit_init(&s, NULL, slots, 1, 0, 0, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_submit_init(&s, &pool, NULL, 1, 0, 0, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_submit_init(&s, &pool, slots, 0, 0, 0, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_submit_init(&s, &pool, slots, NAP_SLOTS + 1, 0, 0, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_submit_init(&s, &pool, slots, 4, 2, 2, no_mark, NULL), -EINVAL);
	EXPECT_EQ(nap_submit_init(&s, &pool, slots, 4, 5, 2, no_mark, NULL), -EINVAL);
	EXPECT_EQ(s.count, 7u);
	EXPECT_EQ(nap_submit(&s, run, &runs), -EINVAL);
	s = (struct nap_submitter)NAP_SUBMIT_INIT(&pool, slots, 0);
	EXPECT_EQ(nap_submit(&s, run, &runs), -EINVAL);
	EXPECT_EQ(nap_submit_wait(&s, run, &runs, NAP_FOREVER), -EINVAL);
	s.count = NAP_SLOTS + 1;
	EXPECT_EQ(nap_submit(&s, run, &runs), -EINVAL);
	EXPECT_EQ(nap_submit_wait(&s, run, &runs, NAP_FOREVER), -EINVAL);
	EXPECT_EQ(nap_submit_get_stats(&submit, NULL), -EINVAL);
	EXPECT_EQ(nap_submit_get_stats(NULL, &(struct nap_submit_stats){ 0 }), -EINVAL);
	EXPECT_FALSE(nap_submit_is_high(NULL));
	EXPECT_EQ(nap_submit_end_left(NULL, NULL), 0u);
	EXPECT_EQ(runs, 0u);
}

TEST(each_function_is_called_once_with_its_argument)
{
	static uint32_t called[1000];
	uint32_t wrong = 0;

	begin(2);
	for (uint32_t i = 0; i < 1000; i++)
		if (nap_submit_wait(&submit, run, &called[i], NAP_FOREVER))
			wrong++;
	end(_metadata);
	for (uint32_t i = 0; i < 1000; i++)
		wrong += called[i] != 1;
	EXPECT_EQ(wrong, 0u);
	EXPECT_TRUE(stats().most >= 1 && stats().most <= SLOTS);
	EXPECT_EQ(stats().refused, 0u);
}

TEST(when_all_are_taken_it_is_refused)
{
	begin_busy();
	for (uint32_t i = 1; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -EAGAIN);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -EAGAIN);
	EXPECT_TRUE(stats().taken == SLOTS && stats().most == SLOTS && stats().refused == 2);
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(runs, SLOTS);
	EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	end(_metadata);
	EXPECT_EQ(runs, SLOTS + 1);
}

/* A caller that gets -EAGAIN tries again. On a pool that has ended it would try for ever. */
TEST(a_pool_that_is_shut_down_is_not_merely_full)
{
	begin_busy();
	for (uint32_t i = 1; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -ESHUTDOWN);
	EXPECT_EQ(stats().refused, 0u);
	flag_set(&door);
	end(_metadata);
	EXPECT_EQ(runs, SLOTS);
}

TEST(who_waits_helps)
{
	begin_busy();
	for (uint32_t i = 1; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	/*
	 * The worker stays inside its task, so this thread runs the queued functions: one for each
	 * slot that it needs.
	 */
	for (uint32_t i = 0; i < 10; i++) {
		EXPECT_EQ(nap_submit_wait(&submit, run, &runs, NAP_FOREVER), 0);
		EXPECT_EQ(nap_load_relaxed(&runs), i + 1);
	}
	EXPECT_EQ(stats().refused, 0u);
	flag_set(&door);
	end(_metadata);
	EXPECT_EQ(runs, SLOTS + 10);
}

TEST(or_waits_for_its_time)
{
	begin(SLOTS);
	for (uint32_t i = 0; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, stay, &runs), 0);
	while (nap_load_acquire(&nr_inside) < SLOTS)
		sched_yield();
	EXPECT_EQ(nap_submit_wait(&submit, run, &runs, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_submit_wait(&submit, run, &runs, 3000000), -ETIMEDOUT);
	EXPECT_EQ(runs, 0u);
	flag_set(&door);
	EXPECT_EQ(nap_submit_wait(&submit, run, &runs, NAP_FOREVER), 0);
	end(_metadata);
	EXPECT_EQ(runs, SLOTS + 1);
}

/* The submitter has memory for a few slots only: it touches the first one alone. */
TEST(there_may_be_as_many_as_the_header_says)
{
	struct nap_submitter most = NAP_SUBMIT_INIT(&pool, slots, NAP_SLOTS);

	begin(1);
	EXPECT_EQ(nap_submit(&most, run, &runs), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(runs == 1 && most.taken == 0);
}

static void submit_more(void *arg)
{
	uint32_t *left = arg;

	while (nap_load_relaxed(left)) {
		nap_fetch_sub_relaxed(left, 1);
		if (nap_submit_wait(&submit, run, &runs, NAP_FOREVER))
			abort();
	}
}

TEST(workers_may_wait_too)
{
	uint32_t left = 300;

	begin(1);
	EXPECT_EQ(nap_submit(&submit, submit_more, &left), 0);
	end(_metadata);
	EXPECT_EQ(runs, 300u);
}

TEST(a_pool_that_is_shut_down_refuses)
{
	begin(1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -ESHUTDOWN);
	EXPECT_EQ(nap_submit_wait(&submit, run, &runs, NAP_FOREVER), -ESHUTDOWN);
	EXPECT_EQ(stats().taken, 0u);
}

/* In a drain only threads outside the pool are refused. A full submitter says that it is full. */
static int err_when_full;

static void submit_until_full(void *arg)
{
	nap_fetch_add_release(&nr_inside, 1);
	flag_wait(&door);
	while (!(err_when_full = nap_submit(&submit, run, arg)))
		;
}

static void drain_with_a_worker_that_submits(struct __test_metadata *_metadata, nap_mark_fn mark)
{
	nr_inside = door = runs = 0;
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 0, 0, mark, NULL), 0);
	begin(1);
	EXPECT_EQ(nap_submit(&submit, submit_until_full, &runs), 0);
	while (!nap_load_acquire(&nr_inside))
		sched_yield();
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -ESHUTDOWN);
	flag_set(&door);
	end(_metadata);
	EXPECT_EQ(err_when_full, -EAGAIN);
	EXPECT_EQ(runs, SLOTS - 1);
	EXPECT_EQ(stats().refused, 1);
}

TEST(in_a_drain_a_worker_goes_on_with_submits)
{
	drain_with_a_worker_that_submits(_metadata, NULL);
	drain_with_a_worker_that_submits(_metadata, no_mark);
}

/* ---- the functions that a stopped pool leaves */

static uint32_t nr_ended;

static void ended(nap_submit_fn fn, void *arg)
{
	nr_ended += fn == run && arg == &runs;
}

TEST(what_is_left_gives_its_slots_back)
{
	struct nap_task other = NAP_TASK_INIT(count_run);
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy();
	for (uint32_t i = 1; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_schedule(&pool, &other), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap_submit_wait(&submit, run, &runs, NAP_FOREVER), -ESHUTDOWN);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_submit_end_left(&left, ended), SLOTS - 1u);
	EXPECT_TRUE(left.count == 1 && left.head == &other);
	EXPECT_EQ(nr_ended, SLOTS - 1u);
	EXPECT_EQ(runs, 1u);
	EXPECT_EQ(stats().taken, 0u);
}

TEST(what_is_left_need_not_be_told_of)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy();
	EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_submit_end_left(&left, NULL), 1u);
	EXPECT_TRUE(left.count == 0 && stats().taken == 0 && runs == 1);
}

/* ---- marks */

static uint32_t nr_high, nr_low;

static void marked(struct nap_submitter *s)
{
	if (s != &submit || s->arg != &runs)
		abort();
	nap_fetch_add_relaxed(nap_submit_is_high(s) ? &nr_high : &nr_low, 1);
}

TEST(the_marks_are_told_once_each_time)
{
	for (uint32_t round = 1; round <= 2; round++) {
		ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 3, 1, marked, &runs), 0);
		nr_inside = 0;
		nap_store_relaxed(&door, 0);
		nr_high = nr_low = 0;
		begin_busy();
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
		EXPECT_TRUE(nr_high == 0 && !nap_submit_is_high(&submit));
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
		EXPECT_TRUE(nr_high == 1 && nap_submit_is_high(&submit));
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
		EXPECT_EQ(nap_submit(&submit, run, &runs), -EAGAIN);
		EXPECT_TRUE(nr_high == 1 && nr_low == 0);
		flag_set(&door);
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_TRUE(nr_high == 1 && nr_low == 1 && !nap_submit_is_high(&submit));
		end(_metadata);
	}
}

TEST(one_that_is_refused_passes_no_mark)
{
	begin(1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	nr_high = nr_low = 0;
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 1, 0, marked, &runs), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -ESHUTDOWN);
	EXPECT_EQ(nap_submit_wait(&submit, run, &runs, NAP_FOREVER), -ESHUTDOWN);
	EXPECT_TRUE(nr_high == 0 && nr_low == 0 && stats().most == 0 && stats().taken == 0);
}

/*
 * @mark takes long, on the thread that has submitted a function. In that time the only worker waits
 * for the function's slot: it runs the function inside this wait, and then has the slot.
 */
static uint32_t nr_marked, nr_behind, in_mark;
static int waited = 1;

static void run_behind(void *arg)
{
	(void)arg;
	flag_set(&nr_behind);
}

static void mark_until_behind(struct nap_submitter *s)
{
	if (nap_fetch_add_relaxed(&nr_marked, 1) || !nap_submit_is_high(s))
		return;
	flag_set(&in_mark);
	flag_wait(&nr_behind);
}

static void wait_for_slot(struct nap_task *task)
{
	(void)task;
	flag_wait(&in_mark);
	waited = nap_submit_wait(&submit, run_behind, NULL, NAP_FOREVER);
	flag_set(&nr_behind);
}

TEST(nobody_waits_for_a_mark_to_return)
{
	struct nap_task task = NAP_TASK_INIT(wait_for_slot);

	begin(1);
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, 1, 1, 0, mark_until_behind, NULL), 0);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(waited == 0 && runs == 1);
	end(_metadata);
}

/* Uses @mark as a hook, which is called when a slot is free again. */
static void say_free(struct nap_submitter *s)
{
	if (!nap_submit_is_high(s))
		flag_set(&nr_behind);
}

static uint32_t all_are_there;

/* Gives its slot back when all slots are taken, but not before. */
static void stay_until_all_are_there(void *arg)
{
	flag_wait(&all_are_there);
	run(arg);
}

TEST(a_program_may_wait_for_a_slot_by_its_own_means)
{
	begin(2);
	all_are_there = 0;
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, SLOTS, SLOTS - 1, say_free, NULL),
		  0);
	EXPECT_EQ(nap_submit(&submit, stay, &runs), 0);
	for (uint32_t i = 1; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, stay_until_all_are_there, &runs), 0);
	flag_set(&all_are_there);
	flag_wait(&nr_behind);
	EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	flag_set(&door);
	end(_metadata);
	EXPECT_EQ(runs, SLOTS + 1);
}

/* ---- callers that only wait */

#define ORDERED	100u

static uint32_t nr_at_once, most_at_once, nr_begun, nr_out_of_turn;

static void run_in_turn(void *arg)
{
	uint32_t inside_now = nap_fetch_add_relaxed(&nr_at_once, 1) + 1;

	if (inside_now > nap_load_relaxed(&most_at_once))
		nap_store_relaxed(&most_at_once, inside_now);
	nr_out_of_turn += nap_fetch_add_relaxed(&nr_begun, 1) != (uint32_t)(uintptr_t)arg;
	sched_yield();
	nap_fetch_sub_relaxed(&nr_at_once, 1);
}

TEST(who_waits_only_leaves_all_to_the_worker)
{
	begin(1);
	for (uint32_t i = 0; i < ORDERED; i++)
		EXPECT_EQ(nap_submit_wait_only(&submit, run_in_turn, (void *)(uintptr_t)i,
					       NAP_FOREVER), 0);
	end(_metadata);
	EXPECT_TRUE(nr_begun == ORDERED && nr_out_of_turn == 0 && most_at_once == 1);
	EXPECT_EQ(nap_submit_wait_only(&submit, run, &runs, NAP_FOREVER), -ESHUTDOWN);
	EXPECT_EQ(nap_submit_wait_only(NULL, run, &runs, NAP_FOREVER), -EINVAL);
}

/* The worker is busy, and the caller waits without running the queued functions. */
TEST(who_waits_only_runs_nothing_that_is_queued)
{
	begin_busy();
	for (uint32_t i = 1; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_submit_wait_only(&submit, run, &runs, nap_deadline(3000000)), -ETIMEDOUT);
	EXPECT_EQ(nap_load_relaxed(&runs), 0u);
	flag_set(&door);
	end(_metadata);
	EXPECT_EQ(runs, SLOTS);
}

/* A queued function has the slot that the only worker waits for. */
static uint32_t runs_meanwhile;

static void wait_only(struct nap_task *task)
{
	(void)task;
	if (nap_submit(&submit, run, &runs))
		abort();
	waited = nap_submit_wait_only(&submit, run, &runs, nap_deadline(3000000));
	runs_meanwhile = nap_load_relaxed(&runs);
	flag_set(&nr_behind);
}

TEST(also_on_a_worker)
{
	struct nap_task task = NAP_TASK_INIT(wait_only);

	begin(1);
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, 1, 0, 0, NULL, NULL), 0);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	flag_wait(&nr_behind);
	EXPECT_TRUE(waited == -ETIMEDOUT && runs_meanwhile == 0);
	end(_metadata);
	EXPECT_EQ(runs, 1u);
}

/* ---- a number of slots that changes */

TEST(the_count_may_be_less_and_more)
{
	begin_busy();
	EXPECT_EQ(nap_submit_set_count(NULL, 1), -EINVAL);
	EXPECT_EQ(nap_submit_set_count(&submit, 0), -EINVAL);
	EXPECT_EQ(nap_submit_set_count(&submit, SLOTS + 1), -EINVAL);
	EXPECT_EQ(stats().count, SLOTS);
	EXPECT_EQ(nap_submit_set_count(&submit, 2), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -EAGAIN);
	EXPECT_EQ(nap_submit_set_count(&submit, 3), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -EAGAIN);
	/* Three slots are taken and one is allowed, so no function is accepted now. */
	EXPECT_EQ(nap_submit_set_count(&submit, 1), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), -EAGAIN);
	EXPECT_TRUE(stats().count == 1 && stats().taken == 3);
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_submit(&submit, run, &runs), 0);
	end(_metadata);
	EXPECT_EQ(runs, 4u);
}

static void *wait_outside(void *failed)
{
	if (nap_submit_wait_only(&submit, run, &runs, NAP_FOREVER))
		nap_fetch_add_relaxed((uint32_t *)failed, 1);
	return NULL;
}

/* The first function keeps its slot, so other functions get in only by the new number of slots. */
TEST(who_waits_is_told_when_it_rises)
{
	pthread_t threads[2];
	uint32_t failed = 0;

	begin(2);
	EXPECT_EQ(nap_submit_set_count(&submit, 1), 0);
	EXPECT_EQ(nap_submit(&submit, stay, &runs), 0);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, wait_outside, &failed), 0);
	while (nap_load_relaxed(&submit.taken) >> 32 < 2)
		sched_yield();
	EXPECT_EQ(nap_submit_set_count(&submit, SLOTS), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(failed, 0u);
	flag_set(&door);
	end(_metadata);
	EXPECT_EQ(runs, 3u);
}

/* ---- in a class */

TEST(what_is_submitted_may_be_of_a_class)
{
	static struct nap_classes classes = { .of = { [NAP_CLASS_BATCH] = { .weight = 1 },
						       [NAP_CLASS_NORMAL] = { .weight = 1 },
						       [NAP_CLASS_INTERACTIVE] = { .weight = 1 },
						       [NAP_CLASS_IDLE] = { .weight = 1 } } };
	static struct nap_submitter other = NAP_SUBMIT_INIT(&pool, slots, SLOTS);
	struct blocker b = BLOCKER_INIT;

	watchdog(&pool, 0);
	EXPECT_EQ(nap_submit_set_class(NULL, 0), -EINVAL);
	EXPECT_EQ(nap_submit_set_class(&other, NAP_CLASS_BATCH), -EINVAL);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1,
							     .classes = &classes }), 0);
	EXPECT_EQ(nap_submit_set_class(&other, NAP_CLASSES), -EINVAL);
	EXPECT_EQ(nap_submit_set_class(&other, NAP_CLASS_BATCH), 0);
	EXPECT_EQ(nap_schedule(&pool, &b.task), 0);
	flag_wait(&b.running);
	EXPECT_TRUE(inject_empty(&classes.of[NAP_CLASS_BATCH].queue));
	EXPECT_EQ(nap_submit(&other, run, &runs), 0);
	EXPECT_FALSE(inject_empty(&classes.of[NAP_CLASS_BATCH].queue));
	EXPECT_TRUE(inject_empty(&pool.inject));
	flag_set(&b.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(runs, 1u);
}

/* ---- several threads that submit and wait, and as many workers */

static void *submit_often(void *failed)
{
	for (int i = 0; i < 3000; i++)
		if (nap_submit_wait(&submit, run, &runs, NAP_FOREVER))
			nap_fetch_add_relaxed((uint32_t *)failed, 1);
	return NULL;
}

TEST(many_wait_for_few_slots)
{
	pthread_t threads[3];
	uint32_t failed = 0;

	begin(2);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, submit_often, &failed), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	end(_metadata);
	EXPECT_TRUE(failed == 0 && runs == 9000 && stats().most <= SLOTS);
}

TEST_HARNESS_MAIN
