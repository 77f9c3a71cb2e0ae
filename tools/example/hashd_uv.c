// SPDX-License-Identifier: MIT
/*
 * hashd on libuv's loop, as hashd_frames.h says. Of a stream that is not read from libuv does not
 * tell that its client has gone, so each has a second descriptor for that. It would also close whom
 * it has no descriptor for; so who waits is polled for, and accepted here.
 *
 *	cc -O2 hashd_uv.c -lnap -lnettle -luv -o hashd_uv && ./hashd_uv 7007
 */
#define _GNU_SOURCE
#include <nap/nap.h>
#include <sys/queue.h>
#include <uv.h>

#include "hashd_talk.h"

struct client {			/* all of its memory, from when it comes */
	struct nap_work work;
	LIST_ENTRY(client) others;
	uv_tcp_t tcp;
	uv_poll_t disconnect;
	int fd;			/* of that */
	uv_write_t write;
	uv_shutdown_t shutdown;
	bool reads, leaves, is_gone;	/* its work releases it when it is gone */
	struct hash_talk talk;
};

static struct nap_pool pool = NAP_POOL_INIT(.name = "hashd");
static struct nap_cq done;
static LIST_HEAD(, client) clients;
static unsigned nr_clients;
static uv_loop_t the_loop, *const loop = &the_loop;
static int listener;
static uv_poll_t newcomers, completions;
static uv_signal_t signals[3];
static uv_timer_t timer;	/* when there was no room; then, when all is over */
static bool is_full;		/* no descriptor, or no memory, for one more */
static uint64_t end_at;		/* nap_deadline(); 0: nobody has said when */

static int hash(struct nap_work *work)
{
	hash_compute(&nap_container_of(work, struct client, work)->talk, work);
	return 0;
}

static void stop_at_end(void)
{
	if (end_at && (!nr_clients || nap_deadline(0) >= end_at))
		uv_stop(loop);
}

static void take(uv_poll_t *unused, int status, int events);

/*
 * A client that is not accepted waits until another has gone; or for a while, if there is no
 * memory.
 */
static void look_for_newcomers(void)
{
	bool has_room = nr_clients < hash_limits.clients && !is_full;

	if (end_at || has_room == !!uv_is_active((uv_handle_t *)&newcomers))
		return;
	if (has_room)
		uv_poll_start(&newcomers, UV_READABLE, take);
	else
		uv_poll_stop(&newcomers);
}

/* Nobody has its place before its memory is free. */
static void release(struct client *c)
{
	LIST_REMOVE(c, others);
	nr_clients--;
	free(c);
	look_for_newcomers();
	stop_at_end();
}

static void closed(uv_handle_t *tcp)
{
	struct client *c = nap_container_of((uv_tcp_t *)tcp, struct client, tcp);

	c->is_gone = true;
	if (c->talk.does != HASH_WORK)
		release(c);
}

static void close_stream(uv_handle_t *handle)
{
	struct client *c = nap_container_of((uv_poll_t *)handle, struct client, disconnect);

	close(c->fd);
	uv_close((uv_handle_t *)&c->tcp, closed);
}

static void leave(struct client *c)
{
	if (c->leaves)
		return;
	c->leaves = true;
	uv_close((uv_handle_t *)&c->disconnect, close_stream);
	if (c->talk.does == HASH_WORK)
		hash_counters.canceled += nap_cancel(&c->work);
}

static void disconnected(uv_poll_t *poll, int status, int events)
{
	(void)status, (void)events;
	leave(nap_container_of(poll, struct client, disconnect));
}

static void is_shut(uv_shutdown_t *unused, int status)
{
	(void)unused, (void)status;
}

static void end(struct client *c)
{
	hash_end(&c->talk);
	uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, is_shut);
}

static void go_on(struct client *c);

static void moved(struct client *c, size_t n)
{
	enum hash_does does = hash_moved(&c->talk, &pool, n, end_at);

	if (does == HASH_END)
		end(c);
	if (does == HASH_WORK) {
		c->work.deadline = nap_deadline(hash_timeout(&c->talk));
		nap_work_schedule(&pool, &c->work);	/* refuses nothing before its end */
	}
	go_on(c);
}

static void written(uv_write_t *write, int status)
{
	struct client *c = nap_container_of(write, struct client, write);

	if (status)
		leave(c);
	else
		moved(c, c->talk.end);
}

static void find_place(uv_handle_t *tcp, size_t suggested, uv_buf_t *buf)
{
	struct hash_talk *talk = &nap_container_of((uv_tcp_t *)tcp, struct client, tcp)->talk;

	(void)suggested;
	*buf = uv_buf_init((char *)talk->bytes + talk->at, (unsigned)(talk->end - talk->at));
}

static void received(uv_stream_t *tcp, ssize_t n, const uv_buf_t *buf)
{
	struct client *c = nap_container_of((uv_tcp_t *)tcp, struct client, tcp);

	(void)buf;
	if (n < 0)
		leave(c);
	else if (n)
		moved(c, (size_t)n);
}

