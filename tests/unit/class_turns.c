/* SPDX-License-Identifier: MIT */
/*
 * The order in which a pool's classes are served (nap/class.h), and the workers that are
 * notified: under each idle protocol, step by step. The main thread plays all workers.
 */
#include "kit/class_take.h"
#include "sched/lend.h"
#include "sched/schedule.h"
#include "kit/class.h"
#include "worker/source.h"
#include "worker/queued.h"
#include "worker/registry.h"
#include "idle_steps.h"
#include "under.h"

static struct nap_classes classes;

static void begin_classes(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t workers,
			  const uint32_t *weights, const uint32_t *limits)
{
	struct nap_config config = { .max_workers = WORKERS, .idle = idle,
				     .yields = NAP_NO_YIELDS, .classes = &classes };

	for (int i = 0; i < NAP_CLASSES; i++)
		classes.of[i] = (struct nap_class){ .weight = weights[i],
						    .limit = limits ? limits[i] : 0 };
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, workers), 0);
}

FIXTURE_SETUP(under)
{
	static const uint32_t weights[NAP_CLASSES];

	self->idle = variant->idle;
	begin_classes(_metadata, variant->idle, WORKERS, weights, NULL);
}

/*
 * ---- tasks that count their runs. Each class is a party; the last party is the tasks without a
 * class
 */

enum { PARTIES = NAP_CLASSES + 1, MANY = 100 };
static struct counted {
	struct nap_task task;
	uint32_t party;
} many[PARTIES][MANY], hoppers[PARTIES];
static unsigned long served[PARTIES];
static struct nap_task *last_run;

static void count(struct nap_task *task)
{
	served[nap_container_of(task, struct counted, task)->party]++;
	last_run = task;
}

static void schedule_in(uint32_t party, struct nap_task *task)
{
	if (party == NAP_CLASSES ? nap_schedule(&pool, task) :
				   nap_class_schedule(&pool, party, task))
		abort();
}

static void queue_many(uint32_t party, int n)
{
	for (int i = 0; i < n; i++) {
		many[party][i].party = party;
		nap_task_init(&many[party][i].task, count);
		schedule_in(party, &many[party][i].task);
	}
}

/* Counts a run and reschedules the task, so that its party always has a task. */
static void hop(struct nap_task *task)
{
	count(task);
	schedule_in(nap_container_of(task, struct counted, task)->party, task);
}

static void begin_hopping(uint32_t party)
{
	hoppers[party].party = party;
	nap_task_init(&hoppers[party].task, hop);
	schedule_in(party, &hoppers[party].task);
}

static void forget_served(void)
{
	memset(served, 0, sizeof(served));
	last_run = NULL;
}

static bool step(struct nap_worker *worker)
{
	struct nap_worker *before = nap__self()->worker;
	struct nap_task *task;

	self_is(nap__self(), worker);
	task = nap__dequeue(worker);
	if (task)
		nap__run(worker, task);
	self_is(nap__self(), before);
	return task;
}

/* ---- shares */

static const uint32_t some_weights[][NAP_CLASSES] = {
	{ 8, 4, 2, 1 }, { 1, 1, 1, 1 }, { 255, 1, 1, 1 }, { 1, 255, 255, 255 }, { 0, 3, 7, 5 },
	{ 100, 10, 3, 1 },
};
#define SETS	(sizeof(some_weights) / sizeof(*some_weights))

static uint32_t weight_of(const uint32_t *weights, uint32_t party)
{
	uint32_t w = weights[party == NAP_CLASSES ? NAP_CLASS_NORMAL : party];

	return w ? w : 1;
}

static uint32_t sum_of(const uint32_t *weights)
{
	uint32_t sum = 0;

	for (uint32_t p = 0; p < PARTIES; p++)
		sum += weight_of(weights, p);
	return sum;
}

/* In as many dequeues as the sum of all weights, a party with weight w gets w of them. */
TEST_F(under, each_class_has_its_share)
{
	for (unsigned set = 0; set < SETS; set++) {
		const uint32_t *weights = some_weights[set];
		uint32_t sum = sum_of(weights);

		begin_classes(_metadata, self->idle, 1, weights, NULL);
		forget_served();
		for (uint32_t p = 0; p < PARTIES; p++)
			begin_hopping(p);
		for (uint32_t round = 1; round <= 2; round++) {
			for (uint32_t i = 0; i < sum; i++)
				ASSERT_TRUE(step(worker_at(0)));
			for (uint32_t p = 0; p < PARTIES; p++)
				EXPECT_EQ(served[p], round * weight_of(weights, p));
		}
	}
}

