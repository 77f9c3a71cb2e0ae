// SPDX-License-Identifier: MIT
/* Connections that are fibers: those of tools/example/echo.c, as they are. */
#include "common/echo.h"
#include "nap.h"

/* What it defines for itself comes from the command line here. */
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
