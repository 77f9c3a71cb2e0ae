/* SPDX-License-Identifier: MIT */
/* Calls in the child of a fork, for the table of waits: tests/fault/waits.h. */
#include "fault/waits.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scale.h"

/* The answers that a child can report. Its exit status is 100 + the index of the answer. */
static const int told[] = { 0, ETIMEDOUT, ECANCELED, ESHUTDOWN, EDEADLK, EPIPE, EALREADY, EINVAL };

#define ANSWERED	100
#define NR_TOLD		((int)(sizeof(told) / sizeof(*told)))

static int status_of(long answer)
{
	int i = 0;

	while (i < NR_TOLD && told[i] != (answer > 0 ? 0 : -answer))
		i++;
	return ANSWERED + i;
}

/* Returns the answer that @child reports; -ETIME: the child took too long, and has been killed. */
static long answer_of(pid_t child)
{
	int status;

	for (unsigned long i = 0; i < 10000 * nap_test_scale(); i++) {
		if (waitpid(child, &status, WNOHANG) == child) {
			int n = WIFEXITED(status) ? WEXITSTATUS(status) - ANSWERED : -1;

			return n >= 0 && n < NR_TOLD ? -told[n] : -ESRCH;
		}
		usleep(200);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return -ETIME;
}

static long call_in_child(struct cell *cell)
{
	pid_t child = fork();

	if (child == 0)
		_exit(status_of(cell->call->call(cell)));
	return child > 0 ? answer_of(child) : -ENOTRECOVERABLE;
}

/* ---- a task forks, and returns in both processes */

static bool in_child;

/*
 * Forks if the task runs on the caller's thread. A fork on another thread would not test the
 * caller.
 */
static void fork_there(struct nap_task *task)
{
	struct cell *cell = nap_container_of(task, struct cell, forks);

	if (syscall(SYS_gettid) == cell->tid) {
		pid_t child = fork();

		cell->forked = true;
		in_child = child == 0;
		if (child)
			cell->answer = child > 0 ? answer_of(child) : -ENOTRECOVERABLE;
	}
	waits_set(&cell->tried);
}

static void have_it_fork(struct cell *cell)
{
	struct nap_pool *home = &cell->world->home;
	long err;

	nap_store_relaxed(&cell->tried, 0);
	nap_task_init(&cell->forks, fork_there);
	err = cell->event == FORKED_SERIAL ? nap_serial_schedule(&cell->of_forks, &cell->forks) :
					     nap_schedule(home, &cell->forks);
	WAITS_CHECK(cell, err == 0);
	while (!waits_is_set(&cell->tried)) {
		err = nap_pool_help(home, 1);
		WAITS_CHECK(cell, in_child ? err == 1 : err >= 0);
	}
}

static long call_after_task(struct cell *cell)
{
	nap_serial_init(&cell->of_forks, &cell->world->home);
	while (!cell->forked)
		have_it_fork(cell);
	if (in_child)
		_exit(status_of(cell->call->call(cell)));
	return cell->answer;
}

long waits_in_child(struct cell *cell)
{
	return cell->event == FORKED ? call_in_child(cell) : call_after_task(cell);
}
