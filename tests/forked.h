/* SPDX-License-Identifier: MIT */
/* Forks jobs whose argument is a pointer, so that the frames of all jobs have one layout. */
#ifndef NAP_TESTS_FORKED_H
#define NAP_TESTS_FORKED_H

#include <nap/nap.h>

/*
 * Forks @run, a function X_run that NAP_JOB_VOID(X, T *) has made. Returns the frame for the join.
 */
static inline struct nap_frame *fork_run(struct nap_worker *worker, nap_job_fn run, void *arg)
{
	struct nap_frame *top = nap_top(worker);

	*(void **)(void *)top->words = arg;
	nap_fork(worker, top, run);
	return top;
}

#endif /* NAP_TESTS_FORKED_H */
