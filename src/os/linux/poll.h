/* SPDX-License-Identifier: MIT */
/* The arguments of ppoll(2), as poll(2) and linux/time_types.h define them. */
#ifndef NAP_LINUX_POLL_H
#define NAP_LINUX_POLL_H

#include <stdint.h>

#define POLLIN_		0x0001
#define POLLNVAL_	0x0020

struct pollfd_ {
	int32_t fd;
	int16_t events, revents;
};

struct timespec_ {
	int64_t s, ns;
};

static inline struct timespec_ timespec_of(uint64_t ns)
{
	return (struct timespec_){ (int64_t)(ns / 1000000000u), (int64_t)(ns % 1000000000u) };
}

#endif /* NAP_LINUX_POLL_H */
