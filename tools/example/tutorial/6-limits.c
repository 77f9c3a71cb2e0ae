/* SPDX-License-Identifier: MIT */
/*
 * 6-limits SOCKET: the same server. Large files are counted by one worker at a time, so that
 * clients with small files do not wait.
 */
#include "server.h"

#include <sys/stat.h>

#define LARGE (1 << 20)

static struct nap_classes classes = { .of = {
	[NAP_CLASS_INTERACTIVE] = { .weight = 8 },
	[NAP_CLASS_NORMAL] = { .weight = 4 },
	[NAP_CLASS_BATCH] = { .weight = 1, .limit = 1 },
}, .count = 3 };
static struct nap_pool pool = NAP_POOL_INIT(.name = "lines", .classes = &classes);

struct job {
	struct nap_task task;
	struct nap_group ended;
	const char *path;
	long lines;
};

static void run(struct nap_task *task)
{
	struct job *job = nap_container_of(task, struct job, task);

	job->lines = count_lines(job->path);
	nap_group_done(&job->ended);
}

/* While the fiber waits, its worker serves other clients. */
static long count_in_class(const char *path)
{
	struct job job = { NAP_TASK_INIT(run), NAP_GROUP_INIT(NULL), path, 0 };
	struct stat stat_of;
	bool large = stat(path, &stat_of) == 0 && stat_of.st_size > LARGE;

	nap_group_add(&job.ended, 1);
	nap_class_schedule(&pool, large ? NAP_CLASS_BATCH : NAP_CLASS_INTERACTIVE, &job.task);
	nap_group_wait(&job.ended);
	return job.lines;
}

static intptr_t serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char line[256], answer[300];

	while (read_line(fd, line, sizeof(line), NAP_FOREVER) > 0) {
		int n = snprintf(answer, sizeof(answer), "%ld %s\n", count_in_class(line), line);

		if (write_all(fd, answer, (size_t)n))
			break;
	}
	close(fd);
	return 0;
}

static intptr_t accept_clients(void *arg)
{
	int listener = (int)(intptr_t)arg;

	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && nap_io_again(listener, NAP_IO_READ, NAP_FOREVER))
			return 0;
		if (fd >= 0 && nap_spawn(&pool, NULL, serve, (void *)(intptr_t)fd))
			close(fd);
	}
}

int main(int argc, char **argv)
{
	int listener = argc > 1 ? listen_at(argv[1]) : -EINVAL;
	struct nap_fiber *acceptor;

	if (listener < 0) {
		fprintf(stderr, "usage: 6-limits SOCKET (%s)\n", strerror(-listener));
		return 1;
	}
	nap_spawn(&pool, &acceptor, accept_clients, (void *)(intptr_t)listener);
	return nap_await(acceptor, NULL);
}
