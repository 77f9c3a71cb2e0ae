// SPDX-License-Identifier: MIT
/* A run of work that forks and joins, from its one task to its result. */
#include "forks.h"

#include <errno.h>
#include <stdio.h>

/* On the main thread, as the pool's guest, when no worker could be started. */
static void begin(struct nap_task *task)
{
	struct forks *forks = nap_container_of(task, struct forks, task);
	struct nap_worker *worker = nap_worker_self();

	forks->by_main = !forks->serial && nap_worker_index(worker) >= forks->workers;
	forks->work(forks, worker);
	nap_group_done(&forks->run.group);
}

/* The main thread, in place of run_wait(). */
bool forks_signalled(struct forks *forks)
{
	if (!signals_caught())
		return false;
	run_fail(&forks->run, 0);
	return true;
}

static int timed(struct forks *forks)
{
	int ret;

	nap_task_init(&forks->task, begin);
	nap_group_add(&forks->run.group, 1);
	run_start_clock(&forks->run);
	ret = nap_schedule(&forks->run.pool, &forks->task);
	if (!ret)
		ret = run_wait(&forks->run, NULL, NULL);
	run_stop_clock(&forks->run);
	return ret;
}

/* @what: for messages. Returns 0, or the exit status after saying why there is no result. */
int forks_run(struct forks *forks, const struct options *options, unsigned workers,
	      const char *what)
{
	struct nap_batch left = NAP_BATCH_INIT;
	int ret = run_begin(&forks->run, options, workers);

	forks->workers = workers;

	if (!ret)
		ret = timed(forks);
	run_end(&forks->run, &left);
	if (signals_caught()) {
		fprintf(stderr, "nap-demo: stopped by %s during %s on %u worker%s%s; "
			"there is no result\n", signals_name(), what, workers,
			workers == 1 ? "" : "s", forks->serial ? " without forks" : "");
		return signals_status();
	}
	if (!ret)
		return 0;
	report_error(forks->run.error ? forks->run.error : -ret);
	return EXIT_FAILED;
}
