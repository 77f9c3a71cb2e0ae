/* SPDX-License-Identifier: MIT */
/*
 * The crew of a loop (src/parallel/crew.h), whose caller is W0. Invariants: each half is run once,
 * on the worker that forked the half or on a thief; the caller returns after all parts, and sees
 * what they did; the child of a fork has each half once, too.
 */
#include "../forked.h"
#include "fork/ask.h"
#include "fork/fork.h"
#include "fork/jobs.h"
#include "parallel/crew.h"
#include "sync/latch.h"
#include "worker/source.h"
#include "pool_setup.h"

static const struct nap_loop usual = { .grain = 1 };
static struct nap__ranges ranges;
static struct crew crew;
static struct job job;			/* only its field "in" is used */
static int ran[2];

static struct nap_worker *begin_worker(uint32_t index)
{
	struct nap_worker *worker = registry_at(pool, index);

	self_is(nap__self(), worker);
	return worker;
}

static struct nap_worker *begin_loop(void)
{
	struct nap_worker *worker = begin_worker(0);

	job.in = JOB_IN;
	nap__crew_begin(&ranges, &crew, worker);
	return worker;
}

/* No part touches the loop once the caller has waited. */
static void end_loop(void)
{
	job.in = 0;
	ranges.crew = NULL;
	crew.event = NULL;
}

static void run_half(int half)
{
	CHECK(job.in == JOB_IN);
	ran[half]++;
}

static void setup_workers(uint32_t n)
{
	pool_new(3, 0);
	/* without yields an execution has a bounded length */
	pool->config.yields = NAP_NO_YIELDS;
	while (n--)
		pool_add_worker(0)->rest = 2;
	ranges = (struct nap__ranges){ .pool = pool, .how = &usual };
	ran[0] = ran[1] = 0;
}

/*
 * ---- a part of a part
 *
 * Here a half is a word, which says whether the half is offered, stolen, or neither: 1, 2 or 0.
 */

static struct nap_frame frames[2];
static uint32_t halves[2];

static void offer(int half)
{
	nap_store_release(&halves[half], 1);
}

/* Takes the half back. False: the half was stolen. */
static bool take_back(int half)
{
	return nap_cmpxchg_relaxed(&halves[half], 1, 0) == 1;
}

/* Joins the half: takes it back, or waits until the thief has left the frame. */
static void join_half(int half)
{
	if (take_back(half))
		return;
	while (nap_load_acquire(&frames[half].latch) != LATCH_SET)
		nap_cpu_relax();
}

/* Steals the half from @victim, if it is offered, and runs it as a part. */
static void steal_half(struct nap_worker *worker, int half, bool offers)
{
	if (nap_cmpxchg_acquire(&halves[half], 1, 2) != 1)
		return;
	worker->stolen_from = registry_at(pool, (uint32_t)half);
	CHECK(nap__part_open(&ranges, worker, &frames[half], 0, 1));
	run_half(half);
	if (offers) {
		offer(half + 1);
		join_half(half + 1);
	}
	nap__part_close(&ranges, worker);
}

static void caller(void *unused)
{
	struct nap_worker *worker = begin_loop();

	(void)unused;
	offer(0);
	join_half(0);
	CHECK(nap__crew_wait(&crew, worker));
	CHECK(ran[0] == (halves[0] == 2) && ran[1] == (halves[1] == 2));
	end_loop();
}

/* Steals the first half, and offers a half of it. */
static void thief(void *unused)
{
	(void)unused;
	steal_half(begin_worker(1), 0, true);
}

static void thiefs_thief(void *unused)
{
	(void)unused;
	steal_half(begin_worker(2), 1, false);
}

static void setup_halves(void)
{
	for (int i = 0; i < 2; i++) {
		frames[i].latch = LATCH_UNSET;
		halves[i] = 0;
	}
}

static void setup(void)
{
	setup_workers(3);
	setup_halves();
}

/* A test of [D3] in ordering.rst. */
CHECK_SCENARIO(loop_of_parts, .about = "a part of a part is over before the loop is",
	.setup = setup,
	.threads = { { caller, NULL, "W0" }, { thief, NULL, "W1" },
		     { thiefs_thief, NULL, "W2" } });

/* ---- the second thief's record is made while the caller waits, and steals from this thief */