/* A party without tasks delays no other party, and is not served more often later. */
TEST_F(under, a_share_that_is_not_used_is_the_others)
{
	const uint32_t *weights = some_weights[0];

	begin_classes(_metadata, self->idle, 1, weights, NULL);
	forget_served();
	begin_hopping(NAP_CLASS_IDLE);
	for (int i = 0; i < 1000; i++)
		ASSERT_TRUE(step(worker_at(0)));
	EXPECT_EQ(served[NAP_CLASS_IDLE], 1000);
	begin_hopping(NAP_CLASS_INTERACTIVE);
	forget_served();
	for (int i = 0; i < 900; i++)
		ASSERT_TRUE(step(worker_at(0)));
	EXPECT_GE(served[NAP_CLASS_INTERACTIVE], 799);
	EXPECT_LE(served[NAP_CLASS_INTERACTIVE], 801);
	EXPECT_EQ(served[NAP_CLASS_INTERACTIVE] + served[NAP_CLASS_IDLE], 900);
}

/* ---- the bound */

#define GIVE_UP 100000u
static struct counted waited;

/*
 * Returns after how many dequeues a task of @party runs. The task is scheduled after @before
 * dequeues, behind @n tasks of its class.
 */
static unsigned long dequeues_until(uint32_t party, int before, int n)
{
	unsigned long dequeues = 0;

	for (uint32_t p = 0; p < PARTIES; p++)
		if (p != party)
			begin_hopping(p);
	for (int i = 0; i < before; i++)
		step(worker_at(0));
	queue_many(party, n);
	waited.party = party;
	nap_task_init(&waited.task, count);
	if (nap_class_schedule(&pool, party, &waited.task))
		abort();
	while (last_run != &waited.task && dequeues < GIVE_UP && step(worker_at(0)))
		dequeues++;
	return dequeues;
}

TEST_F(under, a_task_of_a_class_begins_within_its_bound)
{
	static const int befores[] = { 0, 1, 2, 7, 100 };
	static const int numbers[] = { 0, 1, 5 };

	for (unsigned set = 0; set < SETS; set++) {
		const uint32_t *weights = some_weights[set];

		for (uint32_t i = 0; i < NAP_CLASSES * 5 * 3; i++) {
			uint32_t c = i % NAP_CLASSES;
			int n = numbers[i / NAP_CLASSES % 3];
			unsigned long bound = NAP_CLASS_DEQUEUES(sum_of(weights),
								 weight_of(weights, c), n);
			unsigned long dequeues;

			begin_classes(_metadata, self->idle, 1, weights, NULL);
			forget_served();
			dequeues = dequeues_until(c, befores[i / NAP_CLASSES / 3], n);
			EXPECT_EQ(last_run, &waited.task);
			EXPECT_LE(dequeues, bound);
		}
	}
}

/* The worst case: the class has just been served, and then all other parties get tasks. */
TEST_F(under, the_bound_is_met_at_its_worst)
{
	static const uint32_t weights[NAP_CLASSES] = { 1, 1, 1, 1 };
	unsigned long dequeues;

	begin_classes(_metadata, self->idle, 1, weights, NULL);
	forget_served();
	queue_many(NAP_CLASS_IDLE, 1);
	ASSERT_TRUE(step(worker_at(0)));
	dequeues = dequeues_until(NAP_CLASS_IDLE, 0, 0);
	EXPECT_GE(dequeues, PARTIES);
	EXPECT_LE(dequeues, NAP_CLASS_DEQUEUES(PARTIES, 1, 0));
}

/*
 * Tasks without a class are served from the ring and from the injection queue, though every class
 * always has tasks.
 */
