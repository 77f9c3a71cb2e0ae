/* SPDX-License-Identifier: MIT */
/* Stealing forked jobs: src/fork/jobs.c. */
#ifndef NAP_JOBS_H
#define NAP_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/fork.h>
#include <nap/pool.h>

#include "sync/latch.h"
#include "worker/worker.h"

/*
 * Called by a worker: claims and returns the oldest public job of @victim, or returns NULL. The
 * caller has to give the job to nap__run() before it steals again. Sets *@more, because the victim
 * probably has more jobs soon.
 */
struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more);

#endif /* NAP_JOBS_H */
