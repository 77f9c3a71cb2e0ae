/* SPDX-License-Identifier: MIT */
/* Requests on many connections, several ahead on each. Every reply is checked. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

#define MOST_AHEAD 64	/* client.c refuses a higher number */

static struct load load;
static unsigned long nr_replies[HASH_STATUSES], nr_wrong, nr_lost;
static unsigned nr_begun, nr_ended;

struct connection {
	int fd;
	struct {
		uint32_t id;
		uint8_t digest[32];
	} expected[MOST_AHEAD];		/* request n is at n % MOST_AHEAD */
	unsigned asked, told;
	char *frame;			/* the frame that is being sent */
	size_t size, sent, got;
	struct hash_reply reply;
};

static void take_reply(struct connection *c)
{
	unsigned i = c->told++ % MOST_AHEAD;
	uint32_t status = ntohl(c->reply.status);

	if (ntohl(c->reply.magic) != HASH_MAGIC || ntohl(c->reply.id) != c->expected[i].id ||
	    status >= HASH_STATUSES ||
	    (status == HASH_OK && memcmp(c->reply.digest, c->expected[i].digest, 32)))
		nr_wrong++;
	else
		nr_replies[status]++;
	nr_ended++;
	c->got = 0;
}

static void next_frame(struct connection *c)
{
	unsigned i = c->asked % MOST_AHEAD;

	if (c->frame || c->asked - c->told >= load.ahead || nr_begun == load.requests)
		return;
	c->asked++;
	c->expected[i].id = nr_begun++;
	c->size = some(load.bytes + 1);
	c->sent = 0;
	c->frame = new_frame(c->expected[i].id, (uint32_t)c->size, load.deadline,
			     c->expected[i].digest);
	c->size += sizeof(struct hash_head);
}

static void lose(struct connection *c)
{
	nr_lost += c->asked - c->told;
	nr_ended += c->asked - c->told;
	c->told = c->asked;
	close(c->fd);
	c->fd = -1;
	free(c->frame);
	c->frame = NULL;
}

static void serve(struct connection *c, short events)
{
	ssize_t n;

	if (events & POLLOUT && c->frame) {
		n = send(c->fd, c->frame + c->sent, c->size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		c->sent += n > 0 ? (size_t)n : 0;
		if (c->sent == c->size) {
			free(c->frame);
			c->frame = NULL;
		}
	}
	if (!(events & (POLLIN | POLLHUP | POLLERR)))
		return;
	n = recv(c->fd, (char *)&c->reply + c->got, sizeof(c->reply) - c->got, MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno != EAGAIN))
		return lose(c);
	c->got += n > 0 ? (size_t)n : 0;
	if (c->got == sizeof(c->reply))
		take_reply(c);
}

int run_load(const struct load *given)
{
	struct connection *all = calloc(given->connections, sizeof(*all));
	struct pollfd *polls = calloc(given->connections, sizeof(*polls));
	unsigned open = given->connections;

	load = *given;
	for (unsigned i = 0; i < load.connections; i++)
		all[i].fd = open_connection();
	while (nr_ended < load.requests && open) {
		for (unsigned i = open = 0; i < load.connections; i++) {
			if (all[i].fd >= 0)
				next_frame(&all[i]);
			polls[i].fd = all[i].fd;
			polls[i].events = POLLIN | (all[i].frame ? POLLOUT : 0);
		}
		poll(polls, load.connections, -1);
		for (unsigned i = 0; i < load.connections; i++) {
			if (all[i].fd >= 0 && polls[i].revents)
				serve(&all[i], polls[i].revents);
			open += all[i].fd >= 0;
		}
	}
	for (unsigned i = 0; i < load.connections; i++)
		if (all[i].fd >= 0)
			lose(&all[i]);
	nr_lost += load.requests - nr_begun;
	printf("ok %lu late %lu refused %lu wrong %lu lost %lu\n", nr_replies[HASH_OK],
	       nr_replies[HASH_LATE], nr_replies[HASH_REFUSED], nr_wrong, nr_lost);
	free(all);
	free(polls);
	return nr_wrong || nr_lost;
}
