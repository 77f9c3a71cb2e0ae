/* SPDX-License-Identifier: MIT */
/*
 * The deque of src/queue/deque.h with the fast paths of nap/fork.h. The owner forks and joins
 * jobs, thieves claim public jobs, and a thief may force private jobs out. Invariant: every job
 * runs once, on the owner or on a thief, and the joiner sees what the job wrote.
 *
 * The slow paths are those of src/fork/jobs.c without the idle protocol; a joiner spins.
 */
/* model.mk links no worker into a program that defines its ring size; this one uses no ring. */
#define NAP_RING_SIZE	2
#define NAP_DEQUE_SIZE	3

#include "queue/deque.h"

#include <nap/check.h>

enum { NR_JOBS = 4, LATCH_SET = 3 };

static struct nap__deque d;
static struct nap_frame frames[NAP_DEQUE_SIZE + 1];
static int runs[NR_JOBS];
static bool keep;

#define OWNER ((struct nap_worker *)(void *)&d)

static void begin(void)
{
	keep = true;
	deque_init(&d, frames, NAP_DEQUE_SIZE);
	check_name(&d, sizeof(d), "deque");
	check_name(frames, sizeof(frames), "frames");
}

static void begin_fenced(void)
{
	begin();
	keep = false;
}

static long negative(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(negative, long, long)

static long negative(struct nap_worker *worker, struct nap_frame *top, long n)
{
	(void)worker;
	(void)top;
	runs[n - 1]++;
	return -n;
}

/* ---- the owner */

struct nap_frame *nap_fork_slow(struct nap_worker *worker, struct nap_frame *top)
{
	(void)worker;
	if (top == deque_full(&d)) {
		nap_store_relaxed(&d.forks.bottom, deque_full(&d));
		if (nap_load_relaxed(&d.forks.limit))
			return top;
	}
	deque_publish(&d, keep);
	if (keep)
		nap_store_relaxed(&d.forks.limit, deque_full(&d));
	return d.forks.bottom;
}

bool nap_join_slow(struct nap_worker *worker, struct nap_frame *top)
{
	(void)worker;
	if (top == deque_full(&d) || deque_take_back(&d, top, keep))
		return true;
	nap_store_relaxed(&d.forks.bottom, top + 1);
	while (nap_load_acquire(&top->latch) != LATCH_SET)
		nap_cpu_relax();
	nap_store_relaxed(&top->latch, 0);
	deque_joined(&d, top, keep);
	return false;
}

/* tops[i]: the frame into which job i was forked */
static struct nap_frame *tops[NR_JOBS];

static void fork_job(int i)
{
	tops[i] = nap_top(OWNER);
	CHECK(negative_fork(OWNER, tops[i], i + 1) == nap_top(OWNER));
}

static void join_job(int i)
{
	CHECK(negative_join(OWNER, tops[i], i + 1) == -(i + 1));
	CHECK(runs[i] == 1);
	runs[i] = 0;
}

/*
 * Forks two jobs. The first is public, because thieves ask from the beginning; the second is
 * private.
 */
static void fork_two(void *arg)
{
	(void)arg;
	fork_job(0);
	fork_job(1);
	join_job(1);
	join_job(0);
}

/*
 * Forks a job, joins it, and forks another job into the same frame. At the first join a thief has
 * stolen the first job, or the owner takes it back.
 */
static void fork_again(void *arg)
{
	(void)arg;
	fork_job(0);
	join_job(0);
	fork_job(1);
	join_job(1);
}

static void fork_nested(void *arg)
{
	(void)arg;
	fork_job(0);
	fork_job(1);
	join_job(1);
	fork_job(2);
	join_job(2);
	join_job(0);
}

static void fork_too_many(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++)
		fork_job(i);
	for (int i = 4; i--;)
		join_job(i);
}

/* ---- thieves */

static void run_frame(struct nap_frame *frame)
{
	if (!frame)
		return;
	frame->run(NULL, NULL, frame);
	nap_xchg_release(&frame->latch, LATCH_SET);
}

static void steal(void *arg)
{
	(void)arg;
	run_frame(deque_steal(&d));
}

static void steal_twice(void *arg)
{
	steal(arg);
	steal(arg);
}

static void ask_and_steal(void *arg)
{
	deque_ask(&d);
	steal(arg);
}

static bool barrier(void)
{
	check_membarrier();
	return true;
}

static void force_and_steal(void *arg)
{
	deque_force(&d, barrier);
	steal(arg);
}

static void judge(void)
{
	CHECK(d.forks.bottom == frames);
	CHECK(deque_top(d.open) == 0 && deque_end(d.open) == 0);
	for (int i = 0; i < NR_JOBS; i++)
		CHECK(!runs[i] && !frames[i].latch);
}

/* A test of [F4] and [L1] in ordering.rst. */
CHECK_SCENARIO(deque_two_thieves,
	.about = "deque: two forks, one of them public, and two thieves",
	.setup = begin, .finally = judge,
	.threads = { { fork_two, NULL, "owner" }, { steal, NULL, "thief 0" },
		     { steal_twice, NULL, "thief 1" } });

CHECK_SCENARIO(deque_again,
	.about = "deque: a frame is used again after its job was stolen, or taken back",
	.setup = begin, .finally = judge,
	.threads = { { fork_again, NULL, "owner" }, { ask_and_steal, NULL, "thief 0" },
		     { steal, NULL, "thief 1" } });

CHECK_SCENARIO(deque_ask,
	.about = "deque: a thief asks, and the owner publishes with its next fork",
	.setup = begin, .finally = judge,
	.threads = { { fork_nested, NULL, "owner" }, { ask_and_steal, NULL, "thief" } });

/* A test of [F1], [F3] and [F5] in ordering.rst. */
CHECK_SCENARIO(deque_force,
	.about = "deque: what is private is forced out while its owner takes it back",
	.setup = begin, .finally = judge,
	.threads = { { fork_two, NULL, "owner" }, { force_and_steal, NULL, "thief" } });

CHECK_SCENARIO(deque_force_again,
	.about = "deque: forced out while its frame is used again",
	.setup = begin, .finally = judge,
	.threads = { { fork_nested, NULL, "owner" }, { force_and_steal, NULL, "thief" } });

CHECK_SCENARIO(deque_force_two,
	.about = "deque: two force at once, and a third steals",
	.setup = begin, .finally = judge,
	.threads = { { fork_two, NULL, "owner" }, { force_and_steal, NULL, "thief 0" },
		     { force_and_steal, NULL, "thief 1" } });

CHECK_SCENARIO(deque_full,
	.about = "deque: more forks than frames: what has none is kept for the join",
	.setup = begin, .finally = judge,
	.threads = { { fork_too_many, NULL, "owner" }, { force_and_steal, NULL, "thief" } });

CHECK_SCENARIO(deque_fenced,
	.about = "deque: without membarrier every fork publishes and every join takes back",
	.setup = begin_fenced, .finally = judge,
	.threads = { { fork_nested, NULL, "owner" }, { steal, NULL, "thief 0" },
		     { steal, NULL, "thief 1" } });
