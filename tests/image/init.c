/* SPDX-License-Identifier: MIT */
/*
 * /init of a machine that runs tests. It runs every program that /programs names, one after
 * another, and switches the power off at the end. The output of each program goes to the serial
 * port between two lines of this program; tools/image/totals.awk takes the outputs apart again.
 *
 * Words like NAME=value on the kernel's command line become the environment of this program, and
 * of the programs that it runs. /proc is mounted where the archive has a directory of this name,
 * because tests count threads there; nothing else is mounted.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "os/linux/file.h"
#include "os/os.h"
#include "bare_libc.h"

#define SIGCHLD		17
#define POLLIN		1
#define TCSBRK		0x5409	/* ioctl(): with argument 1 it waits until the output is sent */
#define POLL_MS		20
/* seconds that a program may take, unless IMAGE_LIMIT says another number */
#define LIMIT_S		900u
#define ALL_PROCESSES	-1
#define NS_PER_MS	1000000u

struct totals {
	unsigned int passed, failed, skipped;
};

static struct totals all;
static char **environment;
static unsigned long limit_s = LIMIT_S;

static unsigned long now_ms(void)
{
	return (unsigned long)(nap__os_now() / NS_PER_MS);
}

/* ---- the first task ---- */

static void say_when(struct nap_task *task)
{
	(void)task;
	printf("== first task: %lu us after the kernel's clock began\n",
	       (unsigned long)(nap__os_now() / 1000));
}

static bool run_first_task(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	static struct nap_task task = NAP_TASK_INIT(say_when);

	return !nap_schedule(&pool, &task) && !nap_pool_join(&pool, NULL);
}

/* ---- the output of a program ---- */

struct reader {
	struct totals sum;
	unsigned int planned;
	size_t len;
	char line[1024];	/* the beginning of the line; a longer line is cut */
};

static void read_line(struct reader *reader)
{
	const char *line = reader->line;

	if (!strncmp(line, "1..", 3))
		reader->planned = (unsigned int)strtoul(line + 3, NULL, 10);
	else if (!strncmp(line, "not ok ", 7))
		reader->sum.failed++;
	else if (!strncmp(line, "ok ", 3) && strstr(line, "# SKIP"))
		reader->sum.skipped++;
	else if (!strncmp(line, "ok ", 3))
		reader->sum.passed++;
}

static void read_bytes(struct reader *reader, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if (reader->len < sizeof(reader->line) - 1)
				reader->line[reader->len++] = bytes[i];
			continue;
		}
		reader->line[reader->len] = '\0';
		read_line(reader);
		reader->len = 0;
	}
}

/* Copies what the pipe has; returns false when every writer has closed the pipe. */
static bool copy_some(int fd, struct reader *reader)
{
	struct {
		int fd;
		short events, revents;
	} look = { .fd = fd, .events = POLLIN };
	int64_t timeout[2] = { 0, POLL_MS * (int64_t)NS_PER_MS };
	char bytes[4096];
	long n;

	if (nap__syscall5(NAP__NR_ppoll, (long)&look, 1, (long)timeout, 0, 0) <= 0)
		return true;
	n = read(fd, bytes, sizeof(bytes));
	if (n <= 0)
		return false;
	write(stdout, bytes, (size_t)n);
	read_bytes(reader, bytes, (size_t)n);
	return true;
}

/* ---- a program ---- */

static _Noreturn void become_program(const char *path, int out)
{
	const char *argv[] = { path, NULL };

	nap__syscall3(NAP__NR_dup3, out, stdout, 0);
	nap__syscall3(NAP__NR_dup3, out, stderr, 0);
	nap__syscall3(NAP__NR_execve, (long)path, (long)argv, (long)environment);
	printf("# %s: cannot be run\n", path);
	_exit(127);
}

/*
 * Copies the output until the pipe is at its end. Kills all processes when @pid has ended or its
 * time is over, because a process that @pid has left behind holds the pipe open. Returns the
 * status of @pid, or -1 if its time was over.
 */
