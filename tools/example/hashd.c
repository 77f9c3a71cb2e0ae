/* SPDX-License-Identifier: MIT */
/*
 * hashd PORT [LIMITS]: SHA-256 over TCP, as hashd_frames.h says. One thread has the sockets, on
 * epoll; a pool has the work.
 *
 *	cc -O2 hashd.c -lnap -lnettle -o hashd && ./hashd 7007
 */
#define _GNU_SOURCE
#include <nap/nap.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/signalfd.h>

#include "hashd_talk.h"

struct client {			/* all the memory of a client, from accept on */
	struct nap_work work;
	LIST_ENTRY(client) others;
	int fd;			/* -1: the client has gone; the work's end frees the memory */
	struct hash_talk talk;
};

static struct nap_pool pool = NAP_POOL_INIT(.name = "hashd");
static struct nap_cq done;
static LIST_HEAD(, client) clients;
static unsigned nr_clients;
static int epoll, listener, signals;
/* is_full: there is no descriptor, or no memory, for one more client */
static bool listens, is_full;
static uint64_t end_at;		/* a deadline; 0: no signal has set it */

static int watch(int how, int fd, uint32_t events, void *who)
{
	return epoll_ctl(epoll, how, fd, &(struct epoll_event){ events, { .ptr = who } });
}

static int hash(struct nap_work *work)
{
	hash_compute(&nap_container_of(work, struct client, work)->talk, work);
	return 0;
}

/*
 * Lets the client close. Until then its bytes are read and dropped. This watch is without EPOLLET,
 * so that clients take turns.
 */
static void end(struct client *c)
{
	hash_end(&c->talk);
	shutdown(c->fd, SHUT_WR);
	watch(EPOLL_CTL_MOD, c->fd, EPOLLIN | EPOLLRDHUP, c);
}

static void moved(struct client *c, size_t n)
{
	enum hash_does does = hash_moved(&c->talk, &pool, n, end_at);

	if (does == HASH_END)
		end(c);
	if (does != HASH_WORK)
		return;
	c->work.deadline = nap_deadline(hash_timeout(&c->talk));
	nap_work_schedule(&pool, &c->work);	/* a pool refuses no work before its end */
}

/* Frees a client. From now on another client can have its place and its memory. */
static void release(struct client *c)
{
	nr_clients--;
	free(c);
}

static void drop(struct client *c)
{
	LIST_REMOVE(c, others);
	close(c->fd);
	c->fd = -1;
	if (c->talk.does == HASH_WORK)
		hash_counters.canceled += nap_cancel(&c->work);
	else
		release(c);
}

/*
 * Goes on until no bytes remain (EPOLLET reports a change only once), or until a work begins; the
 * work's end calls go_on() again.
 */
static void go_on(struct client *c)
{
	struct hash_talk *talk = &c->talk;

	while (talk->does != HASH_WORK) {
		size_t left = talk->end - talk->at;
		ssize_t n = hash_is_read(talk) ? recv(c->fd, talk->bytes + talk->at, left, 0) :
			    send(c->fd, talk->bytes + talk->at, left, MSG_NOSIGNAL);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			return drop(c);
		if (n > 0)
			moved(c, (size_t)n);
		if (n < 0 || talk->does == HASH_END)
			return;
	}
}

/* Called after all events of an iteration, so that no client is freed before its own event. */
static void ended(struct nap_work *work, int result)
{
	struct client *c = nap_container_of(work, struct client, work);

	if (c->fd < 0)
		return release(c);
	hash_reply(&c->talk, result ? HASH_LATE : HASH_OK);
	go_on(c);
}

static void take(void)
{
	size_t room = hash_room();
	struct client *c = malloc(sizeof(*c) + room);
	int fd = c ? accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;

	/*
	 * An accept() that finds no client, or a client that has gone, does not show that hashd
	 * is full.
	 */
	is_full = !c || (fd < 0 && errno != ECONNABORTED && errno != EAGAIN);
	if (fd < 0)
		return free(c);
	*c = (struct client){ NAP_WORK_INIT(hash, ended, &done), .fd = fd };
	hash_begin(&c->talk, room);
	LIST_INSERT_HEAD(&clients, c, others);
	nr_clients++;
	if (watch(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, c))
		drop(c);
}

static void heed(void)
{
	struct signalfd_siginfo info;
	struct client *c;

	if (read(signals, &info, sizeof(info)) < 0)
		return;
	if (info.ssi_signo == SIGHUP)
		return hash_read_limits();
	if (!end_at)
		close(listener);
	/* the second signal: end now */
	end_at = end_at ? 1 : nap_deadline(hash_limits.drain_ms * 1000000ull);
	LIST_FOREACH(c, &clients, others)
		if (c->talk.does < HASH_WORK)
			end(c);
}

int main(int argc, char **argv)
{
	struct nap_batch rest = NAP_BATCH_INIT;
	struct epoll_event events[64];
	sigset_t set = hash_start(argc, argv);
	unsigned nr_left = 0;

	if ((errno = -nap_pool_prewarm(&pool, 1)) || (errno = -nap_cq_init(&done)) ||
	    (signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC)) < 0 ||
	    (epoll = epoll_create1(EPOLL_CLOEXEC)) < 0 ||
	    watch(EPOLL_CTL_ADD, signals, EPOLLIN, &signals) ||
	    watch(EPOLL_CTL_ADD, nap_cq_fd(&done), EPOLLIN, &done) ||
	    (listener = hash_listen()) < 0 || watch(EPOLL_CTL_ADD, listener, 0, &listener))
		hash_fail("hashd: begin");
	for (uint64_t now = 0; !end_at || (nr_clients && now < end_at); now = nap_deadline(0)) {
		bool has_room = nr_clients < hash_limits.clients && !is_full && !end_at;
		int ms = end_at ? (int)((end_at - now) / 1000000) + 1 : is_full ? 100 : -1;

		if (has_room != listens)
			watch(EPOLL_CTL_MOD, listener, has_room ? EPOLLIN : 0, &listener);
		listens = has_room;
		is_full = false;
		for (int n = epoll_wait(epoll, events, 64, ms); n > 0; n--) {
			void *who = events[n - 1].data.ptr;

			if (who == &listener)
				take();
			else if (who == &signals)
				heed();
			else if (events[n - 1].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
				drop(who);
			else if (who != &done)
				go_on(who);
		}
		nap_cq_run(&done, 0);
	}
	for (struct client *c; (c = LIST_FIRST(&clients)); drop(c))
		nr_left += hash_is_owed(&c->talk);
	nap_work_finish(&pool, &done, &rest);
	return hash_ended(nr_left);
}
