/* SPDX-License-Identifier: MIT */
/* Being told of forks by a libc: src/worker/linux/process.c. */
#include <errno.h>
#include <pthread.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "os/os.h"

/*
 * Threads that come here at the same time may each have the handlers called, which is as good as
 * once. Not by pthread_once(): see src/worker/hosted/leaving.c. The flag needs no order: the libc
 * has a lock for its list, which a fork takes, too.
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
