/* SPDX-License-Identifier: MIT */
/* A job that knows whether it was forked, and counts its runs. */
#ifndef NAP_TESTS_MODEL_FORKED_SETUP_H
#define NAP_TESTS_MODEL_FORKED_SETUP_H

#include "fork/ask.h"
#include "fork/jobs.h"
#include "worker/source.h"
#include "pool_setup.h"

struct forked {
	int in, runs;
};

static inline void be_run(struct nap_worker *worker, struct nap_frame *top, struct forked *f)
{
	(void)worker;
	(void)top;
	CHECK(f->in == JOB_IN);
	f->runs++;
}

NAP_JOB_VOID(be_run, struct forked *)

/* Forks @f as @worker, into the frame that nap_top() named before. */
static inline void fork_one(struct nap_worker *worker, struct forked *f)
{
	f->in = JOB_IN;
	be_run_fork(worker, nap_top(worker), f);
}

/* Setup: no worker asks @worker for jobs, so @worker forks private jobs. */
static inline void pool_ask_nobody(struct nap_worker *worker)
{
	source_link(pool, KIND_JOBS);
	pool->forks = FORKS_SPLIT;
	worker->deque.forks.limit = deque_full(&worker->deque);
	worker->deque.forks.split = worker->frames;
}

#endif /* NAP_TESTS_MODEL_FORKED_SETUP_H */
