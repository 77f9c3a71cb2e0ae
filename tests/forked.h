/* SPDX-License-Identifier: MIT */
/* What tests fork: jobs whose argument is a pointer, so that any of them lies in the same frame. */
#ifndef NAP_TESTS_FORKED_H
#define NAP_TESTS_FORKED_H

#include <nap/nap.h>

/* @run: X_run of a NAP_JOB_VOID(X, some pointer). Returns where the job lies, to be joined. */
static inline struct nap_frame *fork_run(struct nap_worker *worker, nap_job_fn run, void *arg)
{
	struct nap_frame *top = nap_top(worker);

	*(void **)(void *)top->words = arg;
	nap_fork(worker, top, run);
	return top;
}

#endif /* NAP_TESTS_FORKED_H */
