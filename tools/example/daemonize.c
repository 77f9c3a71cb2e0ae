/* SPDX-License-Identifier: MIT */
/*
 * A program that uses a pool, becomes a daemon, and goes on with the same pool:
 *
 *	cc -O2 -o daemonize daemonize.c $(pkg-config --cflags --libs nap)
 *	./daemonize FILE [STEP]		FILE gets what was computed; for a test, STEP fails: "pool"
 *
 * The parent ends when the daemon is ready. Its exit status is 0, or 1 if there is no daemon.
 * Threads do not survive a fork, so the daemon has no worker of the parent's. The daemon
 * initialises the pool again before using it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nap/nap.h>

#define NUMBERS 1000

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2, .name = "daemonize");
static struct number { struct nap_task task; long n, square; } numbers[NUMBERS];

static void square(struct nap_task *task)
{
	struct number *number = nap_container_of(task, struct number, task);

	number->square = number->n * number->n;
}

/* Returns the sum of the squares of 1 to NUMBERS, by the pool; -1 if the pool refuses. */
static long sum_of_squares(void)
{
	long sum = 0;

	for (int i = 0; i < NUMBERS; i++) {
		numbers[i].n = i + 1;
		nap_task_init(&numbers[i].task, square);
		if (nap_schedule(&pool, &numbers[i].task))
			return -1;
	}
	if (nap_pool_quiesce(&pool))
		return -1;
	for (int i = 0; i < NUMBERS; i++)
		sum += numbers[i].square;
	return sum;
}

/*
 * Opens missing standard streams. Otherwise the next file that is opened would become a standard
 * stream, and let_go_of_terminal() would close it.
 */
static int open_standard_streams(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return -1;
	return 0;
}

/* Waits in the parent until the daemon says that it is ready, or is gone. */
static int wait_until_ready(int from, pid_t between)
{
	char ready = 0;
	ssize_t n;

	do {
		n = read(from, &ready, 1);
	} while (n < 0 && errno == EINTR);
	while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return n == 1 && ready == 'r' ? 0 : 1;
}

/*
 * Forks twice: the first child leads a new session and ends, so the second has no terminal and
 * never gets one. Returns in the daemon, with the end of the pipe on which the daemon says that
 * it is ready. The parent returns only if it cannot fork: -1.
 */
static int become_daemon(void)
{
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return -1;
	child = fork();
	if (child < 0)
		return -1;
	if (child > 0) {
		close(ends[1]);
		_exit(wait_until_ready(ends[0], child));
	}
	close(ends[0]);
	if (setsid() < 0)
		_exit(1);
	child = fork();
	if (child)
		_exit(child < 0);
	umask(022);
	return chdir("/") ? -1 : ends[1];
}

/* Makes the standard streams /dev/null: messages go to a log. */
static int let_go_of_terminal(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		return -1;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return -1;
	return null > 2 ? close(null) : 0;
}

int main(int argc, char **argv)
{
	long before, after;
	int file, ready;

	if (argc < 2)
		return 2;
	if (open_standard_streams())
		return 1;
	before = sum_of_squares();
	/* The file is opened before chdir(), so its name may be relative. */
	file = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (before < 0 || file < 0)
		return 1;

	ready = become_daemon();
	if (ready < 0)
		return 1;
	/* Up to here the pool is the parent's, and refuses everything. */
	if (argc > 2 && !strcmp(argv[2], "pool"))
		return 1;
	if (sum_of_squares() != -1 || nap_pool_init_child(&pool))
		return 1;
	if (let_go_of_terminal() || write(ready, "r", 1) != 1)
		return 1;
	close(ready);

	after = sum_of_squares();
	dprintf(file, "%ld %ld %s\n", before, after, getpid() == getsid(0) ? "leader" : "daemon");
	return nap_pool_join(&pool, NULL) || close(file);
}
