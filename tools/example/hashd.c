// SPDX-License-Identifier: MIT
/*
 * hashd on epoll; hashd.h says what it does.
 *
 *	cc -O2 hashd.c -lnap -lnettle -o hashd && ./hashd 7007
 */
#define _GNU_SOURCE
#include "hashd.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>

struct peer {
	struct client client;
	int fd;
	uint32_t events;	/* that epoll tells of */
};

static int epoll, listener, signals;

static void watch(int how, int fd, uint32_t events, void *who)
{
	epoll_ctl(epoll, how, fd, &(struct epoll_event){ events, { .ptr = who } });
}

static void room_changed(void)
{
	if (end_at && listener >= 0) {
		close(listener);
		listener = -1;
	}
	watch(EPOLL_CTL_MOD, listener, has_room() ? EPOLLIN : 0, &listener);
}

/* Who is not read from is seen to go, too. Of what send() finds wrong epoll tells. */
static void changed(struct client *c)
{
	struct peer *peer = nap_container_of(c, struct peer, client);
	ssize_t n = c->len ? send(peer->fd, c->out, c->len, MSG_NOSIGNAL) : 0;
	uint32_t events = EPOLLRDHUP;

	if (n > 0)
		sent(c, (size_t)n);
	events |= (c->len ? EPOLLOUT : 0) | (is_read_from(c) ? EPOLLIN : 0);
	if (events != peer->events)
		watch(EPOLL_CTL_MOD, peer->fd, events, peer);
	peer->events = events;
	if (has_all(c))
		shutdown(peer->fd, SHUT_WR);
}

static void take(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct peer *peer = fd < 0 ? NULL : new_client(sizeof(*peer));

	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && nr_clients)
		watch(EPOLL_CTL_MOD, listener, 0, &listener);	/* until one has gone */
	if (fd >= 0 && !peer)
		close(fd);
	if (!peer)
		return;
	peer->fd = fd;
	peer->events = EPOLLRDHUP | EPOLLIN;
	watch(EPOLL_CTL_ADD, fd, peer->events, peer);
}

static void drop(struct client *c)
{
	close(nap_container_of(c, struct peer, client)->fd);
	gone(c);
}

static void serve(struct peer *peer, uint32_t events)
{
	size_t size;
	uint8_t *to = place(&peer->client, &size);
	ssize_t n;

	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		return drop(&peer->client);
	if (!(events & EPOLLIN))
		return changed(&peer->client);
	n = recv(peer->fd, to, size, 0);
	if (n > 0)
		got(&peer->client, (size_t)n);
	else if (n == 0 || errno != EAGAIN)
		drop(&peer->client);
}

static void read_signal(const char *limits_path)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) == sizeof(info))
		heed((int)info.ssi_signo, limits_path);
}

int main(int argc, char **argv)
{
	struct epoll_event events[64];
	unsigned left;

	listener = begin_all(argc, argv);
	signals = signalfd(-1, block_signals(), SFD_NONBLOCK | SFD_CLOEXEC);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	must(signals >= 0 && epoll >= 0, "hashd: epoll");
	watch(EPOLL_CTL_ADD, signals, EPOLLIN, &signals);
	watch(EPOLL_CTL_ADD, nap_cq_fd(&done), EPOLLIN, &done);
	watch(EPOLL_CTL_ADD, listener, EPOLLIN, &listener);
	for (int ms; (ms = ms_to_end()); ) {
		int n = epoll_wait(epoll, events, 64, ms);

		for (int i = 0; i < n; i++) {
			void *who = events[i].data.ptr;

			if (who == &done)
				nap_cq_run(&done, 0);
			else if (who == &signals)
				read_signal(argc > 2 ? argv[2] : NULL);
			else if (who == &listener)
				take();
			else
				serve(who, events[i].events);
		}
	}
	left = drop_all(drop);
	close(epoll);
	close(signals);
	return end_all(left);
}
