/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_get_stats - what a pool and its workers have done
 *
 * These calls read the counters of a pool and of its workers.
 *
 * Reading stops no thread. So two counters of a snapshot may be of different moments; but each
 * counter has one writer, so none ever falls. Counters wrap: those of 64 bits after centuries,
 * spawn_failures and refused, which have 32 bits, after 50 days with a thousand starts of workers a
 * second. The other fields of 32 bits are no counters: they say what is now, or the most so far.
 */
#ifndef NAP_STATS_H
#define NAP_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_pool;

/**
 * struct nap_worker_stats - counters of one worker
 * @run:        tasks that the worker has begun, those of serial queues included; each stretch of a
 *              fiber from one wait to the next counts as a task. Also counted: that an ordered
 *              queue's own task found no task that may begin (nap/order.h), once at most for each
 *              slow task that has returned or was passed over. Not counted, here or in @helped: a
 *              last task that nap_serial_end() runs on its caller in a drain
 * @stolen:     tasks taken out of other workers' queues (each worker has a ring, and an overflow
 *                  queue for what does not fit into the ring)
 * @overflowed: tasks moved from the full ring to the overflow queue
 * @parked:     times the worker went to sleep
 * @woken_idle: times the worker was woken for work and found none, because another worker had come
 *              first (NAP_IDLE_SYNC)
 * @jobs_stolen: forked jobs of other workers that the worker has begun
 * @dozed:      times it dozed (slept at most NAP_DOZE_US) because it had been woken for nothing
 * @spun:       times it was notified while it spun, that is, went on searching before a sleep
 * @yielded:    times it gave way to other threads while it spun; workers only
 * @searched:   searches in which it found nothing
 * @canceled:   works that it ended because they had been canceled (nap_cancel()); not those that
 *              nap_work_finish() and the like end, on threads that are no workers
 * @timed_out:  works that it ended because their deadline had passed
 * @most_queued: the most tasks in its own ring and overflow; counted whenever the ring overflows
 * @asked:      times it asked all other workers for their forked jobs, which takes a membarrier(2)
 * @fibers_spawned: fibers that tasks and fibers on this worker have spawned; not those that other
 *                  threads have spawned
 * @fibers_ended: fibers that have ended on this worker
 *
 * The counters show system calls: two for each @parked, the waker's call included; five for each
 * @dozed; one for each @yielded and @asked. An event is counted for the worker that parked, dozed
 * and so on, even if another thread makes the system call.
 */
struct nap_worker_stats {
	uint64_t run;
	uint64_t stolen;
	uint64_t overflowed;
	uint64_t parked;
	uint64_t woken_idle;
	uint64_t jobs_stolen;
	uint64_t dozed;
	uint64_t spun;
	uint64_t yielded;
	uint64_t searched;
	uint64_t asked;
	uint64_t canceled;
	uint64_t timed_out;
	uint64_t most_queued;
	uint64_t fibers_spawned;
	uint64_t fibers_ended;
};

/**
 * struct nap_pool_stats - counters of a pool
 * @workers:          the sums of all workers' counters (of most_queued the maximum). For threads
 *                    from outside @stolen, @parked and so on are included, but not @run; of those
 *                    whose nap_worker_index() is UINT32_MAX nothing is included
 * @helped:           tasks run by threads from outside (help, waits, calls, join); each thread adds
 *                    its tasks when it leaves
 * @max_workers:      the limit in force; before the first use nap_config.max_workers, 0 for a pool
 *                    that sizes itself
 * @spawned:          workers that exist now; not those that have retired, though their threads may
 *                    wait to be called back
 * @idle:             workers that are parked or about to be, threads from outside included
 * @spawn_failures:   times a worker could not be started
 * @spawn_last_errno: the positive errno of the last failure, 0 if there was none
 * @refused:          workers for which the kernel has refused an affinity, a policy, a priority, a
 *                    nice value or a memory policy: see struct nap_config
 * @running:          workers inside a task, or searching for one
 * @helping:          threads from outside inside a nap_call() or nap_pool_help()
 * @queued_calls:     calls from outside that wait for a guest record
 * @most_running:     the most that @running and @helping together have been, as seen by this call
 *                    and by nap_pool_remaining()
 * @queued_injected:  tasks scheduled from outside that no worker has taken
 * @queued_rings:     tasks in workers' own rings
 * @queued_overflow:  tasks that did not fit into a ring
 * @most_queued:      the most tasks and calls that were queued, as seen by this call and by
 *                    nap_pool_remaining(); a worker also counts its own tasks when its ring
 *                    overflows
 * @tasks_refused:    tasks that nap_schedule(), nap_schedule_batch(), and the same two calls of
 *                    nap/class.h have refused with -ESHUTDOWN
 * @queued_classes:   tasks scheduled in a class that no thread has taken
 * @queued_serial:    tasks in serial queues that have not begun. While a serial queue waits for a
 *                    worker, its first task is not counted here: an entry of another queue stands
 *                    for this task, and is counted there
 *
 * @running, @helping and the numbers of queued tasks are read by this call, as nap_pool_remaining()
 * reads them.
 */
struct nap_pool_stats {
	struct nap_worker_stats workers;
	uint64_t helped;
	uint32_t max_workers;
	uint32_t spawned;
	uint32_t idle;
	uint32_t spawn_failures;
	int32_t spawn_last_errno;
	uint32_t refused;
	uint32_t running;
	uint32_t helping;
	uint32_t queued_calls;
	uint32_t most_running;
	uint64_t queued_injected;
	uint64_t queued_rings;
	uint64_t queued_overflow;
	uint64_t most_queued;
	uint64_t tasks_refused;
	uint64_t queued_classes;
	uint64_t queued_serial;
	uint32_t reserved[6];
};

/**
 * nap_pool_get_stats() - read the counters of @pool
 * @pool: any pool; of a joined pool the totals at its end are read
 * @out:  written
 *
 * Any thread. Returns 0, or -EINVAL when an argument is NULL.
 */
int nap_pool_get_stats(struct nap_pool *pool, struct nap_pool_stats *out);

/**
 * nap_worker_get_stats() - read the counters of one worker
 * @pool:  a pool that is not joined
 * @index: 0 for the first worker that was started, and so on
 * @out:   written
 *
 * Any thread. Returns 0; -ENOENT when there never was such a worker; -ESHUTDOWN after a join, and
 * in the child of a fork; -EINVAL when an argument is NULL.
 */
int nap_worker_get_stats(struct nap_pool *pool, unsigned index, struct nap_worker_stats *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_STATS_H */
