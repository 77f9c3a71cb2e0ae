/* SPDX-License-Identifier: MIT */
/*
 * The tasks that the fault campaign puts on a pool, by load.h: single tasks, batches, tasks that
 * reschedule themselves (echoes), tasks that schedule very many (floods), trees of tasks, trees of
 * forked jobs, and groups, with waits inside and outside the pool.
 *
 * Each accepted task is run or handed back, once. Each call's result has to fit the way in which
 * the pool ends: LOAD_WANT() notes a wrong one.
 */
#ifndef NAP_TESTS_FAULT_JOBS_H
#define NAP_TESTS_FAULT_JOBS_H

#include <errno.h>
#include <pthread.h>

#include "pool_fixture.h"

#define LOAD_PRODUCERS 3

enum load_end {
	LOAD_QUIESCE,		/* all tasks are run, the pool goes on, and is joined later */
	LOAD_JOIN,		/* joined while the pool is busy */
	LOAD_DRAIN,		/* shut down in the middle, joined by two threads */
	LOAD_STOP,
	LOAD_DRAIN_STOP,	/* a drain that is turned into a stop */
	LOAD_NR_ENDS
};

static struct {
	struct nap_pool *pool;
	enum load_end end;
	unsigned long rounds;
	pthread_t producers[LOAD_PRODUCERS];
	uint32_t go, closed;
	void (*enter)(void);		/* called by each producer when it begins, or NULL */
	bool spawns_fail;		/* a prewarm may fail with the errno of a failed start */
	unsigned long accepted, run, left;
	/* accepted tasks that were not run when the quiesce returned */
	unsigned long unfinished;
	uint32_t odd;			/* the line of a call with a wrong result */
} load;

#define LOAD_WANT(cond)									\
	do {										\
		if (!(cond))								\
			nap_store_relaxed(&load.odd, (uint32_t)__LINE__);		\
	} while (0)

static __thread unsigned long inside;	/* tasks that the calling thread is inside */

static inline bool load_is_ended(void)
{
	return load.end >= LOAD_DRAIN;
}

static inline bool load_is_stopped(void)
{
	return load.end >= LOAD_STOP;
}

/* A group that outlives its waiters, because each member holds a reference. */
struct party {
	struct nap_group group;
	uint32_t refs;
};

struct job {
	struct nap_task task;
	struct nap_group *group;
	struct party *party;
	int left;
};

static void party_put(struct party *party)
{
	if (nap_fetch_sub_acq_rel(&party->refs, 1) == 1)
		free(party);
}

static struct job *new_job(nap_task_fn run, int left)
{
	struct job *job = malloc(sizeof(*job));

	if (!job)
		abort();
	*job = (struct job){ .task = NAP_TASK_INIT(run), .left = left };
	return job;
}

/* Ends a job that was run, refused or handed back. */
static void end_job(struct job *job)
{
	struct nap_group *group = job->group;
	struct party *party = job->party;

	free(job);
	if (group)
		LOAD_WANT(nap_group_done(group) == 0);
	if (party)
		party_put(party);
}

static struct job *begin(struct nap_task *task)
{
	inside++;
	nap_fetch_add_relaxed(&load.run, 1);
	return nap_container_of(task, struct job, task);
}

static void end(struct job *job)
{
	end_job(job);
	inside--;
}

static void note_refusal(int err)
{
	LOAD_WANT(err == -ESHUTDOWN && load_is_ended());
	/* A drain does not refuse a thread that is inside the pool. */
	LOAD_WANT(load_is_stopped() || !inside);
	nap_store_relaxed(&load.closed, 1);
}

static void put(struct job *job)
{
	int err = nap_schedule(load.pool, &job->task);

	if (!err) {
		nap_fetch_add_relaxed(&load.accepted, 1);
		return;
	}
	note_refusal(err);
	end_job(job);
}

static unsigned long end_batch(struct nap_batch *batch)
{
	unsigned long n = 0;

	for (struct nap_task *task; (task = nap_batch_pop(batch)); n++)
		end_job(nap_container_of(task, struct job, task));
	return n;
}

static void run_job(struct nap_task *task)
{
	end(begin(task));
}

