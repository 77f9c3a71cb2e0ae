/* SPDX-License-Identifier: MIT */
/*
 * Echo with a fiber for each connection: tools/example/echo.c as it is.
 * The option TCP_NODELAY is set because Go sets it for each connection.
 */
#include "beside.h"
#include "common/echo.h"
#include "nap.h"

#include <netinet/tcp.h>

/* The example defines _GNU_SOURCE itself; here the command line has defined it. */
#undef _GNU_SOURCE
#define main example_main
int main(int argc, char **argv);
#include "../../example/echo.c"
#undef main

static intptr_t take_all(void *listener)
{
	int err = 0, fd;

	while (!err) {
		fd = accept4((int)(intptr_t)listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			err = nap_io_again((int)(intptr_t)listener, NAP_IO_READ, NAP_FOREVER);
		else if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)))
			row_die("no connection");
		else if (nap_spawn(&bench_pool, NULL, serve, (void *)(intptr_t)fd))
			row_die("a fiber does not run");
	}
	return err;
}

static unsigned port;
static struct nap_fiber *taker;

static void listen_begin(void)
{
	int listener = echo_listen(&port);

	if (nap_spawn(&bench_pool, &taker, take_all, (void *)(intptr_t)listener))
		row_die("a fiber does not run");
}

static void listen_end(void)
{
	nap_fiber_cancel(taker);
	nap_await(taker, NULL);
}

static void serve_begin(const struct size *size)
{
	bench_start(size);
	listen_begin();
}

static void serve_end(void)
{
	listen_end();
	bench_end();
}

static void serve_client(const struct size *size)
{
	echo_run_client(size, port);
}

static void echo_beside_row(const struct size *size)
{
	listen_begin();
	echo_run_beside(size, port);
	listen_end();
}

const struct row echo_rows[] = {
	ROW_OF("echo", row_time, serve_client, serve_begin, serve_end),
	ROW_WITHIN("echo-beside", echo_beside_row, beside_begin, beside_end),
	ROW_WITHIN("echo-idle", echo_beside_row, bench_start, bench_end),
	ROWS_END,
};
