// SPDX-License-Identifier: MIT
/*
 * hashd on io_uring; hashd.h says what it does.
 *
 *	cc -O2 hashd_uring.c -lnap -lnettle -luring -o hashd_uring && ./hashd_uring 7007
 */
#define _GNU_SOURCE
#include "hashd.h"

#include <liburing.h>
#include <poll.h>
#include <sys/signalfd.h>

/* What a completion is of; the low bits of its data, beside a peer. */
enum what { DONE, SIGNAL, ACCEPTED, RECEIVED, SENT, LEFT };

struct peer {
	struct client client;
	int fd;
	unsigned nr_pending;	/* completions to come */
	bool receives, sends, leaves;
};

static struct io_uring ring;
static int listener, signals;
static struct signalfd_siginfo info;
static bool accepts;

static struct io_uring_sqe *new_sqe(void)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&ring)))
		io_uring_submit(&ring);
	return sqe;
}

static void note(struct io_uring_sqe *sqe, struct peer *peer, enum what what)
{
	io_uring_sqe_set_data64(sqe, (uintptr_t)peer | what);
	if (peer)
		peer->nr_pending++;
}

/* Each time anew: such a poll tells also of what was there before. */
static void await_done(void)
{
	struct io_uring_sqe *sqe = new_sqe();

	io_uring_prep_poll_add(sqe, nap_cq_fd(&done), POLLIN);
	note(sqe, NULL, DONE);
}

static void await_signal(void)
{
	struct io_uring_sqe *sqe = new_sqe();

	io_uring_prep_read(sqe, signals, &info, sizeof(info), 0);
	note(sqe, NULL, SIGNAL);
}

static void room_changed(void)
{
	struct io_uring_sqe *sqe;

	if (end_at)
		shutdown(listener, SHUT_RDWR);
	if (accepts || !has_room())
		return;
	sqe = new_sqe();
	io_uring_prep_accept(sqe, listener, NULL, NULL, SOCK_CLOEXEC);
	note(sqe, NULL, ACCEPTED);
	accepts = true;
}

static void changed(struct client *c)
{
	struct peer *peer = nap_container_of(c, struct peer, client);
	struct io_uring_sqe *sqe;
	size_t size;

	if (peer->leaves)
		return;
	if (c->len && !peer->sends) {
		sqe = new_sqe();
		io_uring_prep_send(sqe, peer->fd, c->out, c->len, MSG_NOSIGNAL);
		note(sqe, peer, SENT);
		peer->sends = true;
	}
	if (is_read_from(c) && !peer->receives) {
		uint8_t *to = place(c, &size);

		sqe = new_sqe();
		io_uring_prep_recv(sqe, peer->fd, to, size, 0);
		note(sqe, peer, RECEIVED);
		peer->receives = true;
	}
	if (has_all(c))
		shutdown(peer->fd, SHUT_WR);
}

static void take(int fd)
{
	struct peer *peer = fd < 0 ? NULL : new_client(sizeof(*peer));
	struct io_uring_sqe *sqe;

	accepts = false;
	if ((fd != -EMFILE && fd != -ENFILE) || !nr_clients)
		room_changed();		/* or when one has gone */
	if (fd >= 0 && !peer)
		close(fd);
	if (!peer)
		return;
	peer->fd = fd;
	sqe = new_sqe();
	io_uring_prep_poll_add(sqe, fd, POLLRDHUP);
	note(sqe, peer, LEFT);
	changed(&peer->client);
}

/* What is pending ends by that. */
static void leave(struct peer *peer)
{
	if (!peer->leaves)
		shutdown(peer->fd, SHUT_RDWR);
	peer->leaves = true;
	if (peer->nr_pending)
		return;
	close(peer->fd);
	gone(&peer->client);
}

static void serve(struct peer *peer, enum what what, int result)
{
	bool is_open = result > 0 && what != LEFT;

	peer->nr_pending--;
	peer->receives &= what != RECEIVED;
	peer->sends &= what != SENT;
	if (!is_open || peer->leaves)
		return leave(peer);
	if (what == RECEIVED)
		return got(&peer->client, (size_t)result);
	sent(&peer->client, (size_t)result);
	changed(&peer->client);
}

static void run_once(int ms, const char *limits_path)
{
	struct __kernel_timespec time = { ms / 1000, ms % 1000 * 1000000 };
	struct io_uring_cqe *cqe;
	uint64_t who;
	int result;

	io_uring_submit_and_wait_timeout(&ring, &cqe, 1, ms < 0 ? NULL : &time, NULL);
	while (!io_uring_peek_cqe(&ring, &cqe)) {
		who = cqe->user_data;
		result = cqe->res;
		io_uring_cqe_seen(&ring, cqe);
		if (who == DONE) {
			nap_cq_run(&done, 0);
			await_done();
		} else if (who == SIGNAL) {
			heed((int)info.ssi_signo, limits_path);
			await_signal();
		} else if (who == ACCEPTED) {
			take(result);
		} else {
			serve((struct peer *)(uintptr_t)(who & ~7), who & 7, result);
		}
	}
}

static void drop(struct client *c)
{
	leave(nap_container_of(c, struct peer, client));
	while (LIST_FIRST(&clients) == c)
		run_once(-1, NULL);
}

int main(int argc, char **argv)
{
	unsigned left;

	listener = begin_all(argc, argv);
	signals = signalfd(-1, block_signals(), SFD_CLOEXEC);
	errno = -io_uring_queue_init(256, &ring, 0);
	must(signals >= 0 && !errno, "hashd: io_uring");
	await_done();
	await_signal();
	room_changed();
	for (int ms; (ms = ms_to_end()); )
		run_once(ms, argc > 2 ? argv[2] : NULL);
	left = drop_all(drop);
	io_uring_queue_exit(&ring);
	close(signals);
	close(listener);
	return end_all(left);
}
