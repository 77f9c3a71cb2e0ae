/* SPDX-License-Identifier: MIT */
/*
 * Counters as text: nap/metrics.h. A table has the name and the offset of each counter. All samples
 * of one counter stand together, below two lines that describe the counter.
 */
#include <nap/metrics.h>

#include <string.h>

#include <nap/stats.h>
#include <nap/submit.h>

#include "kit/page.h"

/* ---- counters */

struct metric {
	const char *name, *help;
	bool is_gauge;
	bool is_wide;		/* 64 bits wide, else 32 */
	size_t offset;
};

static void put_head(struct page *page, const struct metric *metric)
{
	nap__page_head(page, metric->name, metric->help, metric->is_gauge ? "gauge" : "counter");
}

static void put_sample(struct page *page, const struct metric *metric, const char *label,
		       const char *name, uint32_t nr, const void *stats)
{
	const void *at = (const char *)stats + metric->offset;
	uint64_t wide = 0;
	uint32_t narrow = 0;

	if (metric->is_wide)
		memcpy(&wide, at, sizeof(wide));
	else
		memcpy(&narrow, at, sizeof(narrow));
	nap__page_string(page, metric->name);
	nap__page_labels(page, label, name, nr);
	nap__page_string(page, "} ");
	nap__page_number(page, wide + narrow);
	nap__page_line(page);
}

#define OF_WORKERS(field, name, help) \
	{ "nap_" name "_total", help, false, true, \
	  offsetof(struct nap_pool_stats, workers) + offsetof(struct nap_worker_stats, field) }
#define OF_POOL(field, name, help, gauge) \
	{ "nap_" name, help, gauge, sizeof(((struct nap_pool_stats *)0)->field) == 8, \
	  offsetof(struct nap_pool_stats, field) }

static const struct metric pool_metrics[] = {
	OF_WORKERS(run, "tasks_run", "Tasks that workers have begun."),
	OF_POOL(helped, "tasks_helped_total", "Tasks run by threads from outside.", false),
	OF_WORKERS(stolen, "tasks_stolen", "Tasks taken out of other workers' queues."),
	OF_WORKERS(overflowed, "tasks_overflowed", "Tasks moved out of a ring that was full."),
	OF_WORKERS(jobs_stolen, "jobs_stolen", "Forked jobs of others that were begun."),
	OF_WORKERS(parked, "parks", "Times that a worker went to sleep."),
	OF_WORKERS(woken_idle, "wakes_in_vain", "Wake-ups after which the worker found no task."),
	OF_WORKERS(dozed, "dozes", "Short sleeps because wake-ups were in vain."),
	OF_WORKERS(spun, "spins", "Looks for a while before a sleep that was not needed."),
	OF_WORKERS(yielded, "yields", "Times that a worker gave way while it looked."),
	OF_WORKERS(searched, "searches_in_vain", "Searches that found nothing."),
	OF_WORKERS(asked, "asks", "Times that all others were asked for forked jobs."),
	OF_WORKERS(canceled, "works_canceled", "Works that ended because they were canceled."),
	OF_WORKERS(timed_out, "works_timed_out", "Works that ended because it was too late."),
	OF_WORKERS(fibers_spawned, "fibers_spawned", "Fibers spawned on workers."),
	OF_WORKERS(fibers_ended, "fibers_ended", "Fibers that have ended."),
	OF_POOL(tasks_refused, "tasks_refused_total", "Tasks refused by a pool that ends.", false),
	OF_POOL(spawn_failures, "spawn_failures_total", "Workers that could not be started.",
		false),
	OF_POOL(refused, "workers_refused_total",
		"Workers to whom the kernel has refused what the configuration asks for.", false),
	OF_POOL(max_workers, "workers_limit", "The most workers that may be started.", true),
	OF_POOL(spawned, "workers", "Workers that exist.", true),
	OF_POOL(idle, "workers_idle", "Threads that sleep for work, or are about to.", true),
	OF_POOL(running, "workers_running", "Workers inside a task, or looking for one.", true),
	OF_POOL(helping, "threads_helping", "Threads from outside that run tasks or calls.", true),
	OF_POOL(most_running, "running_most", "Both of these at a look, the most.", true),
	OF_POOL(queued_injected, "queued_injected", "Tasks from outside that wait.", true),
	OF_POOL(queued_classes, "queued_classes", "Tasks that wait in classes.", true),
	OF_POOL(queued_serial, "queued_serial", "Tasks that wait in serial queues.", true),
	OF_POOL(queued_rings, "queued_rings", "Tasks that wait in the rings of workers.", true),
	OF_POOL(queued_overflow, "queued_overflow", "Tasks that wait behind full rings.", true),
	OF_POOL(queued_calls, "queued_calls", "Calls from outside that wait for a place.", true),
	OF_POOL(most_queued, "queued_most", "What waited at a look, the most.", true),
};

#define OF_SUBMIT(field, name, help, gauge) \
	{ "nap_submit_" name, help, gauge, \
	  sizeof(((struct nap_submit_stats *)0)->field) == 8, \
	  offsetof(struct nap_submit_stats, field) }

static const struct metric submit_metrics[] = {
	OF_SUBMIT(taken, "taken", "Slots that are queued or run.", true),
	OF_SUBMIT(most, "taken_most", "Slots that were taken at once, the most.", true),
	OF_SUBMIT(count, "slots", "Slots that may be taken.", true),
	OF_SUBMIT(refused, "refused_total", "Submits refused because all were taken.", false),
};

/* ---- the pages */

#define LENGTH(array)	(sizeof(array) / sizeof(*(array)))

static uint32_t submitter_number(const struct nap_metrics_submitter *submitters, size_t i)
{
	uint32_t nr = 1;

	for (size_t before = 0; before < i; before++)
		nr += submitters[before].submit &&
		      nap__page_same(submitters[before].name, submitters[i].name);
	return nr;
}

size_t nap_metrics_pools(const struct nap_metrics_pool *pools, size_t count, char *buf,
			 size_t size)
{
	struct page page = { buf, buf ? size : 0, 0, 0 };
	struct nap_pool_stats stats;

	for (size_t m = 0; m < LENGTH(pool_metrics); m++) {
		put_head(&page, &pool_metrics[m]);
		for (size_t i = 0; pools && i < count; i++)
			if (!nap_pool_get_stats(pools[i].pool, &stats))
				put_sample(&page, &pool_metrics[m], "pool", pools[i].name,
					   nap__pool_number(pools, i), &stats);
	}
	nap__put_measured(&page, pools, pools ? count : 0);
	return nap__page_end(&page);
}

size_t nap_metrics_submitters(const struct nap_metrics_submitter *submitters, size_t count,
			      char *buf, size_t size)
{
	struct page page = { buf, buf ? size : 0, 0, 0 };
	struct nap_submit_stats stats;

	for (size_t m = 0; m < LENGTH(submit_metrics); m++) {
		put_head(&page, &submit_metrics[m]);
		for (size_t i = 0; submitters && i < count; i++) {
			if (!submitters[i].submit)
				continue;
			nap_submit_get_stats(submitters[i].submit, &stats);
			put_sample(&page, &submit_metrics[m], "submitter", submitters[i].name,
				   submitter_number(submitters, i), &stats);
		}
	}
	return nap__page_end(&page);
}
