/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_metrics_pools - counters as text for Prometheus
 *
 * Counters as text, in the format that Prometheus reads (text exposition format 0.0.4):
 *
 *	struct nap_metrics_pool pools[] = { { &pool, "hash" }, { &disk, "disk" } };
 *	char page[8192];
 *	size_t n = nap_metrics_pools(pools, 2, page, sizeof(page));
 *
 * nap/stats.h says what each counter means. A field that is not in this list has a metric of its
 * own name with the prefix nap_ and, if it is a counter, the suffix _total:
 *
 *	struct nap_worker_stats		struct nap_pool_stats
 *	run		nap_tasks_run_total		helped		nap_tasks_helped_total
 *	stolen		nap_tasks_stolen_total		max_workers	nap_workers_limit
 *	overflowed	nap_tasks_overflowed_total	spawned		nap_workers
 *	parked		nap_parks_total			idle		nap_workers_idle
 *	woken_idle	nap_wakes_in_vain_total		refused		nap_workers_refused_total
 *	dozed		nap_dozes_total			running		nap_workers_running
 *	spun		nap_spins_total			helping		nap_threads_helping
 *	yielded		nap_yields_total		most_running	nap_running_most
 *	searched	nap_searches_in_vain_total	most_queued	nap_queued_most
 *	asked		nap_asks_total
 *	canceled	nap_works_canceled_total	struct nap_submit_stats
 *	timed_out	nap_works_timed_out_total	taken		nap_submit_taken
 *							most		nap_submit_taken_most
 *							count		nap_submit_slots
 *							refused		nap_submit_refused_total
 *
 * nap_worker_stats.most_queued and spawn_last_errno have none.
 *
 * A pool that is measured (nap/histogram.h) has histograms, too: nap_task_wait_seconds,
 * nap_task_run_seconds, nap_queue_length and nap_wake_seconds, each with the bounds of a few
 * buckets (_bucket with le, +Inf the last), _sum and _count. The bounds of times are 256 ns, four
 * times as much, and so on, up to 68.7 s; those of lengths are 1, 4, 16, and so on, up to 1048576.
 * In a pool with classes each class has a series, with the label class="0" and so on, and tasks
 * without a class have class="ordinary". nap_tasks_unmeasured_total counts the tasks that were not
 * measured.
 *
 * A _sum wraps, as nap_histogram.sum does: after 18446744073 seconds, or 2^64 tasks; with 1,000
 * tasks that always wait after 213 days. Prometheus takes the smaller value for that of a process
 * that was started again: rate() and increase() then lack what was added from the last sample until
 * the wrap, at most one interval's share, and are right again in the next interval. So for a mean
 * divide the rate() of _sum by the rate() of _count, and do not divide the samples themselves.
 * _bucket and _count wrap after centuries, so quantiles are never affected.
 */
#ifndef NAP_METRICS_H
#define NAP_METRICS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_pool;
struct nap_submitter;

/**
 * struct nap_metrics_pool - a pool, and its name on the page
 * @pool: the pool; NULL: write no lines
 * @name: the value of the label "pool"; NULL: "nap". Any text: a byte that is no UTF-8 is written
 *        as U+FFFD, because Prometheus refuses a whole page with such bytes. If several pools have
 *        the same name, the second has a label nr="2", and so on, in the order of the array: so
 *        keep this order from page to page
 */
struct nap_metrics_pool {
	struct nap_pool *pool;
	const char *name;
};

/** struct nap_metrics_submitter - a submitter, and its name, the value of the label "submitter" */
struct nap_metrics_submitter {
	const struct nap_submitter *submit;
	const char *name;
};

/**
 * nap_metrics_pools() - write the counters of @count pools, and the histograms of measured pools
 * @buf:  set to the text and a final 0; if the text does not fit, it is cut at the end of a line
 * @size: the size of @buf in bytes; with 0 nothing is written, and @buf may be NULL
 *
 * Any thread; allocates nothing, and no other thread is stopped. Returns the length of the whole
 * text, without the 0: if it is @size or more, the text was cut. (The text of the next call may be
 * some digits longer.)
 */
size_t nap_metrics_pools(const struct nap_metrics_pool *pools, size_t count, char *buf,
			 size_t size);

/** nap_metrics_submitters() - nap_metrics_pools() for the slots of submitters */
size_t nap_metrics_submitters(const struct nap_metrics_submitter *submitters, size_t count,
			      char *buf, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_METRICS_H */
