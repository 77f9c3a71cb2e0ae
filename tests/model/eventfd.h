/* SPDX-License-Identifier: MIT */
/*
 * The eventfd of a loop. An eventfd that is opened again has another number. The kernel has a
 * lock for each eventfd, so a reader sees what was done before the write.
 */
#ifndef MODEL_EVENTFD_H
#define MODEL_EVENTFD_H

#include <errno.h>

#include <nap/check.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "os/os.h"

#define EFD_CLOSED	(UINT32_C(1) << 31)

static uint32_t efd, nr_writes;	/* the writes by threads that push */
static int32_t nr_failures;	/* how many writes will fail, while above 0 */
static int32_t last_fd;		/* the only descriptor that may be open */
static unsigned loop = 2;

int nap__os_eventfd_open(void)
{
	nap_store_relaxed(&efd, 0);
	nap_store_relaxed(&last_fd, nap_load_relaxed(&last_fd) + 1);
	return nap_load_relaxed(&last_fd);
}

void nap__os_eventfd_close(int fd)
{
	CHECK(fd == nap_load_relaxed(&last_fd));
	CHECK(!(nap_fetch_or_relaxed(&efd, EFD_CLOSED) & EFD_CLOSED));
}

int nap__os_eventfd_write(int fd)
{
	CHECK(fd == nap_load_relaxed(&last_fd));
	if (nap_load_relaxed(&nr_failures) > 0 && nap_fetch_sub_relaxed(&nr_failures, 1) > 0)
		return -EIO;
	CHECK(!(nap_fetch_add_release(&efd, 1) & EFD_CLOSED));
	if (check_self() != loop)
		nap_fetch_add_relaxed(&nr_writes, 1);
	nap__futex_wake(&efd, 1);
	return 0;
}

uint64_t nap__os_eventfd_read(int fd)
{
	uint32_t count = nap_xchg_acquire(&efd, 0);

	CHECK(fd == nap_load_relaxed(&last_fd) && !(count & EFD_CLOSED));
	return count;
}

bool nap__os_eventfd_wait(int fd, uint64_t ns)
{
	CHECK(fd == nap_load_relaxed(&last_fd));
	/*
	 * A compare-exchange sees the last write, as a read in the kernel does under the lock. (An
	 * addition of 0 would see the last write, too, but clang makes a load of it.)
	 */
	if (nap_cmpxchg_relaxed(&efd, 0, 0) == 0)
		nap__futex_wait(&efd, 0, ns == UINT64_MAX ? ns : nap__os_now() + ns);
	nap_load_acquire(&efd);
	return true;
}

#endif /* MODEL_EVENTFD_H */
