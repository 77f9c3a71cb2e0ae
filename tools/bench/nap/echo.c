// SPDX-License-Identifier: MIT
/* Connections that are fibers: as tools/example/echo.c. */
#include "common/echo.h"
#include "nap.h"

#include <sys/socket.h>
#include <unistd.h>

static intptr_t serve(void *arg)
{
	int fd = (int)(intptr_t)arg, err = 0;
	char bytes[ECHO_BYTES];
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

static intptr_t take_all(void *listener)
{
	int err = 0, fd;

	while (!err) {
		fd = accept4((int)(intptr_t)listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			err = nap_io_again((int)(intptr_t)listener, NAP_IO_READ, NAP_FOREVER);
		else if (nap_spawn(&bench_pool, NULL, serve, (void *)(intptr_t)fd))
			row_die("a fiber does not run");
	}
	return err;
}

static unsigned port;

static void serve_client(const struct size *size)
{
	echo_run_client(size, port);
}

void echo_row(const struct size *size)
{
	int listener = echo_listen(&port);
	struct nap_fiber *fiber;

	bench_start(size);
	if (nap_spawn(&bench_pool, &fiber, take_all, (void *)(intptr_t)listener))
		row_die("a fiber does not run");
	row_time(size, serve_client);
	nap_fiber_cancel(fiber);
	nap_await(fiber, NULL);
	bench_end();
}
