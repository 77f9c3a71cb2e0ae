/* SPDX-License-Identifier: MIT */
/*
 * A client of tools/example/echo.c, for examples.sh:
 *
 *	echo_main PORT CONNECTIONS REQUESTS	REQUESTS in all, on CONNECTIONS at once
 *
 * A request is 1 to 100 bytes, which depend on connection and number. Every seventh request is sent
 * in two parts. Prints how many were answered. Exit status 0: each answer was what was sent, and
 * each connection ended after the client closed its half. 1: an answer was wrong, or a connection
 * did not end. 2: no connection.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 100

struct connection {
	int fd;
	unsigned turn, size, got;
	char bytes[MOST];
};

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void open_to(struct connection *c, unsigned port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)))
		fail("connect");
}

static void ask(struct connection *c)
{
	unsigned half;

	c->turn++;
	c->got = 0;
	c->size = 1 + (c->turn * 31 + (unsigned)c->fd) % MOST;
	half = c->turn % 7 ? 0 : c->size / 2;
	for (unsigned i = 0; i < c->size; i++)
		c->bytes[i] = (char)(c->turn * 7 + (unsigned)c->fd * 13 + i);
	if (half && write(c->fd, c->bytes, half) != (ssize_t)half)
		fail("write");
	if (write(c->fd, c->bytes + half, c->size - half) != (ssize_t)(c->size - half))
		fail("write");
}

/* Whether the connection has its whole answer after one more read. */
static bool take(struct connection *c)
{
	char bytes[MOST];
	ssize_t n = read(c->fd, bytes, c->size - c->got);

	if (n <= 0 || memcmp(bytes, c->bytes + c->got, (size_t)n)) {
		printf("wrong: connection %d, turn %u\n", c->fd, c->turn);
		exit(1);
	}
	c->got += (unsigned)n;
	return c->got == c->size;
}

static void ends(struct connection *c)
{
	char byte;

	if (shutdown(c->fd, SHUT_WR) || read(c->fd, &byte, 1) != 0) {
		puts("wrong: it does not end");
		exit(1);
	}
	close(c->fd);
}

int main(int argc, char **argv)
{
	unsigned port = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
	unsigned n = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	unsigned long requests = argc > 3 ? strtoul(argv[3], NULL, 10) : 0, asked = 0, done = 0;
	struct connection *all = calloc(n ? n : 1, sizeof(*all));
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[64];

	if (!port || !n || requests < n || !all || epoll < 0)
		return 2;
	for (unsigned i = 0; i < n; i++) {
		open_to(&all[i], port);
		epoll_ctl(epoll, EPOLL_CTL_ADD, all[i].fd,
			  &(struct epoll_event){ EPOLLIN, { .ptr = &all[i] } });
	}
	for (; asked < n; asked++)
		ask(&all[asked]);
	while (done < requests) {
		int ready = epoll_wait(epoll, events, 64, 60000);

		if (ready <= 0) {
			printf("wrong: nothing comes behind %lu\n", done);
			return 1;
		}
		for (int i = 0; i < ready; i++) {
			struct connection *c = events[i].data.ptr;

			if (!take(c))
				continue;
			done++;
			if (asked < requests) {
				asked++;
				ask(c);
			}
		}
	}
	for (unsigned i = 0; i < n; i++)
		ends(&all[i]);
	printf("%lu answered on %u connections\n", done, n);
	return 0;
}
