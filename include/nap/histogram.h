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
 * bucket differ by at most one part in 16, and a quantile is at most one part in 16 too large (of
 * values of 0 it is 1), never too small. Each worker counts in buckets of its own, without a lock;
 * reading stops no thread.
 *
 * The measured tasks are those that nap_worker_stats.run and nap_pool_stats.helped count: tasks
 * that were scheduled in a pool, works, tasks of serial and ordered queues, and each stretch of a
 * fiber from one wait to the next. Forked jobs, iterations of loops, nap_call() and broadcasts are
 * not measured.
 *
 * A task is two words of the program's memory, and has no room for a time. So the times at which
 * tasks were scheduled are in a table of the pool, with the task's address as the key. It does not
 * matter through which queues a task goes, and which thread takes it. The table has room for about
 * nap_config.measure tasks that wait at once. A task for which there is no room is not measured,
 * but counted in nap_histogram.missed. Tasks are missed when many are queued, and these tasks wait
 * longest; so if many are missed, the histograms look better than the truth.
 *
 * A pool with measure 0 pays nothing on its fast paths. A pool that is measured does not use these
 * fast paths, like a pool that is traced (nap/trace.h), and reads CLOCK_MONOTONIC three times a
 * task.
 *
 * nap_metrics_pools() writes the histograms for Prometheus: nap/metrics.h.
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
 * enum nap_measured - what a histogram counts
 * @NAP_MEASURE_WAIT:  (ns) how long a task has waited: from inside the call that schedules it,
 *                     before the task is published, until right before its function is called. For
 *                     a task in a serial or ordered queue: all of the time in the queue. For a
 *                     fiber: from the moment at which it may go on until it goes on. For a task or
 *                     fiber of a timer: from the time at which the timer was due; if that time had
 *                     passed before the program's call: from the call. The start of a fiber that
 *                     has to wait for a stack is counted twice: the time until it asks for the
 *                     stack, and the time since it has the stack. A work that was canceled is
 *                     counted, too: its task begins, to end the work
 * @NAP_MEASURE_RUN:   (ns) how long a task's function has run: from right before the call until it
 *                     has returned, by wall-clock time. The time includes sleep, and other tasks
 *                     that ran inside a wait of the function, which are also counted by themselves.
 *                     For a fiber: one stretch, without its waits
 * @NAP_MEASURE_QUEUE: (tasks) the length of the queue into which a task went, the task itself
 *                     included: a worker's ring and overflow together, the pool's injection queue,
 *                     a class's queue, a serial or ordered queue. Counted at each schedule. Other
 *                     threads push and take at the same time, so the length is approximate. Not
 *                     counted here, because they go through no queue: tasks and fibers of timers,
 *                     and fibers whose file a busy worker has found ready
 * @NAP_MEASURE_WAKE:  (ns) how long a wake for work takes: from right before another thread wakes a
 *                     worker, or a registered guest (nap/call.h), until the woken thread goes on,
 *                     whether it slept in the kernel, slept for a bounded time, or still looked for
 *                     work. Wakes for other reasons (a wait is over, a timer, a message) are not
 *                     counted, nor is a wake that came when the worker was about to go on by itself
 *
 * NAP_MEASURE_WAIT, _RUN and _QUEUE have one histogram for each class, and one for tasks without a
 * class. A task in a serial queue is of the class that the queue has.
 */
enum nap_measured {
	NAP_MEASURE_WAIT,
	NAP_MEASURE_RUN,
	NAP_MEASURE_QUEUE,
	NAP_MEASURE_WAKE,
};

/** NAP_ALL_CLASSES - for nap_pool_histogram(): tasks of every class, and tasks without a class */
#define NAP_ALL_CLASSES UINT32_MAX

/**
 * NAP_HISTOGRAM_BUCKETS - how many buckets there are: for values up to 2^40 (18 minutes in
 * nanoseconds), and one for larger values
 */
#define NAP_HISTOGRAM_BUCKETS 593u

/**
 * struct nap_histogram - a histogram, as nap_pool_histogram() reads it
 * @count:  the number of values: the sum of all @of
 * @sum:    the sum of the values themselves, not of bounds, modulo 2^64. Each task that waits, or
 *          runs, adds a second for a second. So a sum of times wraps after 584 years divided by the
 *          number of tasks that wait (or run) at once: after 213 days with 1,000 waiting tasks, 13
 *          days with 16,384, 9 years with 64 running ones. With NAP_MEASURE_QUEUE each schedule
 *          adds a length: at 10^7 schedules a second, and a million tasks in the queue, the sum
 *          wraps after 21 days. The unsigned difference of two readings is right all the same, if
 *          the sum grew by less than 2^64 in between. So compute a mean from the differences of
 *          @sum and of @count
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
 * @which: the number of a class of the pool, NAP_CLASSES for tasks without a class, or
 *         NAP_ALL_CLASSES; of no meaning with NAP_MEASURE_WAKE
 * @out:   written, except on an error
 *
 * The workers' buckets are added up one after another while the pool goes on, so the buckets in
 * @out are of different moments; but no bucket ever falls from one call to the next. When
 * nap_pool_quiesce() has returned, and nothing has been scheduled since, every task is counted:
 * NAP_MEASURE_WAIT and NAP_MEASURE_RUN have the same count. This count and the missed tasks
 * together are the number of tasks that have begun, without a last task that nap_serial_end() has
 * run on its caller in a drain: only NAP_MEASURE_QUEUE counts that one. (The counters of
 * nap/stats.h may be higher: see nap_worker_stats.run.)
 *
 * Any thread, tasks included; not a signal handler. Returns 0; -ENODATA when the pool is not
 * measured, has not been used yet, or got no memory for the histograms; -ESHUTDOWN after the join,
 * and in the child of a fork; -EINVAL when a pointer is NULL, @what is no enum nap_measured, or
 * @pool has no class @which.
 */
int nap_pool_histogram(struct nap_pool *pool, enum nap_measured what, uint32_t which,
		       struct nap_histogram *out);

/**
 * nap_histogram_bound() - the largest value that @bucket counts; UINT64_MAX for the last bucket and
 * beyond
 */
uint64_t nap_histogram_bound(uint32_t bucket);

/**
 * nap_histogram_quantile() - a bound that @ppm in a million values do not exceed
 * @ppm: 500000: the median, 1000000 or more: the largest value; 0 counts as 1
 *
 * Returns the bound of a bucket, which is never less than the exact quantile, and at most one part
 * in 16 more. UINT64_MAX if the value is over 2^40. Any thread. Returns 0 when @histogram is empty.
 */
uint64_t nap_histogram_quantile(const struct nap_histogram *histogram, uint32_t ppm);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_HISTOGRAM_H */
