/* SPDX-License-Identifier: MIT */
/*
 * Nothing starves beside a worker that always has tasks (NAP_FAIR_DEQUEUES), under each idle
 * protocol. Step by step: the main thread plays all workers; all workers except one do nothing.
 */
#include <nap/fiber.h>

#include "sched/fair.h"
#include "async/async.h"
#include "async/io/io.h"
#include "fork/jobs.h"
#include "sched/schedule.h"
#include "idle_steps.h"
#include "under.h"

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
	begin(_metadata, variant->idle, WORKERS);
}

/*
 * The kinds of queues. The test puts a task into one of them, behind BEFORE others, and counts the
 * dequeues until it runs.
 */
enum queue { INJECTED, OVERFLOW, RING, JOBS, QUEUES };
enum { BEFORE = 2 };

#define GIVE_UP 100000u

/* ---- a worker that is always busy */

static struct nap_task hopper;
static bool has_run;

static void hop(struct nap_task *task)
{
	if (nap_schedule(&pool, task))
		abort();
}

static void hop_as(struct nap_worker *worker)
{
	struct nap_worker *before = nap__self()->worker;
	struct nap_task *task;

	self_is(nap__self(), worker);
	task = nap__dequeue(worker);
	if (!task)
		abort();
	nap__run(worker, task);
	self_is(nap__self(), before);
}

static void begin_hopping(struct nap_worker *worker)
{
	struct nap_worker *before = nap__self()->worker;

	self_is(nap__self(), worker);
	nap_task_init(&hopper, hop);
	hop(&hopper);
	self_is(nap__self(), before);
}

static void note(struct nap_task *task)
{
	(void)task;
	has_run = true;
}

static void note_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	has_run = true;
}

static void run_no_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
}

/* ---- queues */

/* Forks a public job as @worker. */
static void fork_one(struct nap_worker *worker, nap_job_fn run)
{
	struct nap_worker *before = nap__self()->worker;

	deque_ask(&worker->deque);
	self_is(nap__self(), worker);
	nap_fork(worker, nap_top(worker), run);
	self_is(nap__self(), before);
}

/* Puts the list @first .. @last into @queue. */
static void put(struct nap_worker *worker, enum queue queue, struct nap_task *first,
		struct nap_task *last)
{
	if (queue == INJECTED)
		inject_push(&pool.inject, first, last);
	else if (queue == OVERFLOW)
		overflow_push(&worker->overflow, first, last);
	else
		ring_push(&worker->ring, &first, last);
}

static bool is_empty(struct nap_worker *worker, enum queue queue)
{
	if (queue == INJECTED)
		return inject_empty(&pool.inject);
	if (queue == OVERFLOW)
		return overflow_empty(&worker->overflow);
	return queue == RING ? ring_count(&worker->ring) == 0 : !deque_has_public(&worker->deque);
}

static struct nap_task waiting[BEFORE + 2];

/* Queues tasks; the last one that comes out notes that it has run. */
static void queue_up(struct nap_worker *worker, enum queue queue)
{
	for (int i = 0; i <= BEFORE; i++) {
		nap_task_init(&waiting[i], i == BEFORE ? note : run_nothing);
		waiting[i].next = &waiting[i + 1];
		if (queue == JOBS)
			fork_one(worker, i == BEFORE ? note_job : run_no_job);
	}
	if (queue != JOBS)
		put(worker, queue, &waiting[0], &waiting[BEFORE]);
}

/*
 * Called before each search: puts a task into every empty queue, except queue @but of worker
 * @but_of and the jobs of worker @own.
 */
static void fill_others(uint32_t own, uint32_t but_of, enum queue but)
{
	static struct nap_task fill[WORKERS][QUEUES];

	for (uint32_t i = 0; i < WORKERS; i++) {
		for (enum queue q = INJECTED; q < QUEUES; q++) {
			struct nap_worker *w = worker_at(i);

			if ((q == but && (i == but_of || q == INJECTED)) || !is_empty(w, q) ||
			    (i == own && q == JOBS))
				continue;
			nap_task_init(&fill[i][q], run_nothing);
			if (q == JOBS)
				fork_one(w, run_no_job);
			else
				put(w, q, &fill[i][q], &fill[i][q]);
		}
	}
}

TEST_F(under, each_queue_of_each_worker_has_its_turn)
{
	for (uint32_t i = 0; i < WORKERS; i++) {
		for (enum queue q = INJECTED; q < QUEUES; q++) {
			bool soon = q == INJECTED || (i == 0 && q == OVERFLOW);
			unsigned long bound = NAP_FAIR_PERIOD * (BEFORE + 1);
			unsigned long hops = 0;

			begin(_metadata, self->idle, WORKERS);
				has_run = false;
			begin_hopping(worker_at(0));
			queue_up(worker_at(i), q);
			for (; !has_run && hops < GIVE_UP; hops++) {
				fill_others(0, i, q);
				hop_as(worker_at(0));
			}
			bound *= soon ? 1 : NAP__LOOKS * WORKERS;
			EXPECT_LE(hops, bound);
			if (hops > bound)
				TH_LOG("queue %d of worker %u: %lu dequeues", q, i, hops);
		}
	}
}

