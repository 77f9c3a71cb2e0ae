/* SPDX-License-Identifier: MIT */
/*
 * Timers: arming n of them, disarming n, n that are due and fire, and how late a single timer is.
 * Included by the file that defines, as static functions,
 *
 *	timers_init(n)
 *	timer_arm(i, ns), timer_cancel(i)	timer i of n, whose end calls timer_fired()
 *	timers_wait()				until timer_fired() has returned true
 *
 * and calls timers_run() on the thread that arms the timers: the loop's thread, or a worker.
 */
#ifndef NAP_BENCH_TIMERS_H
#define NAP_BENCH_TIMERS_H

#include <string.h>

#include "common/beside.h"
#include "common/row.h"

#define TIMERS_FAR_NS 3600000000000u
#define TIMERS_SOON_NS 3000000u
/* so long that timers of whole milliseconds are due, but shorter than a scheduler's slice */
#define TIMERS_BUSY_NS 5000000u

static uint64_t timers_left, timer_fired_at;

/* Returns whether this timer was the last. */
static inline bool timer_fired(void)
{
	timer_fired_at = row_now();
	return !--timers_left;
}

/* Returns times in no order, like those of unrelated connections. */
static inline uint64_t timer_ns(uint64_t i, uint64_t within)
{
	return (i * 0x9e3779b97f4a7c15u >> 20) % within;
}

static void timers_arm_and_cancel(const struct size *size)
{
	bool arms = !strcmp(size->row, "timer-arm");
	struct span span;

	for (unsigned round = 0; round <= size->rounds; round++) {
		row_begin(&span);
		for (uint64_t i = 0; i < size->n; i++)
			timer_arm(i, TIMERS_FAR_NS + timer_ns(i, TIMERS_FAR_NS));
		if (round && arms)
			row_end(size, &span, size->n);
		row_begin(&span);
		for (uint64_t i = 0; i < size->n; i++)
			timer_cancel(i);
		if (round && !arms)
			row_end(size, &span, size->n);
	}
}

/* The thread is busy until all timers are due, so that none fires before the measurement begins. */
static void timers_fire(const struct size *size)
{
	struct span span;

	for (unsigned round = 0; round <= size->rounds; round++) {
		timers_left = size->n;
		for (uint64_t i = 0; i < size->n; i++)
			timer_arm(i, timer_ns(i, TIMERS_SOON_NS));
		row_busy(TIMERS_BUSY_NS);
		row_begin(&span);
		timers_wait();
		if (round)
			row_end(size, &span, size->n);
	}
}

/* ---- how late a timer is */

static uint64_t timer_late(const struct size *unused)
{
	static uint32_t state = 1;
	uint64_t length = beside_pause(&state), until = row_now() + length;

	(void)unused;
	timers_left = 1;
	timer_arm(0, length);
	timers_wait();
	return timer_fired_at - until;
}

/* Measures row "timer-arm", "timer-cancel", "timer-fire" or "timer-late". */
static void timers_run(const struct size *size)
{
	timers_init(size->n);
	if (!strcmp(size->row, "timer-fire"))
		timers_fire(size);
	else if (!strcmp(size->row, "timer-late"))
		row_take_each(size, 0, timer_late);
	else
		timers_arm_and_cancel(size);
}

#define TIMER_ROWS(run)			\
	ROW("timer-arm", run),		\
	ROW("timer-cancel", run),	\
	ROW("timer-fire", run),		\
	ROW("timer-late", run)

#endif /* NAP_BENCH_TIMERS_H */
