/* SPDX-License-Identifier: MIT */
/*
 * For trace.sh: runs pools while NAP_TRACE traces them, and reads traces.
 *
 *	main join | exit | _exit | two | fork | child
 *				runs ten tasks on a pool, and ends like this
 *	main late		the join comes after the library's end
 *	main print		prints before the join
 *	main gone		a child unmaps the pool's memory
 *	main own FILE		runs ten more, which it also traces into FILE
 *	main read FILE		prints "whole" or "cut", and how many tasks began
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/trace.h>

#include "../../trace_fixture.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);
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

static int run_gone(void)
{
	struct nap_config config = { .max_workers = 1 };
	struct nap_pool *mapped = mmap(NULL, sizeof(*mapped), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 1;
	pid_t child;

	if (nap_pool_init(mapped, &config))
		return 1;
	run_ten(mapped);
	child = fork();
	if (!child) {
		munmap(mapped, sizeof(*mapped));
		exit(0);
	}
	waitpid(child, &status, 0);
	return status ? 1 : -nap_pool_join(mapped, NULL);
}

static int run_own(const char *name)
{
	struct nap_trace_options options = { .flags = NAP_TRACE_AT_JOIN };

	options.fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (nap_trace_end(&pool) || nap_trace_begin(&pool, &options))
		return 1;
	run_ten(&pool);
	return nap_pool_join(&pool, NULL) || close(options.fd);
}

static bool is_late;

__attribute__((destructor(101))) static void join_late(void)
{
	struct stat st;
	int fd;

	if (!is_late)
		return;
	/* A file that has the number of the trace's, and has to stay empty and open. */
	fd = memfd_create("late", MFD_CLOEXEC);
	nap_pool_join(&pool, NULL);
	if (fstat(fd, &st) || st.st_size)
		_exit(1);
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
	if (!strcmp(how, "gone"))
		return run_gone();
	run_ten(&pool);
	if (!strcmp(how, "own"))
		return run_own(argv[2]);
	is_late = !strcmp(how, "late");
	if (is_late)
		return 0;
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "exit"))
		return 0;
	if (!strcmp(how, "print"))
		dprintf(STDOUT_FILENO, "not into the trace\n");
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
