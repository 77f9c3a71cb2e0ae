/* SPDX-License-Identifier: MIT */
/*
 * 7-daemon SOCKET: the same server as a daemon. The answer to "metrics" is its counters. After
 * SIGTERM it finishes the answers that it has begun, for two seconds at most, and ends (by 1 if one
 * was not finished). On SIGUSR1 it prints what its pool does.
 */
#include "server.h"

#include <signal.h>
#include <sys/stat.h>

#define LARGE (1 << 20)
#define IDLE_CLIENT_NS	(60 * 1000000000ull)
#define DRAIN_NS	(2 * 1000000000ull)

static struct nap_classes classes = { .of = {
	[NAP_CLASS_INTERACTIVE] = { .weight = 8 },
	[NAP_CLASS_NORMAL] = { .weight = 4 },
	[NAP_CLASS_BATCH] = { .weight = 1, .limit = 1 },
}, .count = 3 };
static struct nap_pool pool = NAP_POOL_INIT(.name = "lines", .classes = &classes,
					    .measure = NAP_MEASURE);
static struct nap_scope clients;

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

static long count_in_class(const char *path)
{
	struct job job = { NAP_TASK_INIT(run), NAP_GROUP_INIT(NULL), path, 0 };
	struct stat stat_of;
	bool large = stat(path, &stat_of) == 0 && stat_of.st_size > LARGE;
	int err;

	nap_group_add(&job.ended, 1);
	err = nap_class_schedule(&pool, large ? NAP_CLASS_BATCH : NAP_CLASS_INTERACTIVE, &job.task);
	/* The wait succeeds: it is shielded, and the pool is not stopped. So @job may lie here. */
	return err || (err = nap_group_wait(&job.ended)) ? err : job.lines;
}

static int answer(int fd, const char *line)
{
	static const struct nap_metrics_pool pools[] = { { &pool, "lines" } };
	size_t size = 65536, n;
	char *page = malloc(size);
	int err;

	if (!page)
		return -ENOMEM;
	if (strcmp(line, "metrics") == 0)
		n = nap_metrics_pools(pools, 1, page, size);
	else
		n = (size_t)snprintf(page, size, "%ld %s\n", count_in_class(line), line);
	err = write_all(fd, page, n);
	free(page);
	return err;
}

/* A cancellation ends the wait for a request, not an answer: the answer's job is on this stack. */
static intptr_t serve(void *arg)
{
	int fd = (int)(intptr_t)arg, err = 0;
	char line[256];

	while (!err && read_line(fd, line, sizeof(line), nap_deadline(IDLE_CLIENT_NS)) > 0) {
		nap_fiber_shield(true);
		err = answer(fd, line);
		nap_fiber_shield(false);
	}
	close(fd);
	return 0;
}

static intptr_t accept_clients(void *arg)
{
	int listener = (int)(intptr_t)arg, err = 0;

	while (err != -ECANCELED) {
		int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			err = nap_io_again(listener, NAP_IO_READ, NAP_FOREVER);
		else if (nap_scope_spawn(&clients, serve, (void *)(intptr_t)fd))
			close(fd);
		if (fd < 0 && err && err != -ECANCELED)
			err = nap_sleep(10000000);	/* until a descriptor is free */
	}
	close(listener);
	return 0;
}

int main(int argc, char **argv)
{
	int listener = argc > 1 ? listen_at(argv[1]) : -EINVAL, signal;
	sigset_t ends;

	if (listener < 0) {
		fprintf(stderr, "usage: 7-daemon SOCKET (%s)\n", strerror(-listener));
		return 1;
	}
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	nap_dump_on_signal(SIGUSR1, STDERR_FILENO);
	nap_scope_begin(&clients, &pool);
	nap_scope_spawn(&clients, accept_clients, (void *)(intptr_t)listener);
	sigwait(&ends, &signal);

	nap_scope_cancel(&clients);
	unlink(argv[1]);
	/* Nobody can end a task that is inside read(2), except the end of the process. */
	if (nap_scope_end_until(&clients, nap_deadline(DRAIN_NS), NULL) == -ETIMEDOUT)
		return 1;
	return nap_pool_join(&pool, NULL) ? 1 : 0;
}