/*
 * Worker 0 moves tasks into its ring, again and again. A task waits in @queue. If @queue is the
 * injection queue, worker 0 moves tasks of worker 1; otherwise it moves injected tasks. Returns the
 * number of moves until the waiting task ran.
 */
static unsigned long move_and_wait(enum queue queue)
{
	static struct nap_task many[NAP_FAIR_DEQUEUES * NAP__LOOKS * WORKERS + NAP_RING_SIZE];
	enum { MANY = sizeof(many) / sizeof(many[0]) };
	unsigned long hops = 0;

	for (int i = 0; i < MANY; i++)
		many[i] = (struct nap_task){ &many[i + 1], run_nothing };
	put(worker_at(1), queue == INJECTED ? OVERFLOW : INJECTED, &many[0], &many[MANY - 1]);
	nap_task_init(&tasks[0], note);
	if (queue == JOBS)
		fork_one(worker_at(1), note_job);
	else
		put(worker_at(1), queue, &tasks[0], &tasks[0]);
	for (; !has_run && hops < MANY; hops++)
		hop_as(worker_at(0));
	return hops;
}

TEST_F(under, bulk_moves_put_off_a_turn_but_not_for_ever)
{
	for (enum queue q = INJECTED; q < QUEUES; q++) {
		unsigned long bound = NAP_FAIR_DEQUEUES, hops;

		begin(_metadata, self->idle, WORKERS);
		has_run = false;
		hops = move_and_wait(q);
		bound *= q == INJECTED ? 1 : NAP__LOOKS * WORKERS;
		EXPECT_LE(hops, bound);
		TH_LOG("queue %d: %lu dequeues", q, hops);
	}
}

/*
 * A tick that is due waits while the worker's own ring has tasks. But a joiner must not take a job
 * of its thief before the tick.
 */
TEST_F(under, a_turn_that_waits_is_due_for_who_takes_elsewhere)
{
	struct nap_worker *w;

	begin(_metadata, self->idle, WORKERS);
	w = worker_at(0);
	for (int t = 0; t < 3; t++)
		inject_silently(t);
	ASSERT_EQ(nap__dequeue(w), &tasks[0]);
	ASSERT_EQ(ring_count(&w->ring), 2);
	w->tick = FAIR_GAP - 1;
	w->behind = 0;
	EXPECT_TRUE(turn_waits(w));
	EXPECT_FALSE(before_turn(w));
	ASSERT_EQ(nap__dequeue(w), &tasks[1]);
	ASSERT_EQ(nap__dequeue(w), &tasks[2]);
	EXPECT_FALSE(turn_waits(w));
	EXPECT_FALSE(before_turn(w));
}

/* ---- guests */

/* A guest has no ring: its tasks schedule into the injection queue. */
static void hop_as_guest(struct nap_worker *guest, void *hops)
{
	begin_hopping(guest);
	schedule_as(1, 0, 1);
	nap_task_init(&tasks[0], note);
	for (; !has_run && *(unsigned long *)hops < GIVE_UP; ++*(unsigned long *)hops)
		hop_as(guest);
	if (ring_count(&guest->ring))
		abort();
	self_is(nap__self(), guest);
}

static void fork_as_guest(struct nap_worker *guest, void *hops)
{
	fork_one(guest, note_job);
	begin_hopping(worker_at(0));
	for (; !has_run && *(unsigned long *)hops < GIVE_UP; ++*(unsigned long *)hops)
		hop_as(worker_at(0));
	if (nap_join(guest, guest->frames))
		abort();
}

TEST_F(under, guests_have_their_turns_and_give_others_theirs)
{
	unsigned long hops = 0, bound = NAP_FAIR_PERIOD * NAP__LOOKS * (WORKERS + 1);

	ASSERT_EQ(nap_call(&pool, hop_as_guest, &hops), 0);
	EXPECT_LE(hops, bound);
	/* The hopper is still queued, so it is taken out. */
	nap_task_init(&hopper, run_nothing);
	ASSERT_EQ(nap__dequeue(worker_at(0)), &hopper);
	has_run = false;
	hops = 0;
	ASSERT_EQ(nap_call(&pool, fork_as_guest, &hops), 0);
	EXPECT_LE(hops, bound);
}

/* ---- a joiner and its thief */

static uint32_t given_up, nr_forked;

/* Forks the next job as worker 1, the thief, until the awaited task has run. */
static void fork_next(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	nr_forked++;
	given_up = nap_top(worker_at(1)) == deque_full(&worker_at(1)->deque);
	if (!has_run && !given_up)
		fork_one(worker_at(1), fork_next);
	else
		nap__run(worker_at(1), &worker_at(1)->stand_in);
}

/* Has worker 0 fork a job that worker 1 steals. Worker 1 goes on forking. Returns worker 0. */
static struct nap_worker *have_it_stolen(void)
{
	struct nap_worker *joiner = worker_at(0);
	bool more;

