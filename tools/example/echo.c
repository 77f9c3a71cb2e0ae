/* SPDX-License-Identifier: MIT */
/*
 * echo [PORT]: sends back what it gets, over TCP. Each connection has a fiber, and a descriptor
 * (ulimit -n). The fibers run on as many threads as there are CPUs.
 *
 *	cc -O2 -o echo echo.c -lnap && ./echo 7007
 */
#define _GNU_SOURCE
#include <nap/nap.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct nap_pool pool = NAP_POOL_INIT(.name = "echo");

static intptr_t serve(void *arg)
{
	int fd = (int)(intptr_t)arg, err = 0;
	char bytes[4096];
	ssize_t n, sent;

	do {
		n = recv(fd, bytes, sizeof(bytes), 0);
		if (n < 0)
			err = nap_io_again(fd, NAP_IO_READ, NAP_FOREVER);
		for (ssize_t at = 0; at < n && !err; at += sent > 0 ? sent : 0) {
			sent = send(fd, bytes + at, (size_t)(n - at), MSG_NOSIGNAL);
			if (sent < 0)
				err = nap_io_again(fd, NAP_IO_WRITE, NAP_FOREVER);
		}
	} while (n && !err);
	return close(fd);
}

/* Accepts a connection. New ones wait while there is no descriptor, or no fiber, for them. */
static void take(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && nap_io_again(listener, NAP_IO_READ, NAP_FOREVER))
		usleep(10000);
	while (fd >= 0 && nap_spawn(&pool, NULL, serve, (void *)(intptr_t)fd))
		usleep(10000);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { AF_INET, htons(argc > 1 ? (uint16_t)atoi(argv[1]) : 0), {}, {} };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(at);

	if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)) ||
	    bind(listener, (void *)&at, size) || listen(listener, SOMAXCONN) ||
	    getsockname(listener, (void *)&at, &size))
		return perror("echo"), 1;
	for (printf("port %d\n", ntohs(at.sin_port)), fflush(stdout);; take(listener))
		;
}
