/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_histogram - how long tasks wait and run, how long wakes take, how long queues are
 *
 * A pool whose nap_config.measure is not 0 counts in histograms how long its tasks wait, how long
 * they run, how long a wake takes, and how long the queues are.
 *
 *	static struct nap_pool pool = NAP_POOL_INIT(.measure = NAP_MEASURE);
 *	static struct nap_histogram waited;
 *	...
 *	nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &waited);
 *	printf("of a hundred tasks one waits for %lu ns or more\n",
 *	       (unsigned long)nap_histogram_quantile(&waited, 990000));
 *
 * Buckets are log-linear, as in an HDR histogram: 16 in each power of two. So the bounds of a
 * bucket differ by at most one part in 16, and a quantile is at most that much too large, never too
 * small. Each worker counts in buckets of its own, without a lock; reading stops nobody.
 *
 * Measured are tasks, as nap_worker_stats.run and nap_pool_stats.helped count them: those of
 * nap_schedule() and its like, works, tasks of serial and ordered queues, of a fiber each stretch
 * from one wait to the next. Forked jobs, the iterations of loops, nap_call() and broadcasts are
 * not.
 *
 * The pool cannot keep a time in a task, which is the program's and two words long. So the times at
 * which tasks were scheduled stand in a table of the pool's, by the tasks' addresses; thus it does
 * not matter through which queues a task goes, and who takes it. The table has room for about
 * nap_config.measure tasks that wait at once. A task that finds no room is not measured; it counts
 * in nap_histogram.missed. If many are missed, those are tasks that came when much was queued, so
 * what is counted then looks better than it is.
 *
 * A pool with measure 0 pays nothing on its fast paths. A pool that is measured leaves them, as one
 * that is traced (nap/trace.h), and reads CLOCK_MONOTONIC three times a task.
 *
 * nap_metrics_pools() writes all of it for Prometheus: nap/metrics.h.
 */
#ifndef NAP_HISTOGRAM_H
#define NAP_HISTOGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_pool;

/**
 * enum nap_measured - what is counted, each value in one histogram
 * @NAP_MEASURE_WAIT:  (ns) how long a task has waited: from inside the call that schedules it,
 *                     before the task is published, until right before its function is called. Of a
 *                     task in a serial or ordered queue all of the time in that queue. Of a fiber,
 *                     from the moment at which it may go on until it does. Of what a timer runs or
 *                     resumes, from the time at which it was due. The start of a fiber that has
 *                     to wait for a stack begins twice, and waits anew when it has one. A work that was cancelled
 *                     is a task like others: its task begins, to end the work
 * @NAP_MEASURE_RUN:   (ns) how long a task's function has run: from right before the call until it
 *                     has returned, by the clock of the wall. What its thread did in between counts:
 *                     other tasks that ran inside a wait, which are counted once more by themselves,
 *                     and sleep. Of a fiber one stretch; what it waits for is no part of it
 * @NAP_MEASURE_QUEUE: (tasks) how long the queue was into which a task went, the task itself
 *                     included: a worker's ring and overflow together, the pool's injection queue,
 *                     a class's queue, a serial or ordered queue. Counted at each schedule. Others
 *                     push and take at the same time; the length is what the caller has found.
 *                     What a timer runs or resumes goes through no queue, nor does a fiber whose
 *                     file a worker has found ready in passing; these are not counted here
 * @NAP_MEASURE_WAKE:  (ns) how long a wake for work takes: from right before another thread wakes a
 *                     worker, or a guest with a record, until that goes on, whether it slept in the
 *                     kernel, dozed, or still looked for work. Wakes for other reasons (a wait is
 *                     over, a timer, a message) are not counted, nor is one that came when the worker
 *                     was about to go on by itself
 *
 * The first three have one histogram for each class, and one for tasks without a class. A task in a
 * serial queue is of the class that the queue has.
 */
enum nap_measured {
	NAP_MEASURE_WAIT,
	NAP_MEASURE_RUN,
	NAP_MEASURE_QUEUE,
	NAP_MEASURE_WAKE,
};

/** NAP_ALL_CLASSES - for nap_pool_histogram(): tasks of every class, and those without one */
#define NAP_ALL_CLASSES UINT32_MAX

/**
 * NAP_HISTOGRAM_BUCKETS - how many buckets there are: values up to 2^40 (18 minutes in nanoseconds),
 * and one for larger ones
 */
#define NAP_HISTOGRAM_BUCKETS 593u

/**
 * struct nap_histogram - a histogram, as it was read
 * @count:  how many values there are: the sum of @of
 * @sum:    of the values themselves, not of bounds; wraps after centuries
 * @missed: with NAP_MEASURE_WAIT and NAP_MEASURE_RUN: how many tasks were scheduled and are not
 *          measured, because the table was full
 * @of:     how many values are in each bucket, the smallest first; nap_histogram_bound()
 */
struct nap_histogram {
	uint64_t count;
	uint64_t sum;
	uint64_t missed;
	uint64_t of[NAP_HISTOGRAM_BUCKETS];
};

/**
 * nap_pool_histogram() - read a histogram of @pool
 * @what:  what is counted
 * @which: the number of a class of the pool, NAP_CLASSES for tasks without one, or NAP_ALL_CLASSES;
 *         of no meaning with NAP_MEASURE_WAKE
 * @out:   written, except on an error
 *
 * The workers' buckets are added up one after another while the pool goes on, so @out is of no one
 * moment; but no bucket ever falls from one call to the next. When nap_pool_quiesce() has returned,
 * and nothing has been scheduled since, all that was scheduled is there: as many in NAP_MEASURE_WAIT
 * as in NAP_MEASURE_RUN, and with those that were missed as many as tasks have begun.
 *
 * Any thread, tasks included; not a signal handler. Returns 0; -ENODATA when the pool is not
 * measured, has not been used yet, or got no memory for it; -ESHUTDOWN after the join, and in the
 * child of a fork; -EINVAL when a pointer is NULL, for no enum nap_measured, or a class that @pool
 * has not.
 */
int nap_pool_histogram(struct nap_pool *pool, enum nap_measured what, uint32_t which,
		       struct nap_histogram *out);

/** nap_histogram_bound() - the largest value of @bucket; UINT64_MAX of the last one, or if there is none */
uint64_t nap_histogram_bound(uint32_t bucket);

/**
 * nap_histogram_quantile() - the bound below which @ppm in a million values are, or at which
 * @ppm: 500000 is the median, 1000000 the largest value; more counts as that, 0 as 1
 *
 * It is the bound of a bucket: never less than the value itself, and at most one part in 16 more.
 * UINT64_MAX if the value is over 2^40. Any thread. Returns 0 when @histogram is empty.
 */
uint64_t nap_histogram_quantile(const struct nap_histogram *histogram, uint32_t ppm);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_HISTOGRAM_H */
