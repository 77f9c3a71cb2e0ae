/* SPDX-License-Identifier: MIT */
/*
 * An echo on a connection takes a hundred times as long as when the server does nothing else. Why?
 * Documentation/inside.rst finds out.
 *
 *	cc -O2 -o starved starved.c -lnap && ./starved
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nap/nap.h>

#define PINGS	100

static struct nap_pool pool = NAP_POOL_INIT(.name = "starved", .max_workers = 1);
static struct nap_task tasks[4];
static int ends[2];

/* Sends back what it gets, until the other end is closed. */
static intptr_t serve(void *unused)
{
	char byte;
	ssize_t n;

	(void)unused;
	while ((n = recv(ends[1], &byte, 1, MSG_DONTWAIT))) {
		if (n > 0)
			n = send(ends[1], &byte, 1, MSG_NOSIGNAL);
		if (n < 0 && nap_io_again(ends[1], NAP_IO_READ, NAP_FOREVER))
			break;
	}
	return 0;
}

#ifdef CURED	/* the computation has smaller parts */
#define PART_NS	100000
#else
#define PART_NS	10000000
#endif

/* A part of a long computation. */
static void compute(struct nap_task *task)
{
	uint64_t until = nap_deadline(PART_NS);

	while (nap_deadline(0) < until)
		;
	nap_schedule(&pool, task);
}

int main(void)
{
	uint64_t sum = 0, longest = 0, took;
	struct nap_batch left = NAP_BATCH_INIT;
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ||
	    nap_spawn(&pool, NULL, serve, NULL))
		return 1;
	for (int i = 0; i < 4; i++) {
		nap_task_init(&tasks[i], compute);
		nap_schedule(&pool, &tasks[i]);
	}
	for (int i = 0; i < PINGS; i++) {
		took = nap_deadline(0);
		if (write(ends[0], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			return 1;
		took = nap_deadline(0) - took;
		sum += took;
		longest = took > longest ? took : longest;
		usleep(1000);
	}
	close(ends[0]);
	nap_pool_shutdown(&pool, NAP_STOP);
	nap_pool_join(&pool, &left);
	printf("%d echoes: %.3f ms each, the longest %.3f ms\n", PINGS, (double)sum / PINGS / 1e6,
	       (double)longest / 1e6);
}
