/* SPDX-License-Identifier: MIT */
/* The system, on a libc with pthreads. */
#include "os.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a worker has room for the handle");

#define LEAST_DEFAULT_STACK ((size_t)1 << 20)	/* as without a libc */

static uint32_t forking;	/* A: the process that is being forked */

static void before_fork(void)
{
	nap_store_relaxed(&forking, nap_load_relaxed(&nap__fork_gen));
}

static void child_of_fork(void)
{
	nap__os_forked(nap_load_relaxed(&forking));
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, NULL, child_of_fork);
}

/* The second source, for where no page is wiped. It runs behind handlers registered before. */
void nap__os_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
}

static void *thread_main(void *worker)
{
	nap__os_inherit(worker);
	/* Now, when a thread allocates anyway, and not in its first wait. */
	nap__self()->stack_half = nap__os_stack_half();
	nap__worker_main(worker);
	return NULL;
}

/* What the libc needs for itself differs by machine (128 KiB on some AArch64). */
static size_t enough_stack(size_t size)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);

	return least > 0 && size < (size_t)least ? (size_t)least : size;
}

/* A default may be little (musl: 128 KiB), and tasks that wait run others, on the same stack. */
static int set_stack_size(pthread_attr_t *attr, size_t wanted)
{
	size_t usual;

	if (wanted)
		return pthread_attr_setstacksize(attr, enough_stack(wanted));
	if (!pthread_attr_getstacksize(attr, &usual) && usual >= LEAST_DEFAULT_STACK)
		return 0;
	return pthread_attr_setstacksize(attr, enough_stack(LEAST_DEFAULT_STACK));
}

int nap__os_thread_start(struct nap_worker *worker, size_t stack_size, const char *name)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int err;

	(void)name;
	err = pthread_attr_init(&attr);
	if (err)
		return -err;
	err = set_stack_size(&attr, stack_size);
	/* The mask is inherited: all are blocked until the worker has set its own. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!err)
		err = pthread_create(&thread, &attr, thread_main, worker);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		return -err;
	memcpy(&worker->thread, &thread, sizeof(thread));
	return 0;
}

void nap__os_thread_join(struct nap_worker *worker)
{
	pthread_t thread;

	memcpy(&thread, &worker->thread, sizeof(thread));
	pthread_join(thread, NULL);
}

void *nap__os_map(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

void nap__os_unmap(void *mem, size_t size)
{
	munmap(mem, size);
}

uint64_t nap__os_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

_Noreturn void nap__os_panic(void *caller, const char *fmt, ...)
{
	char what[256], where[256] = "";
	Dl_info info;
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (dladdr(caller, &info) && info.dli_fname)
		snprintf(where, sizeof(where), "%s(%s+0x%lx) ", info.dli_fname,
			 info.dli_sname ? info.dli_sname : "",
			 (unsigned long)((char *)caller - (char *)(info.dli_sname ? info.dli_saddr :
								   info.dli_fbase)));
	fprintf(stderr, "nap: %s, called from %s[%p]\n", what, where, caller);
	abort();
}
