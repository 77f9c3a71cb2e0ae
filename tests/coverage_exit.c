/* SPDX-License-Identifier: MIT */
/*
 * Linked to every test program of a COVERAGE=1 build. libgcov writes the counts at exit(), but the
 * harness ends its children with _exit(), tests of forks end theirs with quick_exit(), and a debug
 * build ends misuse with abort(). By --wrap these calls come here, and write the counts first.
 */
#include <gcov.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Held around fork(), so that no other thread holds libgcov's own lock at the fork. The child does
 * not have the other threads: the lock would stay taken there, and the child would hang at exit.
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
 * gcc calls this function in place of fork(). libgcov's function of this name zeroes the child's
 * counts after the fork. But then handlers of pthread_atfork() have already run in the child, and
 * their counts would be lost. So this function zeroes the counts before the fork.
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
