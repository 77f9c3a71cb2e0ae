/* SPDX-License-Identifier: MIT */
/*
 * Timers: half of the tasks are run by timers that are set once, half by periodic ones. The delay
 * is counted from the time that the timer was set to.
 */
#include <nap/timer.h>
#include <nap/work.h>

#include "work/common.h"
#include "work/nap.h"

#define PERIODS		8u	/* how often a periodic timer's task runs */

struct alarm {
	struct nap_timer timer;
	uint64_t when;		/* of the first run, by nap_deadline() */
	uint64_t period;	/* 0: it runs once */
	uint32_t runs, wanted;
} __attribute__((aligned(64)));

static struct alarm *alarms;
static uint64_t nr_alarms, nr_periodic, nr_ended;
static uint32_t all_ended;

OF_SIMULATOR static bool is_last(void)
{
	return __atomic_add_fetch(&nr_ended, 1, __ATOMIC_SEQ_CST) == nr_alarms;
}

static void note_end(void)
{
	if (!is_last())
		return;
	__atomic_store_n(&all_ended, 1, __ATOMIC_SEQ_CST);
	sim_futex_wake(&all_ended, 1);
}

static void run_alarm(struct nap_task *task)
{
	struct alarm *alarm = (struct alarm *)(void *)task;
	uint64_t now = nap_deadline(0), when = alarm->when;

	sim_queued(1);
	sim_begins();
	if (alarm->period)
		when += (alarm->runs + nap_timer_missed(&alarm->timer)) * alarm->period;
	alarm->runs++;
	if (now < when)
		sim_fail("a timer's task runs before its time");
	note_delay(now - when);
	sim_work(sim_run.grain_ns);
	sim_ends();
	if (alarm->runs == alarm->wanted) {
		if (alarm->period)
			nap_timer_cancel(&alarm->timer);
		note_end();
	}
}

/*
 * All timers are set before the first is due. Their tasks keep the workers busy for four fifths of
 * the time.
 */
static void set_alarms(uint64_t span)
{
	uint64_t begins = nap_deadline(50000 + 300 * nr_alarms), now;

	for (uint64_t i = 0; i < nr_alarms; i++) {
		struct alarm *alarm = &alarms[i];
		bool once = i >= nr_periodic;
		int err;

		nap_timer_init(&alarm->timer, run_alarm);
		alarm->wanted = once ? 1 : PERIODS;
		alarm->period = once ? 0 : span / PERIODS;
		alarm->when = begins + sim_random((uint32_t)(once ? span : span / PERIODS));
		if (once) {
			err = nap_schedule_at(&work_pool, &alarm->timer, alarm->when);
		} else {
			now = nap_deadline(0);
			err = nap_schedule_every(&work_pool, &alarm->timer, alarm->when - now,
						 alarm->period);
		}
		if (err)
			sim_fail("a timer is refused");
	}
}

OF_SIMULATOR static void check_alarms(void)
{
	for (uint64_t i = 0; i < nr_alarms; i++)
		if (alarms[i].runs != alarms[i].wanted)
			sim_fail("timer %llu ran %u times", (unsigned long long)i, alarms[i].runs);
}

static void timers(void)
{
	uint64_t span = sim_run.tasks * sim_run.grain_ns / sim_run.workers * 5 / 4 + PERIODS * 1000;
	uint64_t periodic = sim_run.tasks / (2 * PERIODS);

	/*
	 * For each periodic timer, which runs PERIODS times, there are PERIODS timers that run
	 * once.
	 */
	nr_periodic = periodic ? periodic : 1;
	nr_alarms = nr_periodic * (PERIODS + 1);
	alarms = sim_alloc(nr_alarms * sizeof(*alarms), "timers");
	begin();
	set_alarms(span);
	while (!__atomic_load_n(&all_ended, __ATOMIC_SEQ_CST))
		sim_futex_wait(&all_ended, 0, UINT64_MAX);
	end();
	check_alarms();
}

SIM_WORK(timers, .name = "timers", .run = timers, .each = 200, .grain_ns = 5000, .nap_only = true,
	 .about = "timers, once and periodic, that keep the workers busy for four fifths of the "
		  "time");
