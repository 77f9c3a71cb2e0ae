/* SPDX-License-Identifier: MIT */
#include "common/echo.h"

#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int echo_listen(unsigned *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(at);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&at, &size))
		row_die("no socket");
	*port = ntohs(at.sin_port);
	return fd;
}

/* Returns the path of @name in this program's folder. */
static char *client(const char *name)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);

	if (n <= 0)
		row_die("no /proc/self/exe");
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
	return path;
}

static char *number(unsigned i, uint64_t value)
{
	static char numbers[3][32];

	snprintf(numbers[i], sizeof(numbers[i]), "%lu", (unsigned long)value);
	return numbers[i];
}

void echo_command(const struct size *size, unsigned port, char *command[5])
{
	command[0] = client("echo-client");
	command[1] = number(0, port);
	command[2] = *size->how ? (char *)size->how : number(1, 1);
	command[3] = number(2, size->n);
	command[4] = NULL;
}

/*
 * Runs the client to its end. Its output goes to the file @out, or, with NULL, to this program's
 * output.
 */
static void run(char *command[], const char *out)
{
	posix_spawn_file_actions_t actions;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	if (out)
		posix_spawn_file_actions_addopen(&actions, 1, out, 1, 0);
	if (posix_spawn(&pid, command[0], &actions, NULL, command, environ))
		row_die("no client");
	posix_spawn_file_actions_destroy(&actions);
	if (waitpid(pid, &status, 0) != pid || status)
		row_die("the client found a wrong answer");
}

void echo_run_client(const struct size *size, unsigned port)
{
	char *command[5];

	echo_command(size, port, command);
	/* The client's own output is no sample. */
	run(command, "/dev/null");
}

void echo_run_beside(const struct size *size, unsigned port)
{
	char *command[] = { client("beside-client"), number(0, port), number(1, size->rounds),
			    (char *)size->row, (char *)row_peer, NULL };

	run(command, NULL);
}
