/* SPDX-License-Identifier: MIT */
/*
 * Until when a wait lasts: CLOCK_MONOTONIC in nanoseconds. A time has one meaning everywhere:
 * NAP_FOREVER never comes, and nothing else is never; 0 has passed, as every time before now.
 */
#ifndef NAP_DEADLINE_H
#define NAP_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/group.h>

#include "os/os.h"

/* Relative to absolute, ns; NAP_FOREVER stays. */
static inline uint64_t deadline_after(uint64_t timeout_ns)
{
	uint64_t now = timeout_ns && timeout_ns != NAP_FOREVER ? nap__os_now() : 0;

	return timeout_ns > NAP_FOREVER - now ? NAP_FOREVER : now + timeout_ns;
}

/* The same where 0 is now, which others may be late for. */
static inline uint64_t deadline_of(uint64_t timeout_ns)
{
	return timeout_ns ? deadline_after(timeout_ns) : nap__os_now();
}

/*
 * A wait that nobody notifies of more to do checks again after a pause, and after one twice as long
 * if there was nothing.
 */
#define PAUSE_FIRST_NS	1000000u
#define PAUSE_LAST_NS	64000000u

/* Until when to sleep; *@pause becomes the next pause. */
static inline uint64_t deadline_or_pause(uint64_t deadline, uint64_t *pause)
{
	uint64_t next = nap__os_now() + *pause;

	if (*pause < PAUSE_LAST_NS)
		*pause *= 2;
	return next < deadline ? next : deadline;
}

static inline bool deadline_passed(uint64_t deadline)
{
	return deadline != NAP_FOREVER && (deadline == 0 || nap__os_now() >= deadline);
}

#endif /* NAP_DEADLINE_H */
