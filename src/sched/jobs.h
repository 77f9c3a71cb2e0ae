/* SPDX-License-Identifier: MIT */
/* What the worker loop needs to know of forked jobs: src/sched/jobs.c. */
#ifndef NAP_JOBS_H
#define NAP_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/fork.h>
#include <nap/pool.h>

#include "sync/latch.h"
#include "worker/worker.h"

/*
 * Worker: claim the oldest public job of @victim, or NULL. The result is to be given to
 * nap__run() before anything else is stolen. @more: set, because the forker of one has others soon.
 */
struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more);

/* Worker: the same of its own, private ones included. */
struct nap_task *nap__own_job(struct nap_worker *worker);

#endif /* NAP_JOBS_H */
