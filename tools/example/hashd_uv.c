// SPDX-License-Identifier: MIT
/*
 * hashd on libuv's loop; hashd.h says what it does. Of a stream that is not read from libuv does not
 * tell that its client has gone, so each has a second descriptor for that.
 *
 *	cc -O2 hashd_uv.c -lnap -lnettle -luv -o hashd_uv && ./hashd_uv 7007
 */
#define _GNU_SOURCE
#include "hashd.h"

#include <uv.h>

struct peer {
	struct client client;
	uv_tcp_t tcp;
	uv_poll_t disconnect;
	int fd;			/* of that */
	uv_write_t write;
	uv_shutdown_t shutdown;
	size_t sending;		/* so many bytes */
	bool reads, ends, leaves;
};

static uv_loop_t *loop;
static uv_tcp_t listener;
static uv_poll_t completions;
static uv_signal_t signals[3];
static uv_timer_t timer;
static const char *limits_path;
static bool waits;		/* somebody, to be taken */

static struct peer *peer_of(void *handle)
{
	return nap_container_of(handle, struct peer, tcp);
}

static void take(uv_stream_t *stream, int status);

static void room_changed(void)
{
	if (end_at && !uv_is_closing((uv_handle_t *)&listener))
		uv_close((uv_handle_t *)&listener, NULL);
	else if (waits && has_room())
		take((uv_stream_t *)&listener, 0);
}

static void closed(uv_handle_t *handle)
{
	gone(&peer_of(handle)->client);
	if (!ms_to_end())
		uv_stop(loop);
}

static void close_stream(uv_handle_t *handle)
{
	struct peer *peer = nap_container_of(handle, struct peer, disconnect);

	close(peer->fd);
	uv_close((uv_handle_t *)&peer->tcp, closed);
}

static void drop(struct client *c)
{
	struct peer *peer = nap_container_of(c, struct peer, client);

	if (!peer->leaves)
		uv_close((uv_handle_t *)&peer->disconnect, close_stream);
	peer->leaves = true;
}

static void disconnected(uv_poll_t *poll, int status, int events)
{
	(void)status, (void)events;
	drop(&nap_container_of(poll, struct peer, disconnect)->client);
}

static void written(uv_write_t *write, int status)
{
	struct peer *peer = nap_container_of(write, struct peer, write);
	size_t n = peer->sending;

	peer->sending = 0;
	if (status)
		return drop(&peer->client);
	sent(&peer->client, n);
	changed(&peer->client);
}

static void find_place(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	(void)suggested;
	buf->base = (char *)place(&peer_of(handle)->client, &buf->len);
}

static void received(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	(void)buf;
	if (n > 0)
		got(&peer_of(stream)->client, (size_t)n);
	else if (n < 0)
		drop(&peer_of(stream)->client);
}

static void is_shut(uv_shutdown_t *unused, int status)
{
	(void)unused, (void)status;
}

static void changed(struct client *c)
{
	struct peer *peer = nap_container_of(c, struct peer, client);
	uv_stream_t *stream = (uv_stream_t *)&peer->tcp;
	uv_buf_t buf = uv_buf_init((char *)(uintptr_t)c->out, (unsigned)c->len);

	if (peer->leaves)
		return;
	if (c->len && !peer->sending) {
		peer->sending = c->len;
		uv_write(&peer->write, stream, &buf, 1, written);
	}
	if (is_read_from(c) && !peer->reads)
		uv_read_start(stream, find_place, received);
	if (!is_read_from(c) && peer->reads)
		uv_read_stop(stream);
	peer->reads = is_read_from(c);
	if (has_all(c) && !peer->ends) {
		peer->ends = true;
		uv_shutdown(&peer->shutdown, stream, is_shut);
	}
}

static void take(uv_stream_t *stream, int status)
{
	struct peer *peer;
	uv_os_fd_t fd;

	(void)status;
	peer = has_room() ? new_client(sizeof(*peer)) : NULL;
	waits = !peer;
	if (!peer)
		return;
	uv_tcp_init(loop, &peer->tcp);
	if (uv_accept(stream, (uv_stream_t *)&peer->tcp) || uv_fileno((uv_handle_t *)&peer->tcp, &fd) ||
	    (peer->fd = dup(fd)) < 0) {
		peer->leaves = true;
		return uv_close((uv_handle_t *)&peer->tcp, closed);
	}
	uv_poll_init(loop, &peer->disconnect, peer->fd);
	uv_poll_start(&peer->disconnect, UV_DISCONNECT, disconnected);
	changed(&peer->client);
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
	int ms;

	(void)unused;
	heed(number, limits_path);
	ms = ms_to_end();
	if (ms >= 0)
		uv_timer_start(&timer, over, (uint64_t)ms, 0);
}

static void drop_now(struct client *c)
{
	drop(c);
	while (LIST_FIRST(&clients) == c)
		uv_run(loop, UV_RUN_ONCE);
}

static void close_handle(uv_handle_t *handle, void *unused)
{
	(void)unused;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

int main(int argc, char **argv)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };
	int fd = begin_all(argc, argv);
	unsigned left;

	limits_path = argc > 2 ? argv[2] : NULL;
	loop = uv_default_loop();
	must(loop, "hashd: libuv");
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < 3; i++)
		must(!uv_signal_init(loop, &signals[i]) &&
		     !uv_signal_start(&signals[i], signaled, numbers[i]), "hashd: signals");
	uv_timer_init(loop, &timer);
	uv_tcp_init(loop, &listener);
	must(!uv_poll_init(loop, &completions, nap_cq_fd(&done)) &&
	     !uv_poll_start(&completions, UV_READABLE, completed) && !uv_tcp_open(&listener, fd) &&
	     !uv_listen((uv_stream_t *)&listener, SOMAXCONN, take), "hashd: libuv");
	uv_run(loop, UV_RUN_DEFAULT);
	left = drop_all(drop_now);
	uv_walk(loop, close_handle, NULL);
	uv_run(loop, UV_RUN_DEFAULT);
	uv_loop_close(loop);
	return end_all(left);
}