/* Reads, or sends, or waits for its work. */
static void go_on(struct client *c)
{
	uv_stream_t *stream = (uv_stream_t *)&c->tcp;
	bool reads = hash_is_read(&c->talk);
	uv_buf_t buf;

	if (c->leaves)
		return;
	if (reads && !c->reads)
		uv_read_start(stream, find_place, received);
	if (!reads && c->reads)
		uv_read_stop(stream);
	c->reads = reads;
	if (reads || c->talk.does == HASH_WORK)
		return;
	buf = uv_buf_init((char *)c->talk.bytes, (unsigned)c->talk.end);
	uv_write(&c->write, stream, &buf, 1, written);
}

static void ended(struct nap_work *work, int result)
{
	struct client *c = nap_container_of(work, struct client, work);

	if (c->is_gone)
		return release(c);
	if (c->leaves)
		hash_end(&c->talk);
	else
		hash_reply(&c->talk, result ? HASH_LATE : HASH_OK);
	go_on(c);
}

static void retry(uv_timer_t *unused)
{
	(void)unused;
	is_full = false;
	look_for_newcomers();
}

/* With its second descriptor, which is there before it comes; or -1. */
static int accept_with(int *second)
{
	int fd;

	*second = fcntl(listener, F_DUPFD_CLOEXEC, 0);
	if (*second < 0)
		return -1;
	fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		close(*second);
	else
		dup3(fd, *second, O_CLOEXEC);
	return fd;
}

static void take(uv_poll_t *unused, int status, int events)
{
	size_t room = hash_room();
	struct client *c = malloc(sizeof(*c) + room);
	int second, fd = c ? accept_with(&second) : -1;

	(void)unused, (void)status, (void)events;
	is_full = fd < 0;
	if (is_full) {
		uv_timer_start(&timer, retry, 100, 0);
		look_for_newcomers();
		return free(c);
	}
	*c = (struct client){ .work = NAP_WORK_INIT(hash, ended, &done), .fd = second };
	hash_begin(&c->talk, room);
	LIST_INSERT_HEAD(&clients, c, others);
	nr_clients++;
	look_for_newcomers();
	uv_tcp_init(loop, &c->tcp);
	uv_tcp_open(&c->tcp, fd);
	if (uv_poll_init(loop, &c->disconnect, c->fd)) {
		c->leaves = true;
		close(c->fd);
		return uv_close((uv_handle_t *)&c->tcp, closed);
	}
	uv_poll_start(&c->disconnect, UV_DISCONNECT, disconnected);
	go_on(c);
}

static void completed(uv_poll_t *poll, int status, int events)
{
	(void)poll, (void)status, (void)events;
	nap_cq_run(&done, 0);
}

static void over(uv_timer_t *unused)
{
	(void)unused;
	uv_stop(loop);
}

static void signaled(uv_signal_t *unused, int number)
{
	struct client *c;

	(void)unused;
	if (number == SIGHUP) {
		hash_read_limits();
		return look_for_newcomers();
	}
	if (!end_at) {
		uv_close((uv_handle_t *)&newcomers, NULL);
		close(listener);
	}
	end_at = end_at ? 1 : nap_deadline(hash_limits.drain_ms * 1000000ull);	/* twice: now */
	LIST_FOREACH(c, &clients, others)
		if (c->talk.does < HASH_WORK) {
			end(c);
			go_on(c);
		}
	uv_timer_start(&timer, over, end_at > 1 ? hash_limits.drain_ms : 0, 0);
	stop_at_end();
}

static void close_handle(uv_handle_t *handle, void *unused)
{
	(void)unused;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

/* libuv aborts where it has none for itself. */
static bool has_descriptors(int n)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	bool has = fd >= 0 && (n == 1 || has_descriptors(n - 1));

	if (fd >= 0)
		close(fd);
	return has;
}

static void begin(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };

	if ((errno = -nap_pool_prewarm(&pool, 1)) || (errno = -nap_cq_init(&done)) ||
	    !has_descriptors(10) || (errno = -uv_loop_init(loop)))
		hash_fail("hashd: begin");
	for (int i = 0; i < 3; i++)
		if ((errno = -uv_signal_init(loop, &signals[i])) ||
		    (errno = -uv_signal_start(&signals[i], signaled, numbers[i])))
			hash_fail("hashd: signals");
	uv_timer_init(loop, &timer);
	if ((errno = -uv_poll_init(loop, &completions, nap_cq_fd(&done))) ||
	    (errno = -uv_poll_start(&completions, UV_READABLE, completed)) ||
	    (listener = hash_listen()) < 0 ||
	    (errno = -uv_poll_init(loop, &newcomers, listener)))
		hash_fail("hashd: listen");
	look_for_newcomers();
}

int main(int argc, char **argv)
{
	sigset_t set = hash_start(argc, argv);
	struct nap_batch rest = NAP_BATCH_INIT;
	unsigned nr_left = 0;
	struct client *c;

	begin();
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	uv_run(loop, UV_RUN_DEFAULT);
	LIST_FOREACH(c, &clients, others)
		nr_left += !c->leaves && hash_is_owed(&c->talk);
	LIST_FOREACH(c, &clients, others)
		leave(c);
	while (nr_clients)
		uv_run(loop, UV_RUN_ONCE);
	nap_work_finish(&pool, &done, &rest);
	uv_walk(loop, close_handle, NULL);
	uv_run(loop, UV_RUN_DEFAULT);
	uv_loop_close(loop);
	return hash_ended(nr_left);
}
