/* SPDX-License-Identifier: MIT */
/*
 * The room fork/ (this header is its door).
 *
 * Forks, where the fast paths of nap/fork.h do not do: publishing and stealing jobs (jobs.c, ask.c),
 * joining one that was stolen (jobs_join.c), calling a function that forks from outside (call.c), and
 * calling one on every worker (broadcast.c).
 *
 * Typically the job was not stolen, and nap_join() itself takes it back. Else the joiner waits for
 * a latch (src/sync/latch.h) in the loop of src/wait/wait.h, and runs other tasks until the thief
 * has set it.
 *
 * From outside: the public calls (nap/fork.h, nap/call.h, nap/broadcast.h). A frame's latch is the
 * joiner's from the thief's exchange on; a call and a broadcast lie on the stack of their caller.
 *
 * Open: ask.h
 */
#ifndef NAP_FORK_INTERNAL_H
#define NAP_FORK_INTERNAL_H

#include <stdbool.h>

#include <nap/fork.h>

#include "worker/worker.h"

/*
 * Worker: until the latch of @frame is set. @stuck: only the pool can do that
 * (src/wait/deadlock.h). False: in the child of a fork, where nobody sets it.
 */
bool nap__latch_wait(struct nap_worker *worker, struct nap_frame *frame, bool stuck);

#endif /* NAP_FORK_INTERNAL_H */
