/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int begun, go_on;

static void hangs(struct nap_task *task)
{
	(void)task;
	SET(begun);
	UNTIL(go_on);
}

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .name = "service");
	struct nap_task task = NAP_TASK_INIT(hangs);
	static char text[65536];
	int fds[2];

	TRY(pipe(fds) == 0 && dup2(fds[1], STDERR_FILENO) == STDERR_FILENO);
	TRY(dump_when_told() == 0 && nap_schedule(&pool, &task) == 0);
	UNTIL(begun);
	TRY(kill(getpid(), SIGUSR2) == 0);
	TRY(read(fds[0], text, sizeof(text) - 1) > 0 && strstr(text, "\"service\""));
	SET(go_on);
	return nap_pool_join(&pool, NULL);
}