	has_run = false;
	nr_forked = 0;
	fork_one(joiner, run_no_job);
	if (!nap__steal_job(worker_at(1), joiner, &more))
		abort();
	joiner->frames[0].thief = worker_at(1)->index + 1;
	fork_one(worker_at(1), fork_next);
	return joiner;
}

static bool join_as(struct nap_worker *joiner)
{
	bool mine;

	self_is(nap__self(), joiner);
	mine = nap_join(joiner, joiner->frames);
	self_is(nap__self(), NULL);
	return mine;
}

TEST_F(under, a_thief_that_forks_for_ever_does_not_starve_what_its_joiner_has)
{
	for (enum queue q = INJECTED; q < JOBS; q++) {
		struct nap_worker *joiner;

		begin(_metadata, self->idle, WORKERS);
		joiner = have_it_stolen();
		nap_task_init(&tasks[0], note);
		put(joiner, q, &tasks[0], &tasks[0]);
		EXPECT_FALSE(join_as(joiner));
		EXPECT_TRUE(has_run);
		EXPECT_FALSE(given_up);
	}
}

/* A joiner delays no class; its jobs count as tasks without a class. */
TEST_F(under, a_thief_that_forks_for_ever_does_not_delay_a_class)
{
	for (uint32_t c = 0; c < NAP_CLASSES; c++) {
		struct nap_worker *joiner;

		begin_with_classes(_metadata, self->idle);
		joiner = have_it_stolen();
		nap_task_init(&tasks[0], note);
		ASSERT_EQ(nap_class_schedule(&pool, c, &tasks[0]), 0);
		EXPECT_FALSE(join_as(joiner));
		EXPECT_TRUE(has_run);
		EXPECT_LE(nr_forked, NAP_CLASS_DEQUEUES(NAP_CLASSES + 1, 1, 0) + 1);
	}
}

/* ---- a poll in passing */

static bool others_park;
static uint32_t nr_polls;
static uint64_t clock_at;

WRAP(uint64_t, nap__os_now, (void))
{
	return clock_at ? clock_at : __real_nap__os_now();
}

/*
 * Makes all workers except worker 0 park while worker 0 polls in passing. None of them becomes the
 * poller, and none of them polls in passing, too, because a poll has just begun.
 */
static void park_others(void)
{
	struct nap__io *io = async_io(pool_async(&pool));
	struct nap__files *files = nap_container_of(io, struct nap__files, io);

	nap_store_relaxed(&files->polled, nap__os_now() + 3600000000000u);
	for (uint32_t i = 1; i < WORKERS; i++)
		while (settle(i) >= 0 && was_woken(i))
			wake_up(i);
}

WRAP(int, nap__os_epoll_wait, (int epoll, struct nap__os_ready *ready, int most, uint64_t deadline))
{
	nr_polls++;
	if (others_park)
		park_others();
	others_park = false;
	return __real_nap__os_epoll_wait(epoll, ready, most, deadline);
}

static intptr_t wait_for_file(void *file)
{
	return nap_io_wait(*(int *)file, NAP_IO_READ, NAP_FOREVER);
}

/* The worker's next task may be long, so another worker has to become the poller. */
TEST_F(under, who_has_polled_in_passing_wakes_a_poller)
{
	struct nap_worker *busy = worker_at(0);
	int file = nap__os_eventfd_open();

	ASSERT_GE(file, 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, wait_for_file, &file), 0);
	hop_as(busy);
	begin_hopping(busy);
	hop_as(busy);
	others_park = true;
	busy->relied_on = false;
	self_is(nap__self(), busy);
	async_poll(pool_async(&pool), busy);
	self_is(nap__self(), NULL);
	EXPECT_FALSE(others_park);
	EXPECT_EQ(how_many_woken(), 1);
	EXPECT_TRUE(busy->relied_on);
	EXPECT_EQ(pool_async(&pool)->timers.poller, POLLER_NONE);
}

/* As in src/async/io/poll.c. */
enum { PASSING_NS = 20000 };

/* Each poll is a system call, so they are rare. */
TEST_F(under, who_has_polled_in_passing_does_so_again_after_a_while)
{
	struct nap_worker *busy = worker_at(0);
	int file = nap__os_eventfd_open();
	uint32_t before;

	ASSERT_GE(file, 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, wait_for_file, &file), 0);
	hop_as(busy);
	self_is(nap__self(), busy);
	clock_at = nap__os_now() + 1000000000u;
	before = nr_polls;
	async_poll(pool_async(&pool), busy);
	EXPECT_EQ(nr_polls, before + 1);
	clock_at += PASSING_NS - 1;
	async_poll(pool_async(&pool), busy);
	EXPECT_EQ(nr_polls, before + 1);
	clock_at++;
	async_poll(pool_async(&pool), busy);
	EXPECT_EQ(nr_polls, before + 2);
	self_is(nap__self(), NULL);
	clock_at = 0;
}

TEST_HARNESS_MAIN