static int watch(pid_t pid, int fd, struct reader *reader)
{
	unsigned long end = now_ms() + limit_s * 1000;
	int status, result = -1;
	bool ended = false;
	int child;

	while (copy_some(fd, reader)) {
		while ((child = nap_bare_reap(&status)) > 0) {
			if (child != pid)
				continue;
			ended = true;
			result = status;
		}
		if (ended || now_ms() > end)
			kill(ALL_PROCESSES, SIGKILL);
	}
	while (!ended) {
		child = nap_bare_reap(&status);
		ended = child == pid || child == -ECHILD;
		if (child == pid && now_ms() <= end)
			result = status;
		else if (child == 0)
			usleep(1000);
	}
	return result;
}

/*
 * Counts as tools/ktap.sh does: a planned test that did not run is a failure; so is a bad exit
 * status.
 */
static void judge(struct reader *reader, int status)
{
	struct totals *sum = &reader->sum;
	unsigned int ran = sum->passed + sum->failed + sum->skipped;

	if (!reader->planned)
		sum->failed++;
	else if (ran < reader->planned)
		sum->failed += reader->planned - ran;
	else if (ran > reader->planned || (status && !sum->failed))
		sum->failed++;
	all.passed += sum->passed;
	all.failed += sum->failed;
	all.skipped += sum->skipped;
}

static void run(const char *path)
{
	static struct reader reader;
	unsigned long begin = now_ms();
	int fds[2], status;
	pid_t pid;

	reader = (struct reader){ .len = 0 };
	printf("== begin %s\n", path);
	if (pipe(fds))
		abort();
	pid = fork();
	if (pid == 0) {
		file_close(fds[0]);
		become_program(path, fds[1]);
	}
	file_close(fds[1]);
	status = pid > 0 ? watch(pid, fds[0], &reader) : -1;
	file_close(fds[0]);
	judge(&reader, status);
	printf("\n== end %s: %u passed, %u failed, %u skipped, status %d, %lu ms\n", path,
	       reader.sum.passed, reader.sum.failed, reader.sum.skipped, status, now_ms() - begin);
}

/* ---- all programs ---- */

/* Runs every program of the list; with ONLY set, those whose path contains its value. */
static void run_all(char *list)
{
	const char *only = getenv("ONLY");
	char *path = list, *end;

	while ((end = strchr(path, '\n'))) {
		*end = '\0';
		if (!only || strstr(path, only))
			run(path);
		path = end + 1;
	}
}

static bool read_list(char *list, size_t size)
{
	size_t len = 0;
	int fd = file_open("/programs");
	long n;

	while (len < size - 1 && (n = file_read(fd, list + len, size - 1 - len)) > 0)
		len += (size_t)n;
	file_close(fd);
	list[len] = '\0';
	return len && len < size - 1;
}

int main(int argc, char **argv, char **envp)
{
	static char list[16384];

	(void)argc;
	(void)argv;
	environment = envp;
	bare_libc_init(envp);
	if (getenv("IMAGE_LIMIT"))
		limit_s = strtoul(getenv("IMAGE_LIMIT"), NULL, 10);
	if (!run_first_task())
		printf("== no task could be run\n");
	nap__syscall5(NAP__NR_mount, (long)"proc", (long)"/proc", (long)"proc", 0, 0);
	if (read_list(list, sizeof(list)))
		run_all(list);
	else
		printf("== /programs: not there, empty or too long\n");
	printf("== %u passed, %u failed, %u skipped\n", all.passed, all.failed, all.skipped);
	printf("== power off: %lu ms after the kernel's clock began\n", now_ms());
	nap__syscall3(NAP__NR_ioctl, stdout, TCSBRK, 1);
	nap_bare_reboot(NAP_BARE_POWER_OFF);
	printf("== the machine cannot be switched off\n");
	for (;;)
		usleep(1000000);
}
