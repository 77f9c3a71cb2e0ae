/* SPDX-License-Identifier: MIT */
/* The fd on which a loop sleeps: eventfd(2). */
#include <errno.h>
#include <stdint.h>

#include "arch/syscall.h"
#include "os/linux/poll.h"
#include "os/os.h"

/*
 * The values of linux/eventfd.h and asm-generic/fcntl.h, the same on every machine that nap
 * supports.
 */
#define EFD_CLOEXEC_	02000000
#define EFD_NONBLOCK_	00004000

int nap__os_eventfd_open(void)
{
	return (int)nap__syscall2(NAP__NR_eventfd2, 0, EFD_CLOEXEC_ | EFD_NONBLOCK_);
}

void nap__os_eventfd_close(int fd)
{
	nap__syscall1(NAP__NR_close, fd);
}

int nap__os_eventfd_write(int fd)
{
	uint64_t one = 1;
	long n = nap__syscall3(NAP__NR_write, fd, (long)&one, sizeof(one));

	return n < 0 ? (int)n : 0;
}

uint64_t nap__os_eventfd_read(int fd)
{
	uint64_t count;

	return nap__syscall3(NAP__NR_read, fd, (long)&count, sizeof(count)) == sizeof(count) ?
		       count : 0;
}

bool nap__os_eventfd_wait(int fd, uint64_t ns)
{
	struct pollfd_ poll = { .fd = fd, .events = POLLIN_ };
	struct timespec_ time = timespec_of(ns);

	nap__syscall5(NAP__NR_ppoll, (long)&poll, 1, (long)&time, 0, 0);
	return !(poll.revents & POLLNVAL_);
}
