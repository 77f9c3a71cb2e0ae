/* SPDX-License-Identifier: MIT */
/*
 * Where a worker searches for work, and in which order, under each idle protocol. Step by step: the
 * main thread plays all workers; only a thief that forks while a joiner waits for it is a thread of
 * its own.
 */
#include <pthread.h>

#include "fork/jobs.h"
#include "worker/source.h"
#include "sched/schedule.h"
#include "sync/debug.h"
#include "fork/ask.h"
#include "forked.h"
#include "idle_steps.h"
#include "under.h"
#include "worker/exclusive.h"

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
	begin(_metadata, variant->idle, WORKERS);
}

/* A job that notes when it was run. */
struct mark {
	int run_as;		/* the job's place in the order of runs, from 0 on */
	bool searches;		/* its worker still counted as searching */
};

static uint32_t nr_marked;

static void note_mark(struct nap_worker *worker, struct nap_frame *top, struct mark *mark)
{
	(void)top;
	mark->searches = worker->relied_on;
	mark->run_as = (int)nap_fetch_add_release(&nr_marked, 1);
}

NAP_JOB_VOID(note_mark, struct mark *)

/* Forks a public job as @worker, whose deque is empty. */
static void fork_as(struct nap_worker *worker, struct mark *mark, nap_job_fn run)
{
	deque_ask(&worker->deque);
	self_is(nap__self(), worker);
	fork_run(worker, run, mark);
	if (!deque_has_public(&worker->deque))
		abort();
	self_is(nap__self(), NULL);
}

/* Joins as @worker; false: the job was stolen and has been run. */
static bool join_as(struct nap_worker *worker)
{
	bool mine;

	self_is(nap__self(), worker);
	mine = nap_join(worker, worker->frames);
	self_is(nap__self(), NULL);
	return mine;
}

/* Resets the tick of worker @i, so that it searches in the order of src/sched/search.c. */
static void no_turn_soon(uint32_t i)
{
	worker_at(i)->tick = worker_at(i)->behind = 0;
}

static struct nap_task *take_as(uint32_t i)
{
	struct nap_task *task = nap__dequeue(worker_at(i));

	if (task)
		nap__run(worker_at(i), task);
	return task;
}

TEST_F(under, own_work_first_and_then_as_the_table_says)
{
	bool others_first = idle_ops(&pool)->others_first;
	struct nap_worker *w = worker_at(0);
	struct mark mark;

	inject_silently(0);
	schedule_as(1, 1, 1);
	nap_task_init(&tasks[2], run_nothing);
	overflow_push(&w->overflow, &tasks[2], &tasks[2]);
	schedule_as(0, 3, 1);
	fork_as(w, &mark, note_mark_run);

	EXPECT_EQ(take_as(0), &w->stand_in);
	EXPECT_EQ(nr_marked, 1);
	EXPECT_EQ(take_as(0), &tasks[3]);
	EXPECT_EQ(take_as(0), &tasks[2]);
	EXPECT_EQ(take_as(0), &tasks[others_first ? 1 : 0]);
	EXPECT_EQ(take_as(0), &tasks[others_first ? 0 : 1]);
	EXPECT_EQ(take_as(0), NULL);
	EXPECT_FALSE(join_as(w));
}

TEST_F(under, only_what_was_found_elsewhere_is_counted_as_stolen)
{
	struct nap_worker *w = worker_at(0);

	for (uint32_t n = 0; n < 2 * NAP__TURNS * NAP__LOOKS * WORKERS; n++) {
		w->tick = n % 2 ? NAP_FAIR_PERIOD : 0;
		w->behind = 0;
		ASSERT_EQ(take_as(0), NULL);
	}
	EXPECT_EQ(w->stats.stolen, 0);
	schedule_as(1, 1, 1);
	no_turn_soon(0);
	EXPECT_EQ(take_as(0), &tasks[1]);
	EXPECT_EQ(w->stats.stolen, 1);
}

/* ---- the worker with which a search begins */

enum { SEARCHES = 300 };

