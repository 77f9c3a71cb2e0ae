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
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(at);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&at, &size))
		row_die("no socket");
	*port = ntohs(at.sin_port);
	return fd;
}

void echo_command(const struct size *size, unsigned port, char *command[5])
{
	static char client[4096], numbers[3][32];
	ssize_t n = readlink("/proc/self/exe", client, sizeof(client) - sizeof("echo-client"));

	if (n <= 0)
		row_die("no /proc/self/exe");
	client[n] = '\0';
	strcpy(strrchr(client, '/') + 1, "echo-client");
	snprintf(numbers[0], sizeof(numbers[0]), "%u", port);
	snprintf(numbers[1], sizeof(numbers[1]), "%s", *size->how ? size->how : "1");
	snprintf(numbers[2], sizeof(numbers[2]), "%lu", (unsigned long)size->n);
	command[0] = client;
	for (int i = 0; i < 3; i++)
		command[i + 1] = numbers[i];
	command[4] = NULL;
}

void echo_run_client(const struct size *size, unsigned port)
{
	posix_spawn_file_actions_t actions;
	char *command[5];
	int status;
	pid_t pid;

	echo_command(size, port, command);
	/* What it says of itself is not a sample. */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
	if (posix_spawn(&pid, command[0], &actions, NULL, command, environ))
		row_die("no client");
	posix_spawn_file_actions_destroy(&actions);
	if (waitpid(pid, &status, 0) != pid || status)
		row_die("the client found a wrong answer");
}
