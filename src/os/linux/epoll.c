/* SPDX-License-Identifier: MIT */
/* Waiting for files: epoll(7) and ppoll(2). */
#include "os/linux/epoll.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "arch/syscall.h"
#include "os/linux/poll.h"
#include "os/os.h"

/* as in linux/eventpoll.h */
#define EPOLL_CLOEXEC_	02000000
#define EPOLL_CTL_ADD_	1
#define EPOLL_CTL_DEL_	2
#define EPOLL_CTL_MOD_	3
#define EPOLLIN_	0x00000001u
#define EPOLLONESHOT_	(1u << 30)
#define EPOLLET_	(1u << 31)

int nap__os_epoll_open(void)
{
	return (int)nap__syscall1(NAP__NR_epoll_create1, EPOLL_CLOEXEC_);
}

void nap__os_epoll_close(int epoll)
{
	nap__syscall1(NAP__NR_close, epoll);
}

static int control(int epoll, int how, int fd, uint32_t number, uint32_t events)
{
	struct nap__os_ready event = { .events = events };

	ready_set(&event, fd, number);
	return (int)nap__syscall4(NAP__NR_epoll_ctl, epoll, how, fd, (long)&event);
}

int nap__os_epoll_watch(int epoll, int fd)
{
	/* Not noticed in tests when 1 for 0: nobody reads the number of a watched @fd. */
	return control(epoll, EPOLL_CTL_ADD_, fd, 0, EPOLLIN_ | EPOLLET_);
}

int nap__os_epoll_arm(int epoll, int fd, uint32_t number, uint32_t events)
{
	int err;

	events |= EPOLLONESHOT_;
	err = control(epoll, EPOLL_CTL_MOD_, fd, number, events);
	return err == -ENOENT ? control(epoll, EPOLL_CTL_ADD_, fd, number, events) : err;
}

void nap__os_epoll_forget(int epoll, int fd)
{
	control(epoll, EPOLL_CTL_DEL_, fd, 0, 0);
}

/* Returns the time from now until @deadline. */
static struct timespec_ left_until(uint64_t deadline)
{
	return timespec_of(deadline ? time_until(deadline) : 0);
}

/*
 * Returns @time in milliseconds, rounded up. Beyond 10^6 seconds returns 10^9 (11.57 days), because
 * the kernel takes an int.
 */
static long to_ms(struct timespec_ time)
{
	/*
	 * Not noticed in tests when 1000000 for 999999, 999998 for 999999 or 1000001 for 1000000
	 * (2): only at a few of a million nanoseconds the result is another one.
	 */
	return time.s > 1000000 ? 1000000000 : time.s * 1000 + (time.ns + 999999) / 1000000;
}

int nap__os_epoll_wait(int epoll, struct nap__os_ready *ready, int most, uint64_t deadline)
{
	bool for_ever = deadline == UINT64_MAX;
	/* Not noticed in tests when 1 for 0 or 1 for 0 (2): not used in a wait for ever. */
	struct timespec_ time = { 0, 0 };
	long n;

	if (!for_ever)
		time = left_until(deadline);
	/* Not noticed in tests when && for ||: either call returns at once if the time is 0. */
	if (for_ever || !(time.s | time.ns))
		return (int)nap__syscall5(NAP__NR_epoll_pwait, epoll, (long)ready, most,
					  for_ever ? -1 : 0, 0);
	n = nap__syscall5(NAP__NR_epoll_pwait2, epoll, (long)ready, most, (long)&time, 0);
	/*
	 * Before Linux 5.11, or if a filter forbids epoll_pwait2(2), use epoll_pwait(2), which
	 * returns up to a millisecond late.
	 */
	if (n == -ENOSYS || n == -EPERM)
		n = nap__syscall5(NAP__NR_epoll_pwait, epoll, (long)ready, most, to_ms(time), 0);
	return (int)n;
}

int nap__os_poll(int fd, uint32_t events, uint64_t deadline)
{
	struct pollfd_ poll = { .fd = fd, .events = (int16_t)events };
	long n;

	do {
		struct timespec_ time = { 0, 0 };

		if (deadline != UINT64_MAX)
			time = left_until(deadline);
		n = nap__syscall5(NAP__NR_ppoll, (long)&poll, 1,
				  deadline == UINT64_MAX ? 0 : (long)&time, 0, 0);
	} while (n == -EINTR);
	if (n > 0 && (poll.revents & POLLNVAL_))
		return -EBADF;
	return n > 0 ? (uint16_t)poll.revents : n ? (int)n : -ETIMEDOUT;
}