static void new_thief(void *unused)
{
	struct nap_worker *worker = registry_at(pool, 2);

	(void)unused;
	worker->pool = pool;
	worker->index = 2;
	deque_init(&worker->deque, worker->frames, NAP_DEQUE_SIZE);
	self_is(nap__self(), worker);
	worker->record = RECORD_STARTED;
	steal_half(worker, 1, false);
}

static void setup_new(void)
{
	setup_workers(2);
	pool_count_worker();
	source_link(pool, KIND_JOBS);
	setup_halves();
}

/* A test of [L2] in ordering.rst. */
CHECK_SCENARIO(loop_new_thief, .about = "a caller steals from a part's worker that is new to it",
	.setup = setup_new,
	.threads = { { caller, NULL, "W0" }, { thief, NULL, "W1" }, { new_thief, NULL, "W2" } });

/* ---- a private half: W1 forces it out while the caller joins it */

/* The function of a half: src/parallel/ranges.c */
static void part_run(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)top;
	CHECK(nap__part_open(&ranges, worker, frame, 0, 1));
	run_half(0);
	nap__part_close(&ranges, worker);
	worker->frame_left = true;
}

static void private_caller(void *unused)
{
	struct nap_worker *worker = begin_loop();
	struct nap_frame *frame = fork_run(worker, part_run, NULL);

	(void)unused;
	if (nap__join_begun(worker, frame))
		run_half(0);
	/* so that the wait does not sleep, which loop_new_thief explores */
	while (nap_load_relaxed(&crew.open) != 1)
		nap_cpu_relax();
	CHECK(nap__crew_wait(&crew, worker));
	CHECK(ran[0] == 1);
	end_loop();
}

static void forcing_thief(void *unused)
{
	struct nap_worker *worker = begin_worker(1), *victim = registry_at(pool, 0);
	struct nap_task *stolen = NULL;
	bool more;

	(void)unused;
	if (nap__ask_one(victim))
		stolen = nap__steal_job(worker, victim, &more);
	if (stolen)
		nap__run(worker, stolen);
}

/* Setup: W0 keeps its half private, as after a leaf that forks a job and joins it. */
static void setup_private(void)
{
	struct nap__forks *forks;

	setup_workers(3);
	forks = &registry_at(pool, 0)->deque.forks;
	source_link(pool, KIND_JOBS);
	pool->forks = FORKS_SPLIT;
	forks->limit = forks->full;
	forks->split = forks->frames;
}

/* A test of [F3] in ordering.rst. */
CHECK_SCENARIO(loop_forced, .about = "a half is forced out while it is joined, and runs once",
	.setup = setup_private,
	.threads = { { private_caller, NULL, "W0" }, { forcing_thief, NULL, "W1" } });

/*
 * ---- the caller is the child of a fork, which came right after it had offered the half
 *
 * W1 is a thread of the parent, which does not change the child's copy of W1's list. So executions
 * are left out in which the child finds the list empty, and then the half in it.
 */

static void forked_caller(void *unused)
{
	struct nap_worker *worker = begin_loop(), *parents = registry_at(pool, 1);
	bool given_back;
	uint32_t listed;
	size_t begin, end;
	int in_child = 0;

	(void)unused;
	offer(0);
	nap_store_relaxed(&nap__fork_gen, 2);
	if (take_back(0))
		return;
	listed = nap_load_relaxed(&parents->nr_parts);
	given_back = !nap__latch_wait(worker, &frames[0], true);
	if (given_back) {
		nap__crew_hand_over(&ranges, 0, 1);
		in_child++;
	}
	if (!nap__crew_wait(&crew, worker)) {
		while (nap__crew_next(&ranges, &begin, &end)) {
			CHECK(begin == 0 && end == 1);
			in_child++;
		}
	}
	if (given_back)
		check_assume(nap_load_acquire(&parents->nr_parts) == listed &&
			     nap_load_relaxed(&frames[0].latch) != LATCH_SET);
	CHECK(in_child <= 1);
	/* If the child did not run the half, it has what the part did. */
	CHECK(in_child || ran[0] == 1);
}

static void parents_thief(void *unused)
{
	(void)unused;
	steal_half(begin_worker(1), 0, false);
}

/* A test of [D4] in ordering.rst. */
CHECK_SCENARIO(loop_forked, .about = "the child of a fork runs an open part, or has what it did",
	.setup = setup,
	.threads = { { forked_caller, NULL, "W0" }, { parents_thief, NULL, "W1" } });
