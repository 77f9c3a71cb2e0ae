/* SPDX-License-Identifier: MIT */
/*
 * libuv's thread pool. Main is the loop's thread. Main queues a work and is told when the work has
 * ended, so every row includes the way back to main.
 */
#include "common/echo.h"
#include "common/memory.h"
#include "common/row.h"
#include "common/trips.h"
#include "peers/uv_timers.h"

#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

const char row_peer[] = "uv";

static uv_loop_t *loop;
static uv_work_t *works;

static void nothing(uv_work_t *unused)
{
	(void)unused;
}

static void work_1us(uv_work_t *unused)
{
	(void)unused;
	row_work(1000);
}

static void ended(uv_work_t *unused, int status)
{
	(void)unused;
	if (status)
		row_die("work was not done");
}

static void queue_all(const struct size *size, uv_work_cb work)
{
	for (uint64_t i = 0; i < size->n; i++)
		if (uv_queue_work(loop, &works[i], work, ended))
			row_die("uv_queue_work() refused");
	uv_run(loop, UV_RUN_DEFAULT);
}

static void empty(const struct size *size)
{
	queue_all(size, nothing);
}

static void of_1us(const struct size *size)
{
	queue_all(size, work_1us);
}

/* Starts the threads by a first work, the warm-up. */
static void start(const struct size *size)
{
	char threads[16];

	snprintf(threads, sizeof(threads), "%u", size->workers);
	setenv("UV_THREADPOOL_SIZE", threads, 1);
	row_start_apart(size);
	loop = uv_default_loop();
	works = calloc(size->n, sizeof(*works));
	if (!loop || !works)
		row_die("no memory");
}

/* ---- works that end on the loop, which begins them again */

static struct trips trips;

static void again(uv_work_t *work, int status)
{
	if (status)
		row_die("work was not done");
	if (trips_again(&trips) && uv_queue_work(loop, work, nothing, again))
		row_die("uv_queue_work() refused");
}

static void all_trips(const struct size *size)
{
	for (unsigned i = trips_begin(&trips, size); i--;)
		if (uv_queue_work(loop, &works[i], nothing, again))
			row_die("uv_queue_work() refused");
	uv_run(loop, UV_RUN_DEFAULT);
}

/* ---- echo: callbacks on the loop's thread, in place of tools/bench/nap/echo.c */

struct connection {
	uv_tcp_t tcp;
	uv_write_t write;	/* one write at a time: nothing is read until the write is done */
	char bytes[ECHO_BYTES];
};

static void gone(uv_handle_t *tcp)
{
	free(tcp);
}

static void give_room(uv_handle_t *tcp, size_t unused, uv_buf_t *room)
{
	(void)unused;
	*room = uv_buf_init(((struct connection *)tcp)->bytes, ECHO_BYTES);
}

static void got(uv_stream_t *stream, ssize_t n, const uv_buf_t *room);

static void sent(uv_write_t *write, int status)
{
	if (status || uv_read_start(write->handle, give_room, got))
		uv_close((uv_handle_t *)write->handle, gone);
}

/* Data that can be sent at once needs no request. */
static void got(uv_stream_t *stream, ssize_t n, const uv_buf_t *room)
{
	struct connection *c = (struct connection *)stream;
	uv_buf_t answer = uv_buf_init(room->base, n > 0 ? (unsigned)n : 0);
	int err = (int)n;

	if (n > 0)
		err = uv_try_write(stream, &answer, 1);
	if (n == 0 || (n > 0 && err == n))
		return;
	if (err < 0 && err != UV_EAGAIN) {
		uv_close((uv_handle_t *)stream, gone);
		return;
	}
	if (err > 0)
		answer = uv_buf_init(answer.base + err, answer.len - (unsigned)err);
	uv_read_stop(stream);
	if (uv_write(&c->write, stream, &answer, 1, sent))
		row_die("uv_write() refused");
}

static void taken(uv_stream_t *listener, int status)
{
	struct connection *c = malloc(sizeof(*c));

	if (status || !c || uv_tcp_init(loop, &c->tcp) || uv_accept(listener, (uv_stream_t *)c) ||
	    uv_tcp_nodelay(&c->tcp, 1) || uv_read_start((uv_stream_t *)c, give_room, got))
		row_die("no connection");
}

static unsigned port;

static void client_ended(uv_process_t *client, int64_t status, int signal)
{
	if (status || signal)
		row_die("the client found a wrong answer");
	uv_close((uv_handle_t *)client, NULL);
	uv_stop(loop);
}

static uv_async_t client_is_gone;

static void stop(uv_async_t *unused)
{
	(void)unused;
	uv_stop(loop);
}

static void run_beside(void *size)
{
	echo_run_beside(size, port);
	uv_async_send(&client_is_gone);
}

static void serve_client(const struct size *size)
{
	static uv_process_t client;
	static char *command[5];
	uv_process_options_t options = { .exit_cb = client_ended, .args = command };

	echo_command(size, port, command);
	options.file = command[0];
	if (uv_spawn(loop, &client, &options))
		row_die("no client");
	uv_run(loop, UV_RUN_DEFAULT);
	uv_run(loop, UV_RUN_NOWAIT);
}

static void listen_on_loop(void)
{
	static uv_tcp_t listener;
	int fd = echo_listen(&port);

	loop = uv_default_loop();
	if (!loop || uv_tcp_init(loop, &listener) || uv_tcp_open(&listener, fd) ||
	    uv_listen((uv_stream_t *)&listener, SOMAXCONN, taken))
		row_die("no socket");
}

static void echo_row(const struct size *size)
{
	listen_on_loop();
	row_time(size, serve_client);
}

/* The client prints the samples. */
static void echo_idle_row(const struct size *size)
{
	static uv_thread_t thread;

	listen_on_loop();
	if (uv_async_init(loop, &client_is_gone, stop) ||
	    uv_thread_create(&thread, run_beside, (void *)size))
		row_die("no thread");
	uv_run(loop, UV_RUN_DEFAULT);
	uv_thread_join(&thread);
}

/* ---- what an idle pool costs: common/idle.h */

static uint64_t nr_arrived, nr_awaited, first_began;

static void arrive(uv_work_t *unused)
{
	(void)unused;
	__atomic_fetch_add(&nr_arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&nr_arrived, __ATOMIC_ACQUIRE) < nr_awaited)
		row_sleep(100000);
}

static void idle_bytes_row(const struct size *size)
{
	struct size all = *size;
	uint64_t before;

	all.n = nr_awaited = size->workers;
	start(&all);
	before = memory_anonymous();
	queue_all(&all, arrive);
	row_sleep(IDLE_NS);
	row_print(size, memory_anonymous() - before, size->workers);
}

static void begins(uv_work_t *unused)
{
	(void)unused;
	first_began = row_now();
}

static void first_row(const struct size *size)
{
	start(size);
	queue_all(size, begins);
	row_print(size, first_began - strtoull(size->how, NULL, 10), 1);
}

static const struct row rows[] = {
	ROW_OF("outside", row_time, empty, start, NULL),
	ROW_OF("trip", row_time_rested, empty, start, NULL),
	ROW_OF("burst", row_time_rested, of_1us, start, NULL),
	ROW_OF("trips", row_time, all_trips, start, NULL),
	ROW("echo", echo_row),
	ROW("echo-idle", echo_idle_row),
	ROW("idle-bytes", idle_bytes_row),
	ROW("first", first_row),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, timer_rows, NULL };
