/* SPDX-License-Identifier: MIT */
/*
 * Virtual time: it stands still until a wait has timed out. Then that deadline is over, and no
 * other deadline.
 *
 * verdict waits: no fault$
 * verdict looks_too_early: found: .*: now == 0
 * verdict gives_up: found: .*: !gave_up
 */
#define _GNU_SOURCE
#include <errno.h>
#include <nap/check.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t sem;
static bool gave_up;

static void begin(void)
{
	sem_init(&sem, 0, 0);
	gave_up = false;
}

static time_t wait_until(time_t deadline)
{
	struct timespec until = { deadline, 0 }, now;
	int err = sem_timedwait(&sem, &until) ? errno : 0;

	clock_gettime(CLOCK_REALTIME, &now);
	CHECK(now.tv_sec == (err == ETIMEDOUT ? deadline : 0));
	CHECK(time(NULL) == now.tv_sec);
	return now.tv_sec;
}

static void post(void *arg)
{
	sem_post(&sem);
}

static void wait_once(void *arg)
{
	wait_until(5);
}

static void look(void *arg)
{
	time_t now = wait_until(5);

	CHECK(now == 0);
}

/* The checker finds what comes after the loop, which ends only when the deadline is over. */
static void wait_in_turns(void *arg)
{
	struct timespec until = { 3, 0 }, now;

	do {
		if (!sem_timedwait(&sem, &until))
			return;
		clock_gettime(CLOCK_REALTIME, &now);
	} while (now.tv_sec < 3);
	gave_up = true;
	CHECK(!gave_up);
}

CHECK_SCENARIO(waits, .setup = begin, .threads = { { post }, { wait_once } });
CHECK_SCENARIO(looks_too_early, .setup = begin, .threads = { { post }, { look } });
CHECK_SCENARIO(gives_up, .setup = begin, .threads = { { post }, { wait_in_turns } });
