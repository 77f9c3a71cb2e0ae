/* SPDX-License-Identifier: MIT */
/* Which signals a thread of a libc blocks. */
#include "os/os.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

void nap__os_block_signals(uint64_t blocked)
{
	int saved = errno;
	sigset_t set;

	sigemptyset(&set);
	/* Refuses those that the libc keeps for itself, for cancellation and setuid(). */
	for (int n = 1; blocked; n++, blocked >>= 1)
		if (blocked & 1)
			sigaddset(&set, n);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	errno = saved;
}