TEST_F(under, ordinary_tasks_have_their_turns_beside_classes)
{
	static struct nap_task hidden;
	unsigned long n = 0, bound = NAP_FAIR_DEQUEUES * PARTIES;

	begin_classes(_metadata, self->idle, 1, some_weights[1], NULL);
	forget_served();
	for (uint32_t p = 0; p < NAP_CLASSES; p++)
		begin_hopping(p);
	self_is(nap__self(), worker_at(0));
	queue_many(NAP_CLASSES, 100);
	self_is(nap__self(), NULL);
	nap_task_init(&hidden, run_nothing);
	inject_push(&pool.inject, &hidden, &hidden);
	while (!inject_empty(&pool.inject) && n++ <= bound)
		ASSERT_TRUE(step(worker_at(0)));
	EXPECT_LE(n, bound);
}

/* ---- order, and which worker takes which task */

TEST_F(under, a_class_is_first_in_first_out)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int i = 0; i < 4; i++) {
		nap_task_init(&tasks[i], run_nothing);
		nap_batch_push(&batch, &tasks[i]);
	}
	ASSERT_EQ(nap_class_schedule_batch(&pool, NAP_CLASS_BATCH, &batch), 0);
	EXPECT_EQ(batch.count, 0);
	EXPECT_EQ(nap_class_schedule_batch(&pool, NAP_CLASS_BATCH, &batch), 0);
	for (int i = 0; i < 4; i++) {
		struct nap_worker *w = worker_at(i % 2);

		ASSERT_EQ(nap__dequeue(w), &w->stand_in);
		EXPECT_EQ(w->classed.task, &tasks[i]);
	}
	EXPECT_EQ(nap__dequeue(worker_at(0)), NULL);
}

/* Another consumer holds the queue of a class: the worker takes from the other classes. */
TEST_F(under, a_queue_that_another_consumer_holds_is_passed_over)
{
	static const uint32_t weights[NAP_CLASSES] = { 1, 1, 1, 1 };
	struct nap__consumer consumer;

	for (uint32_t held = 0; held < NAP_CLASSES; held++) {
		begin_classes(_metadata, self->idle, 1, weights, NULL);
		forget_served();
		for (uint32_t p = 0; p < PARTIES; p++)
			queue_many(p, 2);
		ASSERT_TRUE(inject_lock(&classes.of[held].queue, &consumer));
		for (int i = 0; i < 2 * (PARTIES - 1); i++)
			ASSERT_TRUE(step(worker_at(0)));
		EXPECT_EQ(served[held], 0);
		EXPECT_FALSE(step(worker_at(0)));
		inject_unlock(&consumer);
		ASSERT_TRUE(step(worker_at(0)));
		ASSERT_TRUE(step(worker_at(0)));
		for (uint32_t p = 0; p < PARTIES; p++)
			EXPECT_EQ(served[p], 2);
	}
}

/* ---- what is due */

/* How often a worker has looked for what is due, and what it has found. */
static uint32_t nr_looks;
static struct nap_task *due;
static bool plays_due;

WRAP(struct nap_task *, nap__take_due, (struct nap_worker *worker, bool *more))
{
	struct nap_task *task = due;

	if (!plays_due)
		return __real_nap__take_due(worker, more);
	nr_looks++;
	due = NULL;
	return task;
}

/* At the end of each part of its dequeues, and before each class. */
TEST_F(under, a_worker_looks_for_what_is_due_once_a_part)
{
	enum { PART = 3 };
	struct nap_worker *worker = worker_at(0);
	struct nap_task is_due = NAP_TASK_INIT(run_nothing);

	plays_due = true;
	worker->part = PART;
	worker->since = 0;
	queue_many(0, 4 * PART);
	forget_served();
	for (uint32_t i = 1; i <= 2 * PART; i++) {
		ASSERT_TRUE(step(worker));
		EXPECT_EQ(nr_looks, i / PART);
	}
	EXPECT_EQ(served[0], 2 * PART);
	/* There was more than was run at once: the worker looks again. */
	worker->due_left = 1;
	due = &is_due;
	EXPECT_EQ(nap__dequeue(worker), &is_due);
	EXPECT_EQ(nr_looks, 3);
	ASSERT_TRUE(step(worker));
	EXPECT_EQ(nr_looks, 4);
	worker->due_left = 0;
	for (uint32_t i = 1; i <= PART; i++) {
		ASSERT_TRUE(step(worker));
		EXPECT_EQ(nr_looks, 4 + i / PART);
	}
}

