/* SPDX-License-Identifier: MIT */
/*
 * The checker's side of src/os/os.h and src/os/futex.h, linked in place of src/os/hosted/,
 * src/os/linux/ and src/os/futex.c. Here are the calls for a scenario's setup.
 *
 * Time is virtual. Each thread has a clock, which stands still, and jumps to the deadline of a wait
 * that has timed out. A thread that waits for another may time out over and over, until the other
 * thread goes on. Executions could then have any length. So an execution is given up when a thread
 * times out more than SEAM_TIMEOUTS times.
 */
#ifndef MODEL_SEAM_H
#define MODEL_SEAM_H

#define SEAM_TIMEOUTS 1

struct nap_fiber;

/*
 * Setup: worker n of a pool is the scenario's thread @first + n, whether it is started or
 * spawned.
 */
void seam_workers(unsigned first);

/* Setup: half of every stack is used up, so that no wait runs a task inside another. */
void seam_flat(void);

/* Setup: the thread that is started where thread n has ended is thread n + @offset. */
void seam_restarts(unsigned offset);

/* No wait times out. */
void seam_no_timeouts(void);

/* Setup: thread @number is in the middle of @fiber. */
void seam_in_fiber(unsigned number, struct nap_fiber *fiber);

/* Setup: the kernel has no membarrier. */
void seam_no_membarrier(void);

#endif /* MODEL_SEAM_H */
