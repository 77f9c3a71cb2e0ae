/* SPDX-License-Identifier: MIT */
/* Memory, the clock, signals, and handlers for forks, on a libc. */
#include "os/os.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "os/happens.h"

void *nap__os_map(size_t size)
{
	int saved = errno;
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved;
	return mem == MAP_FAILED ? NULL : mem;
}

void nap__os_unmap(void *mem, size_t size)
{
	int saved = errno;

	munmap(mem, size);
	errno = saved;
}

uint64_t nap__os_now(void)
{
	int saved = errno;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	errno = saved;
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void nap__os_block_signals(uint64_t blocked)
{
	int saved = errno;
	sigset_t set;

	sigemptyset(&set);
	/* sigaddset() refuses the signals that the libc uses for cancellation and setuid(). */
	for (int n = 1; blocked; n++, blocked >>= 1)
		if (blocked & 1)
			sigaddset(&set, n);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	errno = saved;
}

/*
 * Threads that come here at the same time may each register the handlers, which does no harm.
 * pthread_once() is not used, for the reason in src/worker/hosted/leaving.c. The flag @watched
 * needs no order, because the libc locks its list of handlers, also during a fork.
 */
void nap__os_watch_forks(void (*before)(void), void (*child)(void))
{
	static uint32_t watched;
	int saved = errno;

	if (!nap_load_relaxed(&watched)) {
		pthread_atfork(before, NULL, child);
		nap_store_relaxed(&watched, 1);
	}
	unseen_still();
	errno = saved;
}