static void put_batch(unsigned long n)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	int err;

	for (unsigned long i = 0; i < n; i++)
		nap_batch_push(&batch, &new_job(run_job, 0)->task);
	err = nap_schedule_batch(load.pool, &batch);
	if (!err) {
		nap_fetch_add_relaxed(&load.accepted, n);
		return;
	}
	note_refusal(err);
	LOAD_WANT(end_batch(&batch) == n);
}

/* ---- the functions of tasks ---- */

static void echo(struct nap_task *task)
{
	struct job *job = begin(task);

	if (job->left-- > 0)
		put(job);
	else
		end_job(job);
	inside--;
}

static void flood(struct nap_task *task)
{
	struct job *job = begin(task);

	for (int i = 0; i < 300; i++)
		put(new_job(run_job, 0));
	put_batch(300);
	end(job);
}

static void tree(struct nap_task *task)
{
	struct job *job = begin(task);

	for (int i = 0; job->left > 0 && i < 2; i++)
		put(new_job(tree, job->left - 1));
	end(job);
}

/*
 * A tree of forked jobs. LOAD_WANT() notes a job that was not run exactly once when its join
 * returns.
 */
struct forked {
	int left, leaves, runs;
};

static void run_forked(struct nap_worker *worker, struct nap_frame *top, struct forked *forked);
NAP_JOB_VOID(run_forked, struct forked *)

static void run_forked(struct nap_worker *worker, struct nap_frame *top, struct forked *forked)
{
	struct nap_frame *tops[3] = { top };
	struct forked half[2];

	forked->runs++;
	if (!forked->left) {
		forked->leaves = 1;
		return;
	}
	for (int i = 0; i < 2; i++) {
		half[i] = (struct forked){ forked->left - 1, 0, 0 };
		tops[i + 1] = run_forked_fork(worker, tops[i], &half[i]);
	}
	for (int i = 2; i--;) {
		run_forked_join(worker, tops[i], &half[i]);
		LOAD_WANT(half[i].runs == 1);
		forked->leaves += half[i].leaves;
	}
}

static void forks(struct nap_task *task)
{
	struct job *job = begin(task);
	struct nap_worker *worker = nap_worker_self();
	struct forked root = { job->left, 0, 0 };

	/* A helper without a guest record is no worker, so it cannot fork. */
	if (worker) {
		run_forked(worker, nap_top(worker), &root);
		LOAD_WANT(root.leaves == 1 << job->left);
	}
	end(job);
}

static void put_members(struct nap_group *group, struct party *party)
{
	LOAD_WANT(nap_group_add(group, 4) == 0);
	for (int i = 0; i < 4; i++) {
		struct job *job = new_job(run_job, 0);

		job->group = group;
		job->party = party;
		put(job);
	}
}

/* Waits for a group on the waiter's stack, which no thread may touch when the wait has returned. */
static void wait_on_stack(void)
{
	struct nap_group group = NAP_GROUP_INIT(load.pool);

	put_members(&group, NULL);
	LOAD_WANT(nap_group_wait(&group) == 0);
	memset(&group, 0xee, sizeof(group));
}

/* Waits for a party, and gives up after a few timeouts, or because the pool is stopped. */
static void wait_at_party(uint64_t timeout_ns)
{
	struct party *party = malloc(sizeof(*party));
	int err;

	if (!party)
		abort();
	nap_group_init(&party->group, load.pool);
	party->refs = 1 + 4;
	put_members(&party->group, party);
	for (int i = 0; (err = nap_group_wait_for(&party->group, timeout_ns)); i++)
		if (err != -ETIMEDOUT || i == 3)
			break;
	LOAD_WANT(err == 0 || (err == -ETIMEDOUT && timeout_ns != NAP_FOREVER) ||
		  (err == -ECANCELED && load_is_stopped()));
	party_put(party);
}

static void wait_for_members(void)
{
	if (load_is_stopped())
		wait_at_party(NAP_FOREVER);
	else
		wait_on_stack();
}

static void wait_inside(struct nap_task *task)
{
	struct job *job = begin(task);

	if (job->left)
		wait_at_party((uint64_t)job->left * 1000);
	else
		wait_for_members();
	end(job);
}

#endif /* NAP_TESTS_FAULT_JOBS_H */
