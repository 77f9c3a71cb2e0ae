/* SPDX-License-Identifier: MIT */
/*
 * The deque of src/queue/deque.h with the fast paths of nap/fork.h: its owner forks and joins while
 * thieves claim what is public and others force out what is private. In all of them every job runs
 * once, on the owner or on a thief, and what it wrote is there when it has been joined.
 *
 * The slow paths are src/jobs.c's without what they tell the idle protocol; a joiner spins.
 */
#define NAP_RING_SIZE	2	/* unused; says that this program links no worker */
#define NAP_DEQUE_SIZE	3

#include "queue/deque.h"

#include <nap/check.h>

enum { NR_JOBS = 4, LATCH_SET = 3 };

static struct nap__deque d;
static struct nap__slot slots[NAP_DEQUE_SIZE + 1];
static struct counted { struct nap_job job; int given, result; } jobs[NR_JOBS];
static bool keep;

#define OWNER ((struct nap_worker *)(void *)&d)

static void begin(void)
{
	keep = true;
	deque_init(&d, slots, NAP_DEQUE_SIZE);
	check_name(&d, sizeof(d), "deque");
	check_name(slots, sizeof(slots), "slots");
	check_name(jobs, sizeof(jobs), "jobs");
}

static void begin_fenced(void)
{
	begin();
	keep = false;
}

static void run(struct nap_worker *worker, struct nap_job *job)
{
	struct counted *counted = nap_container_of(job, struct counted, job);

	(void)worker;
	counted->result += counted->given;
}

/* ---- the owner */

void nap_fork_slow(struct nap_worker *worker, struct nap_job *job)
{
	(void)worker;
	if (job->slot == deque_full(&d)) {
		nap_store_relaxed(&d.forks.bottom, deque_full(&d));
		if (nap_load_relaxed(&d.forks.limit))
			return;
	}
	deque_publish(&d, keep);
	if (keep)
		nap_store_relaxed(&d.forks.limit, deque_full(&d));
}

bool nap_join_slow(struct nap_worker *worker, struct nap_job *job)
{
	struct nap__slot *slot = job->slot;

	(void)worker;
	if (slot == deque_full(&d) || deque_take_back(&d, slot, keep))
		return true;
	nap_store_relaxed(&d.forks.bottom, slot + 1);
	while (nap_load_acquire(&slot->latch) != LATCH_SET)
		nap_cpu_relax();
	nap_store_relaxed(&slot->latch, 0);
	deque_joined(&d, slot, keep);
	return false;
}

static void fork_job(int i)
{
	jobs[i].job.run = run;
	jobs[i].given = i + 1;
	nap_fork(OWNER, &jobs[i].job);
}

static void join_job(int i)
{
	if (nap_join(OWNER, &jobs[i].job))
		run(OWNER, &jobs[i].job);
	CHECK(jobs[i].result == i + 1);
	jobs[i].result = jobs[i].given = 0;	/* the frame is gone */
}

/* The first fork is answered to who asks from the beginning; the others stay private. */
static void fork_two(void *arg)
{
	(void)arg;
	fork_job(0);
	fork_job(1);
	join_job(1);
	join_job(0);
}

/* The same slot twice, and the last slot is used again after what was in it was stolen. */
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

static void run_slot(struct nap__slot *slot)
{
	if (!slot)
		return;
	slot->job->run(NULL, slot->job);
	nap_xchg_release(&slot->latch, LATCH_SET);
}

static void steal(void *arg)
{
	(void)arg;
	run_slot(deque_steal(&d));
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
	CHECK(d.forks.bottom == slots);
	CHECK(deque_top(d.open) == 0 && deque_end(d.open) == 0);
	for (int i = 0; i < NR_JOBS; i++)
		CHECK(!jobs[i].result && !slots[i].latch);
}

/* Shows [F4] [L1]. */
CHECK_SCENARIO(deque_two_thieves,
	.about = "deque: two forks, one of them public, and two thieves",
	.setup = begin, .finally = judge,
	.threads = { { fork_two, NULL, "owner" }, { steal, NULL, "thief 0" },
		     { steal_twice, NULL, "thief 1" } });

CHECK_SCENARIO(deque_again,
	.about = "deque: a slot is used again after its job was stolen, or taken back",
	.setup = begin, .finally = judge,
	.threads = { { fork_again, NULL, "owner" }, { ask_and_steal, NULL, "thief 0" },
		     { steal, NULL, "thief 1" } });

CHECK_SCENARIO(deque_ask,
	.about = "deque: a thief asks, and the owner publishes with its next fork",
	.setup = begin, .finally = judge,
	.threads = { { fork_nested, NULL, "owner" }, { ask_and_steal, NULL, "thief" } });

/* Shows [F1] [F3] [F5]. */
CHECK_SCENARIO(deque_force,
	.about = "deque: what is private is forced out while its owner takes it back",
	.setup = begin, .finally = judge,
	.threads = { { fork_two, NULL, "owner" }, { force_and_steal, NULL, "thief" } });

CHECK_SCENARIO(deque_force_again,
	.about = "deque: forced out while its slot is used again",
	.setup = begin, .finally = judge,
	.threads = { { fork_nested, NULL, "owner" }, { force_and_steal, NULL, "thief" } });

CHECK_SCENARIO(deque_force_two,
	.about = "deque: two force at once, and a third steals",
	.setup = begin, .finally = judge,
	.threads = { { fork_two, NULL, "owner" }, { force_and_steal, NULL, "thief 0" },
		     { force_and_steal, NULL, "thief 1" } });

CHECK_SCENARIO(deque_full,
	.about = "deque: more forks than slots: what has none is kept for the join",
	.setup = begin, .finally = judge,
	.threads = { { fork_too_many, NULL, "owner" }, { force_and_steal, NULL, "thief" } });

CHECK_SCENARIO(deque_fenced,
	.about = "deque: without membarrier every fork publishes and every join takes back",
	.setup = begin_fenced, .finally = judge,
	.threads = { { fork_nested, NULL, "owner" }, { steal, NULL, "thief 0" },
		     { steal, NULL, "thief 1" } });
