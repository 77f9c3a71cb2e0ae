/* SPDX-License-Identifier: MIT */
/* A run: a pool from its first task to its end, and its time; and the signals that end it. */
#include "demo.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 100000000u

uint32_t run_stop;
/*
 * what on_signal() prints after the signal; empty if the workers check run_stop, and end by
 * themselves
 */
static char last_words[96] = "\n";

/* Ends the program wherever it is, because all results are in memory alone. */
static void on_signal(int sig)
{
	const char *name = sig == SIGTERM ? "nap-demo: stopped by SIGTERM" :
			   "nap-demo: stopped by SIGINT";

	__atomic_store_n(&run_stop, (uint32_t)sig, __ATOMIC_RELAXED);
	if (*last_words && write(STDERR_FILENO, name, strlen(name)) > 0 &&
	    write(STDERR_FILENO, last_words, strlen(last_words)) > 0)
		_exit(EXIT_SIGNAL + sig);
}

/* Catches the first signal of a kind. The second has its default effect, for impatient users. */
void run_catch_signals(void)
{
	static const int wanted[] = { SIGINT, SIGTERM };
	struct sigaction old, action = { .sa_handler = on_signal,
					 .sa_flags = SA_RESTART | SA_RESETHAND };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		/* A signal that nohup or a shell's background job ignores stays ignored. */
		if (!sigaction(wanted[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(wanted[i], &action, NULL);
	}
}

void run_ends_by_itself(void)
{
	*last_words = '\0';
}

uint64_t run_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

static void begin(struct nap_task *task)
{
	struct run *run = nap_container_of(task, struct run, task);

	run->error = run->work(run, nap_worker_self());
	nap_group_done(&run->group);
}

/*
 * Begins the work with one task on a worker, so that only the pool's workers take part. If no
 * worker can be started, the wait runs the task, on the main thread as the pool's guest.
 */
static void timed(struct run *run)
{
	uint64_t cpu = cpu_ns(), wall = run_clock();

	nap_group_init(&run->group, &run->pool);
	nap_task_init(&run->task, begin);
	nap_group_add(&run->group, 1);
	nap_schedule(&run->pool, &run->task);
	while (nap_group_wait_for(&run->group, TICK_NS) == -ETIMEDOUT)
		if (run->tick)
			run->tick(run);
	run->wall = run_clock() - wall;
	run->cpu = cpu_ns() - cpu;
	report_progress("");
}

/* Reads the counters of single workers, which is possible only before the pool is joined. */
static void read_counters(struct run *run)
{
	nap_pool_get_stats(&run->pool, &run->stats);
	run->each = calloc(run->stats.spawned + 1, sizeof(*run->each));
	while (run->each && run->nr_each < run->stats.spawned &&
	       !nap_worker_get_stats(&run->pool, run->nr_each, &run->each[run->nr_each]))
		run->nr_each++;
}

/* Returns 0, or the positive errno of the failure. */
int run_on(struct run *run, const struct options *options, unsigned workers)
{
	struct nap_config config = {
		.max_workers = workers,
		.name = "nap-demo",
		.idle = options->idle,
		.stack_size = options->stack,
	};
	int ret = nap_pool_init(&run->pool, &config);

	if (ret)
		return -ret;
	run->workers = workers;
	if (run->local)
		nap_local_add(&run->pool, run->local);
	timed(run);
	read_counters(run);
	ret = nap_pool_join(&run->pool, NULL);
	if (ret) {
		fprintf(stderr, "nap-demo: nap_pool_join: %s\n", strerror(-ret));
		abort();	/* threads still use the memory that would be freed */
	}
	return run->error;
}

/* Runs work that does not check run_stop. Returns 0, or the exit status after a message. */
int run_checked(struct run *run, const struct options *options, unsigned workers,
		const char *what)
{
	const char *s = workers == 1 ? "" : "s";
	int error;

	snprintf(last_words, sizeof(last_words), " during %s on %u worker%s; there is no result\n",
		 what, workers, s);
	error = run_on(run, options, workers);
	if (error)
		return report_error(error);
	if (run->right(run))
		return 0;
	fprintf(stderr, "nap-demo: %s: the result on %u worker%s is wrong\n", what, workers, s);
	return EXIT_FAILED;
}

/* Runs on as many workers as the options say, and on one. */
int run_twice(struct run *many, struct run *one, const struct options *options, const char *what)
{
	int status = run_checked(many, options, options->workers, what);

	return status ? status : run_checked(one, options, 1, what);
}

void run_free(struct run *run)
{
	free(run->each);
}
