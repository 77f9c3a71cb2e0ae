/* SPDX-License-Identifier: MIT */
/* Timers, armed by a fiber of one worker. */
#include <stdlib.h>

#include <nap/async.h>

#include "nap.h"

static struct nap_timer *timers;
static struct nap_event all_fired = NAP_EVENT_INIT;

static void fires(struct nap_task *task);

static void timers_init(uint64_t n)
{
	timers = calloc(n, sizeof(*timers));
	if (!timers)
		row_die("no memory");
	for (uint64_t i = 0; i < n; i++)
		nap_timer_init(&timers[i], fires);
}

static inline void timer_arm(uint64_t i, uint64_t ns)
{
	if (nap_schedule_after(&bench_pool, &timers[i], ns))
		row_die("nap_schedule_after() refused");
}

static inline void timer_cancel(uint64_t i)
{
	if (nap_timer_cancel(&timers[i]))
		row_die("a timer was not armed");
}

static void timers_wait(void)
{
	nap_event_wait(&all_fired);
	nap_event_reset(&all_fired);
}

#include "common/timers.h"

static void fires(struct nap_task *unused)
{
	(void)unused;
	if (timer_fired())
		nap_event_set(&all_fired);
}

static intptr_t measures(void *size)
{
	timers_run(size);
	return 0;
}

static void timers_row(const struct size *size)
{
	struct nap_fiber *fiber;

	bench_start(size);
	if (nap_spawn(&bench_pool, &fiber, measures, (void *)size) || nap_await(fiber, NULL))
		row_die("a fiber does not run");
	bench_end();
	free(timers);
}

const struct row timer_rows[] = {
	TIMER_ROWS(timers_row),
	ROWS_END,
};
