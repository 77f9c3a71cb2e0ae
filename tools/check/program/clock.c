/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "program/clock.h"

#define NS_OF_SECOND 1000000000

struct timespec clocks[MAX_THREADS + 1];

void clock_begin(void)
{
	memset(clocks, 0, sizeof(clocks));
}

static bool is_over(const struct timespec *deadline)
{
	const struct timespec *now = &clocks[self];

	return deadline->tv_sec < now->tv_sec ||
	       (deadline->tv_sec == now->tv_sec && deadline->tv_nsec <= now->tv_nsec);
}

int clock_waited(const struct timespec *deadline, int err)
{
	/* @err may be negative, as the kernel's. */
	if ((err == ETIMEDOUT || err == -ETIMEDOUT) && !is_over(deadline))
		clocks[self] = *deadline;
	return err;
}

int clock_waited_for(const struct timespec *time, int err)
{
	struct timespec deadline = clocks[self];

	deadline.tv_sec += time->tv_sec;
	deadline.tv_nsec += time->tv_nsec;
	if (deadline.tv_nsec >= NS_OF_SECOND) {
		deadline.tv_nsec -= NS_OF_SECOND;
		deadline.tv_sec++;
	}
	return clock_waited(&deadline, err);
}
