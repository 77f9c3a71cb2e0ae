/* SPDX-License-Identifier: MIT */
/* Stealing forked jobs, and waiting for one: src/fork/jobs.c. */
#ifndef NAP_JOBS_H
#define NAP_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/fork.h>
#include <nap/pool.h>

#include "sync/latch.h"
#include "worker/worker.h"

/*
 * Worker: claims the oldest public job of @victim, or NULL. The result has to be given to
 * nap__run() before anything else is stolen. Sets *@more, because a forker of one job has others
 * soon.
 */
struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more);

#endif /* NAP_JOBS_H */
