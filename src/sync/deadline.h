/* SPDX-License-Identifier: MIT */
/*
 * Deadlines: times of CLOCK_MONOTONIC in nanoseconds, everywhere in nap. The deadline NAP_FOREVER
 * never comes. The deadline 0 has passed, as has every time before now.
 */
#ifndef NAP_DEADLINE_H
#define NAP_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/group.h>

#include "os/os.h"

/* Returns the time in @timeout_ns from now on; NAP_FOREVER for NAP_FOREVER. */
static inline uint64_t deadline_after(uint64_t timeout_ns)
{
	uint64_t now = timeout_ns && timeout_ns != NAP_FOREVER ? nap__os_now() : 0;

	/* Not noticed in tests when >= for >: the sum is NAP_FOREVER then. */
	return timeout_ns > NAP_FOREVER - now ? NAP_FOREVER : now + timeout_ns;
}

/*
 * As deadline_after(), but returns the present time for 0, because a delay is measured from the
 * result.
 */
static inline uint64_t deadline_of(uint64_t timeout_ns)
{
	return timeout_ns ? deadline_after(timeout_ns) : nap__os_now();
}

/*
 * A wait that is not notified of new work checks again after a pause. If there was no work after a
 * pause, the next pause is twice as long.
 */
#define PAUSE_FIRST_NS	1000000u
#define PAUSE_LAST_NS	64000000u

/*
 * Returns the time until which to sleep: @deadline or the end of the pause. *@pause becomes the
 * next pause.
 */
static inline uint64_t deadline_or_pause(uint64_t deadline, uint64_t *pause)
{
	uint64_t next = nap__os_now() + *pause;

	if (*pause < PAUSE_LAST_NS)
		*pause *= 2;
	/* Not noticed in tests when <= for <: both are the same time then. */
	return next < deadline ? next : deadline;
}

static inline bool deadline_passed(uint64_t deadline)
{
	return deadline != NAP_FOREVER && (deadline == 0 || nap__os_now() >= deadline);
}

#endif /* NAP_DEADLINE_H */
