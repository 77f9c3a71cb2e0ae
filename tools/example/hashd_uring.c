// SPDX-License-Identifier: MIT
/*
 * hashd on io_uring, as hashd_frames.h says.
 *
 *	cc -O2 hashd_uring.c -lnap -lnettle -luring -o hashd_uring && ./hashd_uring 7007
 */
#define _GNU_SOURCE
#include <liburing.h>
#include <nap/nap.h>
#include <poll.h>
#include <sys/queue.h>
#include <sys/signalfd.h>

#include "hashd_talk.h"

struct client {			/* all of its memory, from when it has a place */
	struct nap_work work;
	LIST_ENTRY(client) others;
	int fd;
	unsigned nr_pending;	/* completions to come */
	bool moves, leaves;	/* one of them is of bytes; it goes when nothing is under way */
	struct hash_talk talk;
};

/* What a completion is of; the low bits of its data, beside a client. */
enum what { DONE, SIGNAL, ACCEPTED, MOVED, GONE };

static struct nap_pool pool = NAP_POOL_INIT(.name = "hashd");
static struct nap_cq done;
static LIST_HEAD(, client) clients;
static unsigned nr_clients, nr_pending;
static struct io_uring ring;
static int listener, signals;
static struct signalfd_siginfo info;
static bool awaits;		/* the next one */
static int came = -1;		/* it, until it has a place */
static bool is_full;		/* no descriptor, or no memory, for one more */
static uint64_t end_at;		/* nap_deadline(); 0: nobody has said when */

static int hash(struct nap_work *work)
{
	hash_compute(&nap_container_of(work, struct client, work)->talk, work);
	return 0;
}

/* There is room for all completions (main()), so no submission is refused for those to come. */
static struct io_uring_sqe *new_sqe(void)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&ring)))
		io_uring_submit(&ring);
	return sqe;
}

static void ask(struct io_uring_sqe *sqe, struct client *c, enum what what)
{
	io_uring_sqe_set_data64(sqe, (uintptr_t)c | what);
	if (!c)
		return;
	c->nr_pending++;
	nr_pending++;
}

/* Each time anew: such a poll tells also of what was there before. */
static void await_done(void)
{
	struct io_uring_sqe *sqe = new_sqe();

	io_uring_prep_poll_add(sqe, nap_cq_fd(&done), POLLIN);
	ask(sqe, NULL, DONE);
}

static void await_signal(void)
{
	struct io_uring_sqe *sqe = new_sqe();

	io_uring_prep_read(sqe, signals, &info, sizeof(info), 0);
	ask(sqe, NULL, SIGNAL);
}

/* The next read, or send, unless there is one, or a work is under way, whose end comes here. */
static void go_on(struct client *c)
{
	struct hash_talk *talk = &c->talk;
	struct io_uring_sqe *sqe;

	if (c->moves || talk->does == HASH_WORK)
		return;
	sqe = new_sqe();
	if (hash_is_read(talk))
		io_uring_prep_recv(sqe, c->fd, talk->bytes + talk->at, talk->end - talk->at, 0);
	else
		io_uring_prep_send(sqe, c->fd, talk->bytes + talk->at, talk->end - talk->at,
				   MSG_NOSIGNAL);
	ask(sqe, c, MOVED);
	c->moves = true;
}

/* What is pending ends by the shutdown. */
static void leave(struct client *c)
{
	if (!c->leaves) {
		shutdown(c->fd, SHUT_RDWR);
		hash_counters.canceled += c->talk.does == HASH_WORK && nap_cancel(&c->work);
	}
	c->leaves = true;
	if (c->nr_pending || c->talk.does == HASH_WORK)
		return;
	LIST_REMOVE(c, others);
	nr_clients--;
	close(c->fd);
	free(c);
}

static void ended(struct nap_work *work, int result)
{
	struct client *c = nap_container_of(work, struct client, work);

	if (c->leaves) {
		hash_end(&c->talk);
		return leave(c);
	}
	hash_reply(&c->talk, result ? HASH_LATE : HASH_OK);
	go_on(c);
}

static void take(void)
{
	size_t room = hash_room();
	struct client *c = malloc(sizeof(*c) + room);
	struct io_uring_sqe *sqe;

	is_full = !c;
	if (is_full)
		return;
	*c = (struct client){ .work = NAP_WORK_INIT(hash, ended, &done), .fd = came };
	hash_begin(&c->talk, room);
	came = -1;
	LIST_INSERT_HEAD(&clients, c, others);
	nr_clients++;
	sqe = new_sqe();
	io_uring_prep_poll_add(sqe, c->fd, POLLRDHUP);
	ask(sqe, c, GONE);
	go_on(c);
}