/*
 * Every other worker has one task, with the worker's number. The matrix counts how often a search
 * stole from worker b right after worker a.
 */
TEST_F(under, begins_where_it_stopped_or_anywhere)
{
	unsigned follows[WORKERS][WORKERS] = { 0 };
	uint32_t last = 0;

	for (uint32_t i = 1; i < WORKERS; i++)
		schedule_as(i, (int)i, 1);
	for (int n = 0; n < SEARCHES; n++) {
		struct nap_task *task;
		uint32_t i;

		no_turn_soon(0);
		task = take_as(0);
		i = (uint32_t)(task - tasks);
		ASSERT_NE(task, NULL);
		follows[last][i] += n > 0;
		last = i;
		schedule_as(i, (int)i, 1);
	}
	/* The youngest worker comes first in the registry. */
	for (uint32_t a = 1; a < WORKERS; a++) {
		for (uint32_t b = 1; b < WORKERS; b++) {
			if (idle_ops(&pool)->random) {
				EXPECT_GT(follows[a][b], 0);
			} else if (b == (a == 1 ? WORKERS - 1 : a - 1)) {
				EXPECT_GE(follows[a][b], SEARCHES / 3 - 1);
			} else {
				EXPECT_EQ(follows[a][b], 0);
			}
		}
	}
}

/* The numbers are those of the published generator, whose period is known. */
TEST_F(under, draws_the_published_numbers)
{
	struct nap_worker *w = worker_at(0);

	if (!idle_ops(&pool)->random)
		SKIP(return, "this protocol draws no numbers");
	w->random = 0x0123456789abcdef;
	no_turn_soon(0);
	EXPECT_EQ(take_as(0), NULL);
	EXPECT_EQ(w->random, 0xa69cf1e9aa4d68fc);
}

/* ---- tasks that were moved in bulk, and the tasks that a fairness tick takes */

/* BULK: the first task, and at most half a ring of other tasks. */
enum { BULK = NAP_RING_SIZE < 20 ? NAP_RING_SIZE / 2 + 1 : 10, YOUNGER = BULK, OF_ANOTHER, NEW };

/* Has worker 0 move tasks[1 .. BULK) into its ring, in bulk. */
static void move_in_bulk(struct __test_metadata *_metadata)
{
	for (int t = 0; t < BULK; t++)
		inject_silently(t);
	ASSERT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
	ASSERT_EQ(ring_count(&worker_at(0)->ring), BULK - 1);
}

TEST_F(under, no_turn_comes_before_what_was_moved_in_bulk)
{
	for (enum nap__turn turn = TURN_INJECT; turn < NAP__TURNS; turn++) {
		struct nap_worker *w;

		begin(_metadata, self->idle, WORKERS);
		w = worker_at(0);
		move_in_bulk(_metadata);
		inject_silently(YOUNGER);
		schedule_as(1, OF_ANOTHER, 1);
		schedule_as(0, NEW, 1);
		w->tick = NAP_FAIR_PERIOD;
		w->behind = 0;
		w->turn = (uint8_t)turn;
		w->next_look = worker_at(1);
		w->look = LOOK_RING;
		for (int t = 1; t < BULK; t++)
			EXPECT_EQ(nap__dequeue(w), &tasks[t]);
		EXPECT_EQ(nap__dequeue(w), &tasks[turn == TURN_INJECT ? YOUNGER :
						  turn == TURN_ALL ? OF_ANOTHER : NEW]);
	}
}

/* Thieves take the bulk, and what else the worker schedules, while it is in one task for long. */
TEST_F(under, a_bulk_that_was_taken_is_gone_however_far_the_ring_goes_on)
{
	static const uint32_t far[] = { 0, 1u << 30, 1u << 31, 3u << 30, -(4u * NAP_RING_SIZE) };

	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		struct nap_worker *w;

		begin(_metadata, self->idle, WORKERS);
		w = worker_at(0);
		move_in_bulk(_metadata);
		w->ring.tail += far[i];
		w->ring.head = w->ring.tail;
		inject_silently(YOUNGER);
		schedule_as(0, NEW, 1);
		w->tick = NAP_FAIR_PERIOD;
		w->behind = 0;
		w->turn = TURN_INJECT;
		EXPECT_EQ(nap__dequeue(w), &tasks[YOUNGER]);
		EXPECT_EQ(nap__dequeue(w), &tasks[NEW]);
	}
}