/* ---- limits: which workers are notified, and that no notification is in vain */

static const uint32_t one_each[NAP_CLASSES] = { 1, 1, 1, 1 };

/*
 * Enters a class as worker 0, which then holds the permit. The calling thread plays other workers,
 * too, so its own list of permits is cleared.
 */
static void enter(struct __test_metadata *_metadata, struct nap__class_permit *permit)
{
	struct nap_worker *w = worker_at(0);

	ASSERT_EQ(nap__dequeue(w), &w->stand_in);
	nap__class_enter(w, permit);
	nap__self()->permits = NULL;
}

static void leave(struct nap__class_permit *permit)
{
	nap__self()->permits = &permit->permit;
	nap__class_leave(worker_at(0), permit);
}

static void schedule_class(struct __test_metadata *_metadata, uint32_t which, int t)
{
	nap_task_init(&tasks[t], run_nothing);
	ASSERT_EQ(nap_class_schedule(&pool, which, &tasks[t]), 0);
}

/* Begins with all workers except worker 0 asleep; worker 0 holds the only permit. */
static void begin_inside(struct __test_metadata *_metadata, enum nap_idle idle,
			 struct nap__class_permit *permit)
{
	begin_classes(_metadata, idle, WORKERS, one_each, one_each);
	source_link(&pool, KIND_CLASSES);
	inject_push(&classes.of[NAP_CLASS_BATCH].queue, &tasks[0], &tasks[0]);
	enter(_metadata, permit);
	for (uint32_t i = 1; i < WORKERS; i++) {
		ASSERT_GE(settle(i), 0);
		while (was_woken(i) && wake_up(i) == NAP_SEARCH)
			ASSERT_GE(settle(i), 0);
	}
	ASSERT_EQ(how_many_woken(), 0);
	ASSERT_EQ(classes.of[NAP_CLASS_BATCH].inside, 1);
}

TEST_F(under, what_no_place_is_left_for_wakes_nobody)
{
	struct nap__class_permit permit;

	begin_inside(_metadata, self->idle, &permit);
	schedule_class(_metadata, NAP_CLASS_BATCH, 1);
	EXPECT_EQ(how_many_woken(), 0);
	EXPECT_FALSE(nap__work_queued(&pool));
	EXPECT_TRUE(nap__anything_queued(&pool));
	EXPECT_EQ(nap__dequeue(worker_at(1)), NULL);
	schedule_class(_metadata, NAP_CLASS_IDLE, 2);
	EXPECT_EQ(how_many_woken(), 1);
	leave(&permit);
}

/*
 * A worker that leaves a class notifies no other worker, because it searches itself. If it then
 * finds a task of another class, it notifies another worker for the class that it has left.
 */
TEST_F(under, who_leaves_a_class_looks_for_more_of_it)
{
	struct nap__class_permit permit;
	struct nap_worker *w;

	begin_inside(_metadata, self->idle, &permit);
	w = worker_at(0);
	schedule_class(_metadata, NAP_CLASS_BATCH, 1);
	leave(&permit);
	EXPECT_EQ(how_many_woken(), 0);
	ASSERT_EQ(nap__dequeue(w), &w->stand_in);
	EXPECT_EQ(w->classed.task, &tasks[1]);
	EXPECT_EQ(how_many_woken(), 0);
	nap__class_enter(w, &permit);
	nap__self()->permits = NULL;
	schedule_class(_metadata, NAP_CLASS_BATCH, 2);
	EXPECT_EQ(how_many_woken(), 0);
	leave(&permit);
	/* The next task is of another class, whose pass is lower. */
	inject_push(&classes.of[NAP_CLASS_INTERACTIVE].queue, &tasks[3], &tasks[3]);
	ASSERT_EQ(nap__dequeue(w), &w->stand_in);
	EXPECT_EQ(w->classed.task, &tasks[3]);
	EXPECT_GE(how_many_woken(), 1);
}

/*
 * The next task has no class: another worker is notified for the class, if a permit is still free.
 */