static void await_client(void)
{
	struct io_uring_sqe *sqe = new_sqe();

	io_uring_prep_accept(sqe, listener, NULL, NULL, SOCK_CLOEXEC);
	ask(sqe, NULL, ACCEPTED);
	awaits = true;
}

/* One is awaited when there is a place for it. When it comes the limits may be others. */
static void fill_places(void)
{
	if (end_at && came >= 0) {
		close(came);
		came = -1;
	}
	if (came >= 0 && nr_clients < hash_limits.clients && !is_full)
		take();
	if (!awaits && came < 0 && nr_clients < hash_limits.clients && !is_full && !end_at)
		await_client();
}

static void moved(struct client *c, size_t n)
{
	enum hash_does does = hash_moved(&c->talk, &pool, n, end_at);

	if (does == HASH_END)
		shutdown(c->fd, SHUT_WR);
	if (does == HASH_WORK) {
		c->work.deadline = nap_deadline(hash_timeout(&c->talk));
		nap_work_schedule(&pool, &c->work);	/* refuses nothing before its end */
	}
	go_on(c);
}

static void completed(struct client *c, enum what what, int result)
{
	c->nr_pending--;
	nr_pending--;
	c->moves &= what != MOVED;
	if (c->leaves || what == GONE || result <= 0)
		leave(c);
	else
		moved(c, (size_t)result);
}

static void heed(void)
{
	struct client *c;

	if (info.ssi_signo == SIGHUP)
		return hash_read_limits();
	shutdown(listener, SHUT_RDWR);
	end_at = end_at ? 1 : nap_deadline(hash_limits.drain_ms * 1000000ull);	/* twice: now */
	LIST_FOREACH(c, &clients, others)
		if (c->talk.does < HASH_WORK) {
			hash_end(&c->talk);
			shutdown(c->fd, SHUT_WR);
		}
}

/* What has come; or until @ms are over. */
static void turn(int ms)
{
	struct __kernel_timespec time = { ms / 1000, ms % 1000 * 1000000 };
	struct io_uring_cqe *cqe;

	io_uring_submit_and_wait_timeout(&ring, &cqe, 1, ms < 0 ? NULL : &time, NULL);
	while (!io_uring_peek_cqe(&ring, &cqe)) {
		uint64_t who = cqe->user_data;
		int result = cqe->res;

		io_uring_cqe_seen(&ring, cqe);
		if (who == DONE) {
			nap_cq_run(&done, 0);
			await_done();
		} else if (who == SIGNAL) {
			heed();
			await_signal();
		} else if (who == ACCEPTED) {
			awaits = false;
			came = result;
			is_full = result < 0 && result != -ECONNABORTED;
		} else {
			completed((struct client *)(uintptr_t)(who & ~7ull), who & 7, result);
		}
	}
}

int main(int argc, char **argv)
{
	struct io_uring_params params = { .flags = IORING_SETUP_CQSIZE,
					  .cq_entries = 2 * HASH_MOST_CLIENTS + 8 };
	struct nap_batch rest = NAP_BATCH_INIT;
	sigset_t set = hash_start(argc, argv);
	struct client *c, *next;
	unsigned nr_left = 0;

	if ((errno = -nap_pool_prewarm(&pool, 1)) || (errno = -nap_cq_init(&done)) ||
	    (signals = signalfd(-1, &set, SFD_CLOEXEC)) < 0 ||
	    (errno = -io_uring_queue_init_params(256, &ring, &params)) ||
	    (listener = hash_listen()) < 0)
		hash_fail("hashd: begin");
	await_done();
	await_signal();
	for (uint64_t now = 0; !end_at || (nr_clients && now < end_at); now = nap_deadline(0)) {
		int ms;

		fill_places();
		ms = end_at ? (int)((end_at - now) / 1000000) + 1 : is_full ? 100 : -1;
		is_full = false;
		turn(ms);
	}
	LIST_FOREACH(c, &clients, others)
		nr_left += !c->leaves && hash_is_owed(&c->talk);
	while (nr_pending) {
		for (c = LIST_FIRST(&clients); c; c = next) {
			next = LIST_NEXT(c, others);
			leave(c);
		}
		turn(-1);
	}
	io_uring_queue_exit(&ring);
	nap_work_finish(&pool, &done, &rest);	/* with the last clients */
	return hash_ended(nr_left);
}
