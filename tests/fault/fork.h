/* SPDX-License-Identifier: MIT */
/*
 * The parts that tests of forks share: reports of children, and a task that forks and returns in
 * both processes.
 */
#ifndef NAP_TESTS_FAULT_FORK_H
#define NAP_TESTS_FAULT_FORK_H

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "os/os.h"
#include "fault/report.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 3);

/* What children report, in memory that all processes share. An exit status says too little. */
static struct { uint32_t line, handlers, children; } *told;

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			nap_cmpxchg_relaxed(&told->line, 0, __LINE__); \
			_exit(1); \
		} \
	} while (0)

static void at_exit(void)
{
	CHECK(nap_pool_join(&pool, NULL) == -ESHUTDOWN);
	CHECK(nap_pool_shutdown(&pool, NAP_STOP) == -ESHUTDOWN);
	nap_fetch_add_relaxed(&told->handlers, 1);
}

static void begin_telling(void)
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED || atexit(at_exit))
		abort();
	/* Empties the buffer, or every child that exits would write its contents once more. */
	fflush(NULL);
}

/* Sets the child's alarm: the child has inherited the watchdog's handler, but not the alarm. */
static void set_alarm(void)
{
	sigset_t none;

	/* The thread may have been a worker, which blocks all signals. */
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	alarm(WATCHDOG_SECONDS * (nap_test_slow() ? 5 : 1) / 3);
}

/*
 * Forks, and returns in both processes. In the child the worker's thread is the only one. When this
 * thread ends, the child ends.
 */
static inline void fork_and_return(struct nap_task *task)
{
	pid_t child = fork();
	int status;

	count_run(task);
	if (child == 0) {
		set_alarm();
		return;
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
		nap_cmpxchg_relaxed(&told->line, 0, __LINE__);
	nap_fetch_add_release(&told->children, 1);
}

#endif /* NAP_TESTS_FAULT_FORK_H */