TEST_F(under, one_that_goes_on_with_an_ordinary_task_notifies_for_the_class_that_it_has_left)
{
	for (uint32_t taken = 0; taken < 2; taken++) {
		struct nap__class_permit permit;

		begin_inside(_metadata, self->idle, &permit);
		schedule_class(_metadata, NAP_CLASS_BATCH, 1);
		inject_silently(2);
		leave(&permit);
		EXPECT_EQ(how_many_woken(), 0);
		nap_fetch_add_relaxed(&classes.of[NAP_CLASS_BATCH].inside, taken);
		ASSERT_EQ(nap__dequeue(worker_at(0)), &tasks[2]);
		EXPECT_EQ(how_many_woken() > 0, !taken);
	}
}

/*
 * The worker looks for more of the class once. Its later searches notify nobody because of classes.
 */
TEST_F(under, who_has_looked_for_more_of_a_class_notifies_of_no_other_class)
{
	struct nap__class_permit permit;
	struct nap_worker *w;

	begin_inside(_metadata, self->idle, &permit);
	w = worker_at(0);
	schedule_class(_metadata, NAP_CLASS_BATCH, 1);
	leave(&permit);
	enter(_metadata, &permit);
	leave(&permit);
	inject_push(&classes.of[NAP_CLASS_INTERACTIVE].queue, &tasks[2], &tasks[2]);
	inject_push(&classes.of[NAP_CLASS_IDLE].queue, &tasks[3], &tasks[3]);
	ASSERT_EQ(nap__dequeue(w), &w->stand_in);
	EXPECT_EQ(how_many_woken(), 0);
}

/* A thread that has slept goes on at once, though another one has taken its permit. */
TEST_F(under, only_a_permit_that_is_free_is_news)
{
	struct nap_class *class = &classes.of[NAP_CLASS_BATCH];
	struct nap__class_permit permit;

	begin_inside(_metadata, self->idle, &permit);
	nap__self()->permits = &permit.permit;
	nap__permits_move(true);
	EXPECT_EQ(class->inside, 0);
	/* the other thread's */
	nap_store_relaxed(&class->inside, 1);
	nap__permits_move(false);
	EXPECT_EQ(class->inside, 2);
	schedule_class(_metadata, NAP_CLASS_BATCH, 1);
	leave(&permit);
	EXPECT_EQ(class->inside, 1);
	EXPECT_FALSE(worker_at(0)->classed.owes);
	EXPECT_EQ(how_many_woken(), 0);
	/* The other thread is the last one to leave. */
	leave(&permit);
	EXPECT_EQ(class->inside, 0);
	EXPECT_TRUE(worker_at(0)->classed.owes);
}

/* The task of the class was nested: its thread goes on with what is around it, and looks later. */
TEST_F(under, one_that_leaves_a_class_inside_a_task_notifies_at_once)
{
	struct nap__class_permit permit;
	struct nap__outer outer;

	begin_inside(_metadata, self->idle, &permit);
	schedule_class(_metadata, NAP_CLASS_BATCH, 1);
	EXPECT_EQ(how_many_woken(), 0);
	nap__self()->outer = &outer;
	leave(&permit);
	nap__self()->outer = NULL;
	EXPECT_EQ(how_many_woken(), 1);
	EXPECT_FALSE(worker_at(0)->classed.owes);
}

/* A worker that owes a notification, and does something else first, gives it once. */
TEST_F(under, one_that_does_not_look_for_more_notifies_once)
{
	struct nap__class_permit permit;

	begin_inside(_metadata, self->idle, &permit);
	nap__sources_settle(worker_at(0));
	EXPECT_EQ(how_many_woken(), 0);
	schedule_class(_metadata, NAP_CLASS_BATCH, 1);
	nap__sources_settle(worker_at(0));
	EXPECT_EQ(how_many_woken(), 0);
	leave(&permit);
	EXPECT_TRUE(worker_at(0)->classed.owes);
	nap__sources_settle(worker_at(0));
	EXPECT_EQ(how_many_woken(), 1);
	EXPECT_FALSE(worker_at(0)->classed.owes);
}

