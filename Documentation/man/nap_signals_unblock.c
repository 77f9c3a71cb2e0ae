/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <sys/wait.h>
#include <unistd.h>

static struct nap_pool pool;

static void start(struct nap_task *task)
{
	pid_t pid = fork();

	(void)task;
	if (pid == 0) {
		nap_signals_unblock();
		execlp("true", "true", (char *)NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(start);

	nap_schedule(&pool, &task);
	return nap_pool_join(&pool, NULL);
}
