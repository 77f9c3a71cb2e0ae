/* SPDX-License-Identifier: MIT */
/*
 * A thread that prints the progress of the soak; when nothing moves, it prints the state of the
 * pools and ends the program.
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "scale.h"
#include "soak.h"
#include "watchdog_print.h"

#define STEP_NS		200000000L
#define HANG_SECONDS	(60 * (nap_test_slow() ? 5u : 1u))

static pthread_t thread;
static uint32_t stopped;

static uint64_t total(const uint64_t *counter)
{
	uint64_t sum = 0;

	for (int i = 0; i < NR_SHAPES; i++)
		sum += counter[i];
	return sum;
}

static void bark(const struct tally *now)
{
	dprintf(2, "# HANG: nothing was scheduled, run, refused or returned for %u s\n",
		HANG_SECONDS);
	for (int i = 0; i < NR_SHAPES; i++)
		dprintf(2, "# %-20s scheduled %lu, run %lu, refused %lu, returned %lu\n",
			soak_shapes[i].name, (unsigned long)now->offered[i],
			(unsigned long)now->run[i], (unsigned long)now->refused[i],
			(unsigned long)now->returned[i]);
	walk_print();
	print_watched();
	_exit(1);
}

static void *monitor(void *arg)
{
	uint64_t began = nap__os_now(), last_progress = began, last_line = began, before = 0;
	uint64_t pause = (isatty(2) ? 5 : 30) * (uint64_t)1000000000;

	(void)arg;
	while (!nap_load_acquire(&stopped)) {
		struct tally sum;
		uint64_t moved, now;

		nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
		now = nap__os_now();
		tally_sum(&sum);
		moved = total(sum.offered) + total(sum.run) +
			total(sum.refused) + total(sum.returned);
		if (moved != before)
			last_progress = now;
		before = moved;
		if (now - last_progress > HANG_SECONDS * (uint64_t)1000000000)
			bark(&sum);
		if (now - last_line < pause)
			continue;
		last_line = now;
		dprintf(2, "# %4lu s: %lu tasks run\n", (unsigned long)((now - began) / 1000000000),
			(unsigned long)total(sum.run));
	}
	return NULL;
}

void monitor_start(void)
{
	sigset_t all, old;

	/* Only the main thread may get a SIGINT. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&thread, NULL, monitor, NULL))
		abort();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void monitor_stop(void)
{
	nap_store_release(&stopped, 1);
	pthread_join(thread, NULL);
}

void monitor_watch(struct nap_pool *pool)
{
	watch_pool(pool);
}

void monitor_forget(struct nap_pool *pool)
{
	watchdog_forget(pool);
}