/* Begins with workers from @first on asleep, and @n tasks of a class with @limit. */
static void begin_limited(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t first,
			  uint32_t limit, int n)
{
	const uint32_t limits[NAP_CLASSES] = { [NAP_CLASS_BATCH] = limit };

	begin_classes(_metadata, idle, WORKERS, one_each, limits);
	source_link(&pool, KIND_CLASSES);
	for (uint32_t i = first; i < WORKERS; i++) {
		ASSERT_GE(settle(i), 0);
		while (was_woken(i) && wake_up(i) == NAP_SEARCH)
			ASSERT_GE(settle(i), 0);
	}
	for (int t = 0; t < n; t++) {
		nap_task_init(&tasks[t], run_nothing);
		inject_push(&classes.of[NAP_CLASS_BATCH].queue, &tasks[t], &tasks[t]);
	}
	ASSERT_EQ(how_many_woken(), 0);
}

TEST_F(under, one_that_takes_a_task_notifies_if_another_may_be_taken)
{
	static const struct { uint32_t limit; int n; bool notifies; } table[] = {
		{ 0, 1, false }, { 0, 2, true }, { 1, 1, false }, { 1, 2, false },
		{ 2, 1, false }, { 2, 2, true }, { 2, 3, true },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		begin_limited(_metadata, self->idle, 1, table[i].limit, table[i].n);
		ASSERT_EQ(nap__dequeue(worker_at(0)), &worker_at(0)->stand_in);
		EXPECT_EQ(how_many_woken() > 0, table[i].notifies);
		EXPECT_EQ(classes.of[NAP_CLASS_BATCH].inside, table[i].limit > 0);
	}
}

/* Not more workers are woken for a batch than there are permits, or tasks. */
TEST_F(under, a_batch_wakes_no_more_than_may_run_it)
{
	for (uint32_t limit = 0; limit <= WORKERS; limit++) {
		for (uint32_t n = 1; n <= WORKERS; n++) {
			uint32_t most = limit && limit < n ? limit : n;
			struct nap_batch batch = NAP_BATCH_INIT;

			begin_limited(_metadata, self->idle, 0, limit, 0);
			for (uint32_t t = 0; t < n; t++) {
				nap_task_init(&tasks[t], run_nothing);
				nap_batch_push(&batch, &tasks[t]);
			}
			ASSERT_EQ(nap_class_schedule_batch(&pool, NAP_CLASS_BATCH, &batch), 0);
			EXPECT_GE(how_many_woken(), 1);
			EXPECT_LE(how_many_woken(), most);
		}
	}
}

/*
 * To a protocol that counts the workers that are awake, one of these is enough for a task in an
 * empty queue, and not for a task that comes after others.
 */
TEST_F(under, an_awake_worker_is_enough_for_one_queue_that_is_empty)
{
	for (int n = 0; n < 2; n++) {
		begin_limited(_metadata, self->idle, 1, 0, n);
		if (!idle_counts(&pool))
			SKIP(return, "the protocol does not count the workers that are awake");
		schedule_class(_metadata, NAP_CLASS_BATCH, 1);
		EXPECT_EQ(how_many_woken(), n);
	}
}

/* A waiter that sleeps holds no permit; a waiter that helps does. */
TEST_F(under, a_place_is_lent_while_its_holder_sleeps)
{
	struct nap__class_permit permit;

	begin_inside(_metadata, self->idle, &permit);
	schedule_class(_metadata, NAP_CLASS_BATCH, 1);
	nap__self()->permits = &permit.permit;
	nap__permits_move(true);
	EXPECT_EQ(classes.of[NAP_CLASS_BATCH].inside, 0);
	EXPECT_EQ(how_many_woken(), 1);
	EXPECT_TRUE(nap__work_queued(&pool));
	nap__permits_move(false);
	EXPECT_EQ(classes.of[NAP_CLASS_BATCH].inside, 1);
	/* A nested task of the class needs no further permit. */
	ASSERT_EQ(nap__dequeue(worker_at(0)), &worker_at(0)->stand_in);
	EXPECT_FALSE(worker_at(0)->classed.counted);
	EXPECT_EQ(classes.of[NAP_CLASS_BATCH].inside, 1);
	leave(&permit);
	EXPECT_EQ(classes.of[NAP_CLASS_BATCH].inside, 0);
}

