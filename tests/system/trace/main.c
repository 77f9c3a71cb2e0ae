/* SPDX-License-Identifier: MIT */
/*
 * For trace.sh: pools that the environment has traced, and what a file says.
 *
 *	main join | exit | _exit | two | fork | child	runs ten tasks on a pool and ends so
 *	main read FILE					"whole" or "cut", and how many tasks began
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../trace_fixture.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1), other = NAP_POOL_INIT(.max_workers = 1);
static struct nap_task tasks[10];

static void nothing(struct nap_task *task)
{
	(void)task;
}

static void run_ten(struct nap_pool *of)
{
	for (int i = 0; i < 10; i++) {
		nap_task_init(&tasks[i], nothing);
		nap_schedule(of, &tasks[i]);
	}
	nap_pool_quiesce(of);
}

static int print(const char *name)
{
	static struct trace_read seen;
	int fd = open(name, O_RDONLY);
	bool is_whole;

	if (fd < 0)
		return 1;
	is_whole = trace_read(&seen, fd);
	printf("%s %d\n", is_whole ? "whole" : "cut", (int)(seen.begun + seen.begun_outside));
	return 0;
}

static int fork_and_run(void)
{
	pid_t child = fork();
	int status = 1;

	if (!child) {
		if (nap_pool_init_child(&pool))
			_exit(1);
		run_ten(&pool);
		exit(-nap_pool_join(&pool, NULL));
	}
	waitpid(child, &status, 0);
	printf("%d\n", (int)child);
	return status;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "read"))
		return print(argv[2]);
	run_ten(&pool);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "exit"))
		return 0;
	if (!strcmp(how, "two")) {
		run_ten(&other);
		nap_pool_join(&other, NULL);
	}
	if (!strcmp(how, "fork")) {
		pid_t child = fork();

		if (!child)
			exit(0);
		waitpid(child, NULL, 0);
	}
	if (!strcmp(how, "child") && fork_and_run())
		return 1;
	return -nap_pool_join(&pool, NULL);
}