/* Schedules more tasks as worker 0 than its ring has room for. Returns how many have overflowed. */
static uint64_t schedule_many(void)
{
	static struct nap_task many[NAP_RING_SIZE];

	self_is(nap__self(), worker_at(0));
	for (int i = 0; i < NAP_RING_SIZE; i++) {
		nap_task_init(&many[i], run_nothing);
		if (nap_schedule(&pool, &many[i]))
			abort();
	}
	self_is(nap__self(), NULL);
	return worker_at(0)->stats.overflowed;
}

/* In the overflow a task that was moved in bulk would come after later tasks, again and again. */
TEST_F(under, what_was_moved_in_bulk_does_not_overflow)
{
	struct nap_worker *w = worker_at(0);

	move_in_bulk(_metadata);
	EXPECT_EQ(schedule_many(), BULK - 1);
	inject_silently(YOUNGER);
	w->tick = NAP_FAIR_PERIOD;
	w->behind = 0;
	for (int t = 1; t < BULK; t++)
		EXPECT_EQ(nap__dequeue(w), &tasks[t]);
	EXPECT_EQ(nap__dequeue(w), &tasks[YOUNGER]);
}

TEST_F(under, what_has_overflowed_does_not_overflow_again)
{
	struct nap_worker *w = worker_at(0);

	for (int t = 0; t < BULK; t++) {
		nap_task_init(&tasks[t], run_nothing);
		overflow_push(&w->overflow, &tasks[t], &tasks[t]);
	}
	ASSERT_NE(nap__dequeue(w), NULL);
	ASSERT_EQ(ring_count(&w->ring), BULK - 1);
	EXPECT_EQ(schedule_many(), BULK - 1);
	/* The tasks come in the order of the overflow's kind, which another test checks. */
	for (int t = 1; t < BULK; t++) {
		no_turn_soon(0);
		EXPECT_LT((size_t)(nap__dequeue(w) - tasks), BULK);
	}
}

/* ---- how many injected tasks are taken, and how soon again */

/* Injects @n tasks, and takes them as worker 0. */
static void inject_and_take(struct __test_metadata *_metadata, int n)
{
	struct nap_worker *w = worker_at(0);

	for (int t = 0; t < n; t++)
		inject_silently(t);
	for (int t = 0; t < n; t++) {
		no_turn_soon(0);
		ASSERT_EQ(nap__dequeue(w), &tasks[t]);
	}
}

/*
 * A worker that gets few injected tasks twice in a row pauses, so that more tasks gather. After
 * pauses in vain it pauses less often.
 */
TEST_F(under, who_gets_little_of_the_injected_lets_it_gather)
{
	struct nap_worker *w = worker_at(0);
	bool gulps = NAP_RING_SIZE / 2 >= 16;

	for (unsigned times = 0; times < 3; times++) {
		for (unsigned sips = 0; sips < 2u << times; sips++) {
			EXPECT_EQ(w->sips, sips);
			EXPECT_EQ(w->in_vain, times);
			inject_and_take(_metadata, 1);
		}
		inject_and_take(_metadata, 1);
	}
	EXPECT_EQ(w->in_vain, 3);
	inject_and_take(_metadata, 1);
	EXPECT_EQ(w->sips, 1);
	no_turn_soon(0);
	EXPECT_EQ(nap__dequeue(w), NULL);
	EXPECT_EQ(w->sips, 0);
	if (gulps) {
		inject_and_take(_metadata, 16);
		EXPECT_EQ(w->in_vain, 0);
		EXPECT_EQ(w->sips, 0);
	}
}

/* ---- a joiner and its thief */

