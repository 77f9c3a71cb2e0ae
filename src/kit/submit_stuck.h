/* SPDX-License-Identifier: MIT */
/*
 * Workers and guests that wait for a slot while no thread can give one back:
 * src/kit/submit_stuck.c.
 *
 * submit->stuck counts those that only wait, without a timeout:
 *
 *	bits  0..31  how many are stuck now
 *	bits 32..63  how many ever were stuck: if two readings of the word are equal, none came or
 *	             went in between
 */
#ifndef NAP_SUBMIT_STUCK_H
#define NAP_SUBMIT_STUCK_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/submit.h>

#include "arch/atomic.h"
#include "sync/waitlist.h"
#include "wait/wait.h"

/* The wait of a worker, or a guest, for a slot. */
struct nap__slot_wait {
	struct nap__wait wait;
	struct nap_submitter *submit;
	struct nap__waiter node;
	bool stuck;			/* counted in submit->stuck */
};

static inline struct nap__slot_wait *slot_wait_of(struct nap__wait *wait)
{
	return nap_container_of(wait, struct nap__slot_wait, wait);
}

static inline uint32_t stuck_in(uint64_t stuck)
{
	return (uint32_t)stuck;
}

/*
 * Called in the wait for a slot: nap__slot_be_stuck() when the worker is about to sleep,
 * nap__slot_be_stuck_no_more() when the worker may have other work.
 */
void nap__slot_be_stuck(struct nap__wait *wait);
void nap__slot_be_stuck_no_more(struct nap__wait *wait);

/*
 * Whether a worker that has found no slot gives up, with -EDEADLK. If so it is no longer counted as
 * stuck.
 */
bool nap__slot_gives_up(struct nap__wait *wait);

#endif /* NAP_SUBMIT_STUCK_H */
