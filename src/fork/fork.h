/* SPDX-License-Identifier: MIT */
/*
 * The room fork/ (this header is its door).
 *
 * The slow paths of nap/fork.h: publishing and stealing jobs (jobs.c, ask.c), joining a stolen job
 * (jobs_join.c), calling a function that forks from outside (call.c), and calling a function on
 * every worker (broadcast.c).
 *
 * Typically the job was not stolen, and nap_join() itself takes it back. Otherwise the joiner waits
 * for a latch (src/sync/latch.h) in the loop of src/wait/wait.h until the thief has set the latch.
 * In that time the joiner runs the thief's own jobs first, then other tasks (find_work() in
 * jobs_join.c); if there are none it sleeps in nap__park().
 *
 * Where a call from outside runs: on its caller, as a guest (sched/guest.h), even if the limit of
 * workers is reached. If there is no free record for a guest, the call is listed in call_list.c,
 * and a worker takes the call in sched/steal.c or sched/fair.c.
 *
 * Where a worker that is about to sleep asks for jobs: nap__park() in sched/park.c calls
 * nap__sources_reveal() in worker/source.c, which calls nap__ask_for_jobs() in ask.c. Where private
 * jobs are made public then: deque_force() in queue/deque.h.
 *
 * Where jobs beyond the last frame go: publish() in jobs.c; where they are joined: join_job() in
 * jobs_join.c. Where broadcasts wait in line: wait_in_line() in broadcast.c.
 *
 * From outside: the public calls (nap/fork.h, nap/call.h, nap/broadcast.h). After the thief's
 * exchange a frame's latch belongs to the joiner; a call and a broadcast lie on the stack of their
 * caller.
 *
 * Open: ask.h
 */
#ifndef NAP_FORK_INTERNAL_H
#define NAP_FORK_INTERNAL_H

#include <stdbool.h>

#include <nap/fork.h>

#include "worker/worker.h"

/*
 * Called by a worker: waits until the latch of @frame is set. @stuck: only a thread of the pool can
 * set the latch (src/wait/deadlock.h). False: in the child of a fork, where no thread sets it.
 */
bool nap__latch_wait(struct nap_worker *worker, struct nap_frame *frame, bool stuck);

/* ---- jobs that leave their frame */

/*
 * Called once by the function of a stolen job, at its beginning: sets the latch of @frame, so that
 * the joiner goes on although the job has just begun. The function copies its argument before this
 * call, and nothing may touch the frame after the call. As its last act the function sets
 * worker->frame_left, so that its caller, run_stolen(), does not set the latch again.
 */
void nap__frame_leave(struct nap_worker *worker, struct nap_frame *frame);

/*
 * As nap_join(), for a job that leaves its frame. False: the job has begun, and the caller has to
 * wait for its end by other means. If a thief has claimed the job but has not begun it, the caller
 * spins for a moment; if the thief has lost its CPU, the caller then waits as in nap_join().
 */
bool nap__join_begun(struct nap_worker *worker, struct nap_frame *top);

#endif /* NAP_FORK_INTERNAL_H */
