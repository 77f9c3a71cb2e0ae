/* SPDX-License-Identifier: MIT */
/*
 * Linked to every test program of a COVERAGE=1 build, with --wrap: the counts are written at
 * exit(), but the harness ends its children with _exit(), tests of forks end theirs with
 * quick_exit(), and a debug build ends misuse with abort().
 */
#include <gcov.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Held around fork(). Otherwise a child could inherit libgcov's own lock as held by a thread that
 * the child does not have, and would hang where it ends.
 */
static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER;

static void dump(void)
{
	pthread_mutex_lock(&counts);
	__gcov_dump();
	pthread_mutex_unlock(&counts);
}

#define DUMP_FIRST(end)									\
_Noreturn void __real_##end(int status);						\
_Noreturn void __wrap_##end(int status);						\
_Noreturn void __wrap_##end(int status)							\
{											\
	dump();										\
	__real_##end(status);								\
}

DUMP_FIRST(_exit)
DUMP_FIRST(_Exit)
DUMP_FIRST(quick_exit)

_Noreturn void __real_abort(void);
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	dump();
	__real_abort();
}

/*
 * gcc calls this function for fork(). libgcov's own zeroes the child's counts after the fork, and
 * with them what handlers of pthread_atfork() have counted; here the zeroing comes before the
 * fork.
 */
pid_t __wrap___gcov_fork(void);
pid_t __wrap___gcov_fork(void)
{
	pid_t pid;

	pthread_mutex_lock(&counts);
	__gcov_dump();
	__gcov_reset();
	pid = fork();
	pthread_mutex_unlock(&counts);
	return pid;
}
