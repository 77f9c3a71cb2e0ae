/* SPDX-License-Identifier: MIT */
/* The system calls of src/async/io/, besides eventfd(2) in src/os/os.h. */
#ifndef NAP_LINUX_EPOLL_H
#define NAP_LINUX_EPOLL_H

#include <stdint.h>

#include "arch/syscall.h"

/* The layout of struct epoll_event, whose data are the last two words: an fd and a number. */
struct nap__os_ready {
	uint32_t events;
	uint32_t words[NAP__EPOLL_EVENT_SIZE / 4 - 1];
};

static inline int ready_fd(const struct nap__os_ready *ready)
{
	return (int)ready->words[NAP__EPOLL_EVENT_SIZE / 4 - 3];
}

static inline uint32_t ready_number(const struct nap__os_ready *ready)
{
	return ready->words[NAP__EPOLL_EVENT_SIZE / 4 - 2];
}

static inline void ready_set(struct nap__os_ready *ready, int fd, uint32_t number)
{
	ready->words[NAP__EPOLL_EVENT_SIZE / 4 - 3] = (uint32_t)fd;
	ready->words[NAP__EPOLL_EVENT_SIZE / 4 - 2] = number;
}

/*
 * epoll(7). nap__os_epoll_open() returns a descriptor or a negative errno. After watch() each write
 * to @fd is reported; after arm() the first event among @events is reported, once, with @number.
 * forget() ends both. wait() returns how many fds it reports: at most @most, 0 if none was ready by
 * @deadline (ns; UINT64_MAX: for ever), or a negative errno. Where epoll_pwait2(2) is missing it
 * also returns 0 after 11 days, if the @deadline is farther away. No caller relies on more: a wait
 * reads the clock, the poller searches and comes back, and an idle worker whose idle time is longer
 * retires early.
 */
int nap__os_epoll_open(void);
void nap__os_epoll_close(int epoll);
int nap__os_epoll_watch(int epoll, int fd);
int nap__os_epoll_arm(int epoll, int fd, uint32_t number, uint32_t events);
void nap__os_epoll_forget(int epoll, int fd);
int nap__os_epoll_wait(int epoll, struct nap__os_ready *ready, int most, uint64_t deadline);

/*
 * poll(2) for one fd: returns the events of @events that have occurred, -ETIMEDOUT, or a negative
 * errno.
 */
int nap__os_poll(int fd, uint32_t events, uint64_t deadline);

#endif /* NAP_LINUX_EPOLL_H */
