/* SPDX-License-Identifier: MIT */
/* 5-fiber SOCKET: a server with a fiber for each client. A client sends names and gets counts. */
#include "server.h"

static struct nap_pool pool;

static intptr_t serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char line[256], answer[300];

	while (read_line(fd, line, sizeof(line), NAP_FOREVER) > 0) {
		int n = snprintf(answer, sizeof(answer), "%ld %s\n", count_lines(line), line);

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
		fprintf(stderr, "usage: 5-fiber SOCKET (%s)\n", strerror(-listener));
		return 1;
	}
	nap_spawn(&pool, &acceptor, accept_clients, (void *)(intptr_t)listener);
	return nap_await(acceptor, NULL);
}
