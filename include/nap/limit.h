/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_set_limit - change how many workers a pool may have, and how long idle ones stay
 *
 * These calls change a pool while it runs, for a service that is given more or fewer CPUs, or reads
 * its configuration again.
 *
 *	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 4, .most_workers = 64);
 *
 *	nap_pool_set_limit(&pool, 16);
 */
#ifndef NAP_LIMIT_H
#define NAP_LIMIT_H

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_pool_set_limit() - have at most @limit workers from now on
 * @limit: 1 up to the most that the pool was configured for (nap_config.most_workers). 0: what
 *         nap_config.max_workers asks for, and if that is 0, too, as many as the CPUs that the
 *         process may use now
 *
 * Any thread, tasks included; does not wait. If there is work for more workers, a worker is started
 * at once, and starts the next one, as always. If there are too many workers, those without a task
 * on their stacks retire: a sleeping worker at once, a busy one within NAP_LIMIT_DEQUEUES of its
 * dequeues. So every task is run to its end, and a worker in a long task stays that long. Other
 * workers run what a retiring worker has queued. A retired worker waits for a second (or for
 * nap_config.idle_timeout_ns, if set) to be called back. Then it calls worker_stop, and its thread
 * ends.
 *
 * Workers leave one at a time: so a slow worker_stop holds up only workers that leave later.
 * Threads in worker_stop and on standby come on top of the limit; they run no task.
 *
 * The workers that replace blocked workers (nap/blocking.h) come on top, too. Threads from outside
 * that are in the pool for a while do not count.
 *
 * Returns the limit that is now in force, without the workers that replace blocked ones; -EINVAL
 * when @pool is NULL or @limit is over the most; -ESHUTDOWN after a join and in the child of a
 * fork.
 */
int nap_pool_set_limit(struct nap_pool *pool, uint32_t limit);

/**
 * NAP_LIMIT_DEQUEUES - dequeues within which a busy worker notices that there are too many workers
 */
#define NAP_LIMIT_DEQUEUES 21u

/**
 * nap_pool_set_idle() - from now on idle workers retire after another time, or stay
 * @min_workers: as nap_config.min_workers
 * @timeout_ns:  as nap_config.idle_timeout_ns; 0: workers stay
 *
 * Any thread, tasks included; does not wait. Each worker that sleeps begins its idle time anew,
 * with the new length. So with a @timeout_ns of 1 the workers that are idle now retire, one at a
 * time, down to @min_workers. A program that wants to do this only once sets the former time again
 * when nap_pool_get_stats() shows that these workers are gone. A worker that retires during the
 * call may use one old value and one new value.
 *
 * Returns 0; -EINVAL when @pool is NULL; -ESHUTDOWN after a join and in the child of a fork.
 */
int nap_pool_set_idle(struct nap_pool *pool, uint32_t min_workers, uint64_t timeout_ns);

/**
 * nap_pool_reread() - read again which CPUs the process may use
 *
 * This is for a service that learns, by a signal or by watching files, that its cpuset, its
 * affinity or its cgroup quota has changed. A pool does not check by itself. If
 * nap_config.max_workers is 0, the limit becomes that of nap_pool_set_limit(0), even if another
 * limit was set before; otherwise the limit stays. Each worker takes its CPUs anew: those of
 * nap_config.affinity, or else the main thread's, and with NAP_ONE_CPU_EACH one of them.
 *
 * Any thread, tasks included. Reads files of /proc and of the cgroups, unless max_workers is given.
 * The call is a nap_broadcast(), with its errors: so it waits until each worker is between two
 * tasks, or inside a task in a wait in which a worker answers a broadcast.
 *
 * Returns the limit that is now in force; -EINVAL when @pool is NULL; -ESHUTDOWN, -ECANCELED and
 * -EDEADLK as nap_broadcast(): then the limit has changed already, but not each worker has taken
 * its CPUs anew.
 */
int nap_pool_reread(struct nap_pool *pool);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_LIMIT_H */
