/* SPDX-License-Identifier: MIT */
/* Being told of forks by a libc: src/linux/process.c. */
#include <errno.h>
#include <pthread.h>

#include "atomic.h"
#include "happens.h"
#include "os.h"

static void (*before_fork)(void), (*child_of_fork)(void);	/* A */

static void watch_forks(void)
{
	pthread_atfork(nap_load_relaxed(&before_fork), NULL, nap_load_relaxed(&child_of_fork));
}

void nap__os_watch_forks(void (*before)(void), void (*child)(void))
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int saved = errno;

	/* Whoever comes first: all bring the same. */
	nap_store_relaxed(&before_fork, before);
	nap_store_relaxed(&child_of_fork, child);
	pthread_once(&once, watch_forks);
	unseen_still();
	errno = saved;
}