/*
 * A job that the thief runs. It gives one job to every worker except the joiner, and ends when all
 * these jobs have run.
 */
static struct mark marks[WORKERS];
static uint32_t have_jobs;

static void have_jobs_and_wait(struct nap_worker *thief, struct nap_frame *top, struct mark *unused)
{
	(void)top;
	(void)unused;
	for (uint32_t i = 1; i < WORKERS; i++)
		fork_as(worker_at(i), &marks[i], note_mark_run);
	nap_store_release(&have_jobs, 1);
	while (nap_load_acquire(&nr_marked) < WORKERS - 1)
		nap__os_yield();
	for (uint32_t i = 1; i < WORKERS; i++)
		if (join_as(worker_at(i)))
			abort();
	self_is(nap__self(), thief);
}

NAP_JOB_VOID(have_jobs_and_wait, struct mark *)

/* The victim probably has more jobs soon; and its exclusive execution ends with the job. */
static void *steal_as(void *thief)
{
	bool more = false;
	struct nap_task *stolen = nap__steal_job(thief, worker_at(0), &more);

	if (!stolen || !more)
		abort();
	self_is(nap__self(), thief);
	nap__run(thief, stolen);
	if (is_exclusive() || ((struct nap_worker *)thief)->exclusive)
		abort();
	self_is(nap__self(), NULL);
	return NULL;
}

static void join_what_is_stolen(struct __test_metadata *_metadata, bool has_classes)
{
	for (int round = 0; round < 4 * (WORKERS - 1); round++) {
		uint32_t thief = 1 + (uint32_t)round % (WORKERS - 1);
		pthread_t thread;

		nr_marked = have_jobs = 0;
		if (has_classes)
			worker_at(0)->tick = 0;
		else
			no_turn_soon(0);
		fork_as(worker_at(0), NULL, have_jobs_and_wait_run);
		ASSERT_EQ(pthread_create(&thread, NULL, steal_as, worker_at(thief)), 0);
		while (!nap_load_acquire(&have_jobs))
			nap__os_yield();
		ASSERT_FALSE(join_as(worker_at(0)));
		pthread_join(thread, NULL);
		/* Nothing of this join is left for the next one. */
		EXPECT_EQ(worker_at(0)->frames[0].thief, 0);
		EXPECT_EQ(worker_at(0)->joins, NULL);
		EXPECT_EQ(nr_marked, WORKERS - 1);
		EXPECT_EQ(marks[thief].run_as, 0);
	}
}

TEST_F(under, a_joiner_takes_its_thiefs_jobs_before_those_of_others)
{
	join_what_is_stolen(_metadata, false);
}

TEST_F(under, with_classes_a_joiner_does_so_too)
{
	/* Without a libc this call makes the program have classes: src/worker/source.h. */
	ASSERT_EQ(nap_class_schedule(&pool, 0, NULL), -EINVAL);
	begin_with_classes(_metadata, self->idle);
	source_link(&pool, KIND_CLASSES);	/* as the first task of a class does */
	join_what_is_stolen(_metadata, true);
	/* A worker that joins nothing has no thief. */
	worker_at(0)->tick = 0;
	EXPECT_EQ(nap__dequeue(worker_at(0)), NULL);
}

/* A build may have another protocol in place of Sync: IDLE= of the Makefile. */
#define BEGIN_UNDER_SYNC(workers)							\
	begin(_metadata, NAP_IDLE_SYNC, workers);					\
	if (idle_protocol(&pool) != NAP_IDLE_SYNC)					\
		SKIP(return, "this build has another protocol in place of Sync")

/*
 * A joiner that has slept and was woken is searching, and producers rely on it. When it takes a job
 * of its thief they no longer do.
 */
