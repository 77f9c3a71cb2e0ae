/* SPDX-License-Identifier: MIT */
/*
 * The crew of a loop: the parts of the loop that other workers have stolen. The caller waits for
 * the whole crew once, and no part waits for the end of another.
 *
 * (Without a crew a stolen half is joined, and a joiner that waits runs another half, on top of its
 * stack. Then the end of a loop is slow on many workers: each stack is a pile of joins, which wait
 * for other piles. On 64 simulated CPUs a loop of 1 ms spent 0.6 ms in such waits.)
 *
 * So the thief copies its half out of the frame and leaves the frame (src/fork/fork.h). The joiner
 * goes on at once, and the thief's part is counted until it ends:
 *
 *	caller:  1 ---------------- join ------------------- 0: the caller waits for the last part
 *	part:       steal: + 1, leave the frame -- end: - 1
 *	part of the part:            steal: + 1, leave ---------- end: - 1, the last: sets the latch
 *
 * A part that forks a half is counted until it has joined the half. So the count falls to 0 only
 * when no more parts can come.
 *
 * A loop has a crew if its parts have no results and no values, and the pool may have a few
 * workers. In exclusive execution (src/worker/exclusive.h) it has none, because a joiner then runs
 * only its thief's jobs.
 */
#ifndef NAP_PARALLEL_CREW_H
#define NAP_PARALLEL_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/fork.h>

#include "parallel/leaf.h"
#include "worker/worker.h"

struct crew {
	struct nap_frame end;	 /* its latch is set by the last part, if the caller waits */
	uint32_t *event;	 /* I: the caller's */
	uint32_t open nap__line; /* A: parts that have not ended, with the caller's own part */
};

/* Whether the calling thread's loop may have a crew. */
bool nap__crew_is_possible(const struct nap__ranges *ranges);

/* Called by the caller, on @worker, before it forks. */
void nap__crew_begin(struct nap__ranges *ranges, struct crew *crew, struct nap_worker *worker);

/*
 * Called by the caller after its last join: waits until all parts have ended. False: in the child
 * of a fork, where the parts have no threads, and the caller takes them by nap__crew_next().
 */
bool nap__crew_wait(struct crew *crew, struct nap_worker *worker);

/*
 * Called by a thief, before it runs [@begin, @end) of a half: counts the part as open, and leaves
 * the half's @frame. False: nothing was done, because the worker has no room to list the part, or
 * is in no registry; then the half is joined like any job.
 */
bool nap__part_open(struct nap__ranges *ranges, struct nap_worker *worker, struct nap_frame *frame,
		    size_t begin, size_t end);

/*
 * Called by a thief: counts the part that it has opened last as ended. Afterwards the thief does
 * not touch the loop.
 */
void nap__part_close(struct nap__ranges *ranges, struct nap_worker *worker);

/*
 * In the child of a fork: takes an open part, together with what was stolen from this part. The
 * threads of the parts are not in the child, where new threads may use their stacks. For this
 * reason the parts are listed in the workers' records. False: no part is open.
 */
bool nap__crew_next(struct nap__ranges *ranges, size_t *begin, size_t *end);

/*
 * Called in the child of a fork, when a join has given the half [@begin, @end) back, and the caller
 * runs it: takes the parts in this half out of the list. (A thief may have listed the half, and not
 * have left the frame yet.)
 */
void nap__crew_hand_over(struct nap__ranges *ranges, size_t begin, size_t end);

#endif /* NAP_PARALLEL_CREW_H */
