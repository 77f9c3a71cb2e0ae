/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_get_stats - what a pool and its workers have done
 *
 * Counters of what a pool and its workers have done.
 *
 * Every counter has one writer and is read without stopping anybody: a snapshot is not consistent
 * across counters, but no counter ever runs backwards. Counters wrap: those of 64 bits after
 * centuries, spawn_failures at 2^32.
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
 * @run:        tasks begun, those of serial queues included; of a fiber each stretch from one wait
 *              to the next
 * @stolen:     tasks taken out of other workers' rings and overflow queues
 * @overflowed: tasks moved from the full ring to the overflow queue
 * @parked:     times the worker went to sleep
 * @woken_idle: times the worker was woken for work and found the notification gone
 * @jobs_stolen: forked jobs of other workers that the worker has begun
 * @dozed:      times it slept at most NAP_DOZE_US because it had been woken for nothing
 * @spun:       times it was about to sleep, searched for a while longer, and was notified in that
 *              time
 * @yielded:    times it gave way to other threads in these searches; workers only
 * @searched:   searches in which it found nothing
 * @canceled:   works that it ended because they had been canceled (nap_cancel()); not those that
 *              were left and are ended by nap_work_finish() and the like, which no worker does
 * @timed_out:  works that it ended because their deadline had passed
 * @most_queued: tasks in its own ring and overflow, the most; counted whenever the ring overflows
 * @asked:      times it asked all others for what they had forked, which takes a membarrier(2)
 * @fibers_spawned: fibers that tasks and fibers on it have spawned; not those from outside
 * @fibers_ended: fibers that have ended on it
 *
 * In system calls: two for each @parked, the waker's included; five for each @dozed, one for each
 * @yielded and @asked. Each is counted by the worker that it is about.
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
 * @workers:          the sum over all workers (of most_queued the maximum); of threads from outside
 *                    what they have stolen, and how often they slept, but not what they ran
 * @helped:           tasks run by threads from outside (help, waits, calls, join), as of when each
 *                    was last inside
 * @max_workers:      the limit in force; 0 before the first use of a pool that sizes itself
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
 * @most_running:     @running and @helping, the most; counted by this call and by
 *                    nap_pool_remaining()
 * @queued_injected:  tasks scheduled from outside that no worker has taken
 * @queued_rings:     tasks in workers' own rings
 * @queued_overflow:  tasks that did not fit into a ring
 * @most_queued:      tasks and calls queued, the most; counted by this call and by
 *                    nap_pool_remaining(), and for a worker's own tasks when its ring overflows
 * @tasks_refused:    tasks that nap_schedule() and nap_schedule_batch(), and those two of a class,
 *                    have refused, -ESHUTDOWN
 * @queued_classes:   tasks scheduled in a class that nobody has taken
 * @queued_serial:    tasks in serial queues that have not begun, except the first of each queue
 *                    that waits for a worker: that task is counted where the queue is queued
 *
 * What is queued, and what runs, is as of this call, as nap_pool_remaining() has it.
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
	uint32_t reserved[2];
};

/**
 * nap_pool_get_stats() - read the counters of @pool
 * @pool: any pool, also a joined one (then: the totals at the end of its life)
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
 * Any thread. Returns 0; -ENOENT when there never was such a worker; -ESHUTDOWN after join, and in
 * the child of a fork; -EINVAL when an argument is NULL.
 */
int nap_worker_get_stats(struct nap_pool *pool, unsigned index, struct nap_worker_stats *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_STATS_H */
