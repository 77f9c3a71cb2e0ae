/* SPDX-License-Identifier: MIT */
/* The ring that several scenarios share, with its thieves, their rings, and the judgement. */
#ifndef MODEL_RING_SETUP_H
#define MODEL_RING_SETUP_H

#include "queue_fixture.h"

static struct nap__ring ring, thief_ring[2];

/* Setup: jobs 0 .. @nr - 1 are in the ring. */
static inline void rings_init(uint32_t nr)
{
	ring_init(&ring);
	ring_init(&thief_ring[0]);
	ring_init(&thief_ring[1]);
	check_name(&ring, sizeof(ring), "ring");
	check_name(thief_ring, sizeof(thief_ring), "thief_ring");
	check_name(jobs, sizeof(jobs), "jobs");
	if (nr)
		ring_push_jobs(&ring, 0, nr);
}

static inline void rings_drain(void)
{
	ring_drain(&ring);
	ring_drain(&thief_ring[0]);
	ring_drain(&thief_ring[1]);
}

/* .finally: @nr jobs were pushed; each was taken once, and each thread took its own in order. */
static inline void rings_judge(uint32_t nr)
{
	jobs_judge_order();
	rings_drain();
	jobs_judge(nr);
}

/* ---- threads; the argument is the thief's own ring */

static inline void steal_half(void *own)
{
	ring_steal_and_run(&ring, own);
}

static inline void steal_half_twice(void *own)
{
	steal_half(own);
	steal_half(own);
}

/* Steals from the first thief's ring, without having read the owner's. */
static inline void steal_from_thief(void *own)
{
	ring_steal_and_run(&thief_ring[0], own);
}

/* Takes the oldest task only, as a thief without a ring. */
static inline void steal_one(void *arg)
{
	(void)arg;
	job_run(ring_steal_one(&ring));
}

#endif /* MODEL_RING_SETUP_H */
