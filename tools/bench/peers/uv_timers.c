/* SPDX-License-Identifier: MIT */
/* libuv's timers, on the loop's thread; they end at whole milliseconds. */
#include <stdint.h>
#include <stdlib.h>
#include <uv.h>

#include "peers/uv_timers.h"

static uv_loop_t *loop;
static uv_timer_t *timers;

static void fires(uv_timer_t *timer);

static void timers_init(uint64_t n)
{
	loop = uv_default_loop();
	timers = calloc(n, sizeof(*timers));
	if (!loop || !timers)
		row_die("no memory");
	for (uint64_t i = 0; i < n; i++)
		uv_timer_init(loop, &timers[i]);
}

static inline void timer_arm(uint64_t i, uint64_t ns)
{
	if (!i)
		uv_update_time(loop);
	if (uv_timer_start(&timers[i], fires, (ns + 999999) / 1000000, 0))
		row_die("uv_timer_start() refused");
}

static inline void timer_cancel(uint64_t i)
{
	uv_timer_stop(&timers[i]);
}

static void timers_wait(void)
{
	uv_run(loop, UV_RUN_DEFAULT);
}

#include "common/timers.h"

static void fires(uv_timer_t *unused)
{
	(void)unused;
	timer_fired();
}

const struct row timer_rows[] = {
	TIMER_ROWS(timers_run),
	ROWS_END,
};
