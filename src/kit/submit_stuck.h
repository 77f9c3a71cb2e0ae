/* SPDX-License-Identifier: MIT */
/*
 * Workers and guests that wait for a slot while nobody can give one back: src/kit/submit_stuck.c.
 *
 * submit->stuck counts those that do nothing else, and for ever:
 *
 *	bits  0..31  how many there are now
 *	bits 32..63  how many there ever were: with two equal readings none came or went in between
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
	bool stuck;			/* in submit->stuck */
};

static inline struct nap__slot_wait *slot_wait_of(struct nap__wait *wait)
{
	return nap_container_of(wait, struct nap__slot_wait, wait);
}

static inline uint32_t stuck_in(uint64_t stuck)
{
	return (uint32_t)stuck;
}

/* @wait is that of a slot: the worker is about to sleep; or may have something else to do. */
void nap__slot_be_stuck(struct nap__wait *wait);
void nap__slot_be_stuck_no_more(struct nap__wait *wait);

/* The worker has found no slot. True: its wait is -EDEADLK, and it is no longer stuck. */
bool nap__slot_gives_up(struct nap__wait *wait);

#endif /* NAP_SUBMIT_STUCK_H */
