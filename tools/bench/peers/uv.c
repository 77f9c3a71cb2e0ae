// SPDX-License-Identifier: MIT
/*
 * libuv's thread pool. Work is queued by the loop's thread, and the loop tells of its end: so the
 * way back to main is in every row.
 */
#include "common/row.h"
#include "common/trips.h"

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

/* The threads are started at the first work, which is the one to warm up. */
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

static void outside_row(const struct size *size)
{
	start(size);
	row_time(size, empty);
}

static void trip_row(const struct size *size)
{
	start(size);
	row_time_each(size, ROW_REST_NS, empty);
}

static void burst_row(const struct size *size)
{
	start(size);
	row_time_each(size, ROW_REST_NS, of_1us);
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

static void trips_row(const struct size *size)
{
	start(size);
	row_time(size, all_trips);
}

static const struct row rows[] = {
	{ "outside", outside_row },
	{ "trip", trip_row },
	{ "burst", burst_row },
	{ "trips", trips_row },
	{ NULL, NULL },
};

const struct row *const row_tables[] = { rows, NULL };