/* Every start of a worker fails: a thread that waits or helps holds permits as any worker does. */
TEST_F(under, without_a_worker_who_waits_runs_classes)
{
	enum { N = 5 };

	starts_fail = true;
	begin_classes(_metadata, self->idle, 0, one_each, one_each);
	forget_served();
	for (uint32_t p = 0; p < PARTIES; p++)
		queue_many(p, N);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	for (uint32_t p = 0; p < PARTIES; p++) {
		EXPECT_EQ(served[p], N);
		queue_many(p, N);
	}
	EXPECT_EQ(nap_pool_help(&pool, 7), 7);
	EXPECT_EQ(nap_pool_help(&pool, 0), PARTIES * N - 7);
	queue_many(NAP_CLASS_IDLE, N);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(served[NAP_CLASS_IDLE], 3 * N);
	for (uint32_t c = 0; c < NAP_CLASSES; c++)
		EXPECT_EQ(classes.of[c].inside, 0);
}

/* ---- wrong values */

TEST(what_a_pool_refuses)
{
	struct nap_config config = { .max_workers = 1, .classes = &classes };
	struct nap_task task = NAP_TASK_INIT(run_nothing);
	struct nap_batch batch = NAP_BATCH_INIT;

	memset(&classes, 0, sizeof(classes));
	nap_batch_push(&batch, &task);
	classes.count = NAP_CLASSES + 1;
	EXPECT_EQ(nap_pool_init(&pool, &config), -EINVAL);
	classes.count = 2;
	classes.of[3].weight = NAP_CLASS_WEIGHT_MAX + 1;
	EXPECT_EQ(nap_pool_init(&pool, &config), -EINVAL);
	classes.of[3].weight = NAP_CLASS_WEIGHT_MAX;
	config.classes = (struct nap_classes *)(void *)((char *)&classes + 8);
	EXPECT_EQ(nap_pool_init(&pool, &config), -EINVAL);
	config.classes = &classes;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	EXPECT_EQ(nap_class_schedule(&pool, 2, &task), -EINVAL);
	EXPECT_EQ(nap_class_schedule(&pool, UINT32_MAX, &task), -EINVAL);
	EXPECT_EQ(nap_class_schedule(NULL, 0, &task), -EINVAL);
	EXPECT_EQ(nap_class_schedule(&pool, 0, NULL), -EINVAL);
	EXPECT_EQ(nap_class_schedule_batch(&pool, 2, &batch), -EINVAL);
	EXPECT_EQ(nap_class_schedule_batch(NULL, 0, &batch), -EINVAL);
	EXPECT_EQ(nap_class_schedule_batch(&pool, 0, NULL), -EINVAL);
	EXPECT_EQ(batch.count, 1);
	config.classes = NULL;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	EXPECT_EQ(nap_class_schedule(&pool, 0, &task), -EINVAL);
	EXPECT_EQ(nap_class_work(&pool, 0, NULL), -EINVAL);
}

/*
 * A static pool is not refused: values that are too high are cut to the largest weight and number
 * of classes.
 */
TEST(a_static_initialiser_gets_what_there_is)
{
	static struct nap_classes too_much = {
		{ { .weight = UINT32_MAX }, { .weight = 0 }, { .weight = 256 }, { .weight = 255 } },
		.count = 77,
	};
	static struct nap_pool made = NAP_POOL_INIT(.max_workers = 1, .classes = &too_much);

	EXPECT_EQ(class_count(&made), NAP_CLASSES);
	ASSERT_EQ(nap_pool_prewarm(&made, 1), 0);
	for (int i = 0; i < 4; i++) {
		nap_task_init(&tasks[i], run_nothing);
		ASSERT_EQ(nap_class_schedule(&made, i, &tasks[i]), 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		ASSERT_EQ(nap__dequeue(registry_at(&made, 0)),
			  &registry_at(&made, 0)->stand_in);
	}
	EXPECT_EQ(nap__dequeue(registry_at(&made, 0)), NULL);
}

/* A pool with one class gives tasks without a class the weight of that class. */
TEST(a_pool_with_one_class)
{
	struct nap_config config = { .max_workers = 1, .classes = &classes };

	memset(&classes, 0, sizeof(classes));
	classes.count = 1;
	classes.of[0].weight = 200;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	forget_served();
	queue_many(0, 100);
	queue_many(NAP_CLASSES, 100);
	for (int i = 0; i < 40; i++)
		ASSERT_TRUE(step(worker_at(0)));
	EXPECT_EQ(served[0], 20);
	EXPECT_EQ(served[NAP_CLASSES], 20);
}

TEST_HARNESS_MAIN
