/* SPDX-License-Identifier: MIT */
/* Latches: a worker waits with its own event until a job was run, or a message answered. */
#ifndef NAP_LATCH_H
#define NAP_LATCH_H

#include <stdint.h>

#include <nap/fork.h>

#include "arch/atomic.h"
#include "sync/event.h"

/*
 * The values of the latch in a frame, the record of a forked job (nap/fork.h). The values are those
 * of Rayon (rayon-core/src/latch.rs) without SLEEPY, which is not needed here:
 *
 *	UNSET     not run yet, and the joiner is not to be notified
 *	SLEEPING  the joiner is to be notified, by EVENT_LATCH; it searches a last time, as
 *	          every idle worker does, and sleeps
 *	SET       the job has been run
 *
 * The thief's exchange to SET is its last touch of the frame. Before the exchange the thief reads
 * which thread waits. The frame is in the victim's record, which stays until the pool is joined;
 * after the exchange the victim may fork into the frame again.
 */
enum nap__latch { LATCH_UNSET, LATCH_SLEEPING, LATCH_SET };

/*
 * Sets the latch, as the last touch of @frame, and wakes the waiter. Publishes what the job did:
 * pairs with latch_is_set() in src/fork/jobs_join.c. [L1]
 */
static inline void latch_set(struct nap_frame *frame, uint32_t *event)
{
	if (nap_xchg_release(&frame->latch, LATCH_SET) == LATCH_SLEEPING)
		event_set(event, EVENT_LATCH);
}

#endif /* NAP_LATCH_H */