TEST(under_sync_a_joiner_that_takes_its_thiefs_job_has_stopped_searching)
{
	pthread_t thread;

	BEGIN_UNDER_SYNC(WORKERS);
	no_turn_soon(0);
	fork_as(worker_at(0), NULL, have_jobs_and_wait_run);
	ASSERT_EQ(pthread_create(&thread, NULL, steal_as, worker_at(1)), 0);
	while (!nap_load_acquire(&have_jobs))
		nap__os_yield();
	nap__idle_notify(&pool);
	ASSERT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
	ASSERT_TRUE(worker_at(0)->relied_on);
	ASSERT_FALSE(join_as(worker_at(0)));
	pthread_join(thread, NULL);
	EXPECT_EQ(marks[1].run_as, 0);
	EXPECT_FALSE(marks[1].searches);
}

/* ---- a joiner in exclusive execution, which runs only its thief's jobs */

/* Forks as @worker. No other worker asks for jobs, so the job stays private. */
static void fork_privately(struct nap_worker *worker, struct mark *mark)
{
	source_link(worker->pool, KIND_JOBS);
	nap_store_relaxed(&worker->deque.forks.limit, deque_full(&worker->deque));
	self_is(nap__self(), worker);
	note_mark_fork(worker, nap_top(worker), mark);
	self_is(nap__self(), NULL);
}

static void until_joiner_sleeps(void)
{
	while (nap_load_relaxed(&worker_at(0)->frames[0].latch) != LATCH_SLEEPING)
		nap__os_yield();
}

/* Forks a private job, and waits until another worker has run this job: only the joiner can. */
static void fork_and_wait(struct nap_worker *thief, struct nap_frame *top, bool *late)
{
	(void)top;
	nap_store_release(&have_jobs, 1);
	if (*late)
		until_joiner_sleeps();
	fork_privately(thief, &marks[0]);
	while (!nap_load_acquire(&nr_marked))
		nap__os_yield();
	if (join_as(thief))
		abort();
	self_is(nap__self(), thief);
}

NAP_JOB_VOID(fork_and_wait, bool *)

static bool join_exclusively(void)
{
	bool before, mine;

	self_is(nap__self(), worker_at(0));
	before = exclusive_begin();
	mine = nap_join(worker_at(0), worker_at(0)->frames);
	exclusive_end(before);
	self_is(nap__self(), NULL);
	return mine;
}

TEST_F(under, a_joiner_that_runs_nothing_else_asks_its_thief_again_and_again)
{
	SKIP_WITHOUT_PRIVATE_FORKS();
	for (int round = 0; round < 4; round++) {
		bool late = round % 2;
		pthread_t thread;

		nr_marked = have_jobs = 0;
		deque_ask(&worker_at(0)->deque);
		self_is(nap__self(), worker_at(0));
		nap_store_relaxed(&worker_at(0)->exclusive, true);
		fork_run(worker_at(0), fork_and_wait_run, &late);
		self_is(nap__self(), NULL);
		ASSERT_EQ(pthread_create(&thread, NULL, steal_as, worker_at(1)), 0);
		while (!nap_load_acquire(&have_jobs))
			nap__os_yield();
		ASSERT_FALSE(join_exclusively());
		pthread_join(thread, NULL);
		EXPECT_EQ(nr_marked, 1);
	}
}

/* ---- a joiner whose pool was stopped */

static bool was_mine;

/* Forks a public job; takes it back when the joiner has nothing else to do than to sleep. */
static void fork_and_take_back(struct nap_worker *thief, struct nap_frame *top, struct mark *mark)
{
	(void)top;
	fork_as(thief, mark, note_mark_run);
	nap_store_release(&have_jobs, 1);
	while (nap_load_relaxed(&worker_at(0)->frames[0].latch) != LATCH_SLEEPING &&
	       !nap_load_acquire(&nr_marked))
		nap__os_yield();
	was_mine = join_as(thief);
	self_is(nap__self(), thief);
}

NAP_JOB_VOID(fork_and_take_back, struct mark *)

TEST_F(under, behind_a_stop_a_joiner_takes_no_job_of_its_thief)
{
	pthread_t thread;

	nr_marked = have_jobs = 0;
	no_turn_soon(0);
	fork_as(worker_at(0), &marks[0], fork_and_take_back_run);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, steal_as, worker_at(1)), 0);
	while (!nap_load_acquire(&have_jobs))
		nap__os_yield();
	ASSERT_FALSE(join_as(worker_at(0)));
	pthread_join(thread, NULL);
	EXPECT_TRUE(was_mine);
}

