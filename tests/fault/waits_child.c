// SPDX-License-Identifier: MIT
/* A call in the child of a fork, in the table of waits: tests/fault/waits.h. */
#include "fault/waits.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scale.h"

/* What a child says by its exit status: one of these, from 100 on. */
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

/* What the @child has to say, which is killed when that takes too long: then -ETIME. */
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

long waits_in_child(struct cell *cell)
{
	pid_t child = fork();

	if (child == 0)
		_exit(status_of(cell->call->call(cell)));
	return child > 0 ? answer_of(child) : -ENOTRECOVERABLE;
}