/* ---- a worker that goes to sleep, and has asked all other workers for jobs */

/* Only Sync is tested: under the other protocols a worker that has found a job always notifies. */
TEST(under_sync_who_sees_the_jobs_of_two_tells_another)
{
	for (uint32_t forkers = 1; forkers <= 2; forkers++) {
		uint32_t reasons = 0;
		struct nap_worker *w;

		BEGIN_UNDER_SYNC(WORKERS - 1);
		SKIP_WITHOUT_PRIVATE_FORKS();
		nap_store_relaxed(&pool.forks, FORKS_SPLIT);
		w = worker_at(0);
		for (uint32_t i = 1; i <= forkers; i++)
			fork_privately(worker_at(i), &marks[i]);
		while (!w->relied_on) {
			ASSERT_EQ(nap__park(w, UINT64_MAX, &reasons), NAP_SEARCH);
			if (!w->relied_on)
				ASSERT_EQ(nap__dequeue(w), NULL);
		}
		/* Two jobs were found, so one worker more was started; for one job none was. */
		EXPECT_EQ(nap_load_relaxed(&pool.nr_records), WORKERS - 2 + forkers);
		for (uint32_t i = forkers; i; i--)
			EXPECT_TRUE(join_as(worker_at(i)));
	}
}

/*
 * A joiner on its way to sleep sees a job, and its wait is over before it takes the job. A worker
 * that went to sleep at the same time may have left the job to the joiner.
 */
TEST(under_sync_who_sees_a_job_and_takes_none_tells_another)
{
	uint32_t reasons = 0;
	struct nap_worker *w;

	BEGIN_UNDER_SYNC(WORKERS);
	SKIP_WITHOUT_PRIVATE_FORKS();
	nap_store_relaxed(&pool.forks, FORKS_SPLIT);
	w = worker_at(0);
	ASSERT_GE(settle(1), 0);
	ASSERT_GE(settle(2), 0);
	fork_privately(worker_at(3), &marks[3]);
	do {
		ASSERT_EQ(nap__park(w, UINT64_MAX, &reasons), NAP_SEARCH);
	} while (!deque_has_public(&worker_at(3)->deque));
	ASSERT_EQ(how_many_woken(), 0);
	nap__idle_stop_search(w, false);
	EXPECT_EQ(how_many_woken(), 1);
	EXPECT_TRUE(join_as(worker_at(3)));
}

/* ---- guests */

/*
 * A guest has a job, and every worker except the first has one. The first worker takes all these
 * jobs.
 */
static void race_with_workers(struct nap_worker *guest, void *first)
{
	struct nap_worker *from[WORKERS];

	nr_marked = 0;
	for (uint32_t i = 0; i < WORKERS; i++) {
		from[i] = i ? worker_at(i) : guest;
		fork_as(from[i], &marks[i], note_mark_run);
	}
	for (uint32_t i = 0; i < WORKERS; i++)
		if (!take_as(0))
			abort();
	for (uint32_t i = 0; i < WORKERS; i++)
		if (join_as(from[i]))
			abort();
	*(bool *)first = marks[0].run_as == 0;
	self_is(nap__self(), guest);
}

TEST_F(under, the_jobs_of_guests_come_before_those_of_workers)
{
	for (int round = 0; round < 12; round++) {
		bool first = false;

		/*
		 * A search begins at the last victim. Worker 0 steals from worker WORKERS - 1
		 * first, so that this victim is not the guest.
		 */
		schedule_as(WORKERS - 1, 0, 1);
		ASSERT_EQ(take_as(0), &tasks[0]);
		ASSERT_EQ(nap_call(&pool, race_with_workers, &first), 0);
		EXPECT_TRUE(first);
	}
}

TEST_HARNESS_MAIN
