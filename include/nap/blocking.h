/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_blocking_begin - tasks that block
 *
 * A task may block: on a file, a lock, a child process, in a library. Then its worker runs nothing
 * else, but still takes one of the pool's max_workers places. While a worker is in a blocking
 * section another worker may replace it.
 *
 *	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 4, .most_blocked = 16);
 *
 *	nap_blocking_begin();
 *	n = read(fd, buffer, size);
 *	nap_blocking_end();
 *
 * At most nap_config.most_blocked workers are replaced at once; workers that block beyond that
 * number are not replaced. So there are never more workers than nap_config.most_workers and
 * most_blocked together; there may be two more threads, which have retired and are about to end
 * (nap/limit.h). With most_blocked 0, the default, sections cost next to nothing and do nothing. In
 * place of a blocked worker another one is started, or called back from standby, only when there is
 * work for one more worker. When the section is over there may be one worker too many. Then the
 * next worker that has no task on its stack goes to sleep. The next section calls this worker back
 * before it starts another (nap/limit.h).
 */
#ifndef NAP_BLOCKING_H
#define NAP_BLOCKING_H

#include <stdbool.h>
#include <stdint.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_blocking_begin() - the calling task is about to block
 *
 * Any thread. If the caller is a worker, another worker may replace it until nap_blocking_end().
 * The call does nothing in worker_stop, and nothing on a thread from outside, even while that
 * thread runs tasks. Sections may be nested, and only the outermost section of a worker counts. So
 * a task that runs inside a wait in a section may open its own. A section belongs to its task, and
 * ends before the task returns. If it does not end, a debug build says so; in other builds the
 * worker stays replaced. A section may call everything that a task may call. A wait of nap's for a
 * group or a fiber of the worker's pool needs no section, because the worker runs other tasks of
 * the pool, and a fiber that waits leaves its worker. These waits of a task only sleep, so a
 * section is of use: for a group without a pool (nap/group.h), for an object of nap/sync.h or
 * nap/channel.h, for a file (nap/io.h), in nap_submit_wait_only() and in nap_broadcast(); and each
 * wait at the nesting limit.
 *
 * With most_blocked 0 the call costs some instructions. Otherwise the begin and the end each cost
 * an atomic operation and a fence, and the begin also a wake-up if there is work. Keeps errno.
 */
void nap_blocking_begin(void);

/** nap_blocking_end() - the task is no longer blocked; keeps errno */
void nap_blocking_end(void);

/** nap_blocking() - call @fn with @arg inside a blocking section; @fn is left by return only */
void nap_blocking(void (*fn)(void *arg), void *arg);

/**
 * DOC: nap_pool_check_stuck - find workers that are stuck
 *
 * If a timer makes this call every 100 ms, the log has a line for each task of more than 300 ms:
 *
 *	static void stuck(uint32_t worker, uint64_t ns, void *arg)
 *	{
 *		syslog(LOG_WARNING, "worker %u: in one task for %llu ms",
 *		       worker, (unsigned long long)ns / 1000000);
 *	}
 *
 *	static const struct nap_stuck look = { .stuck_ns = 200000000, .stuck = stuck };
 *
 *	nap_pool_check_stuck(&pool, &look);
 */

/**
 * struct nap_stuck - what nap_pool_check_stuck() checks
 * @stuck_ns:   a worker that has been in one task for this many nanoseconds is stuck
 * @stuck:      called once for each worker that is found to be stuck; again only if the worker has
 *              gone on, or waited, in between; or NULL. The arguments are the worker's
 *              nap_worker_index(), and for how many ns at least the worker is stuck. Called on the
 *              thread that checks; must not call into the pool, and is left by return only
 * @arg:        passed to @stuck
 * @compensate: a stuck worker is replaced by another as in a blocking section, until a later check
 *              finds that the stuck worker has gone on. So a program that compensates keeps
 *              checking. Replacements count under nap_config.most_blocked; a worker in a blocking
 *              section is replaced already
 */
struct nap_stuck {
	uint64_t stuck_ns nap__zero;
	void (*stuck)(uint32_t worker, uint64_t ns, void *arg) nap__zero;
	void *arg nap__zero;
	bool compensate nap__zero;
	uint32_t reserved nap__zero;
	uint64_t reserved_too nap__zero;
};

/**
 * nap_pool_check_stuck() - check for workers that are stuck
 *
 * The program makes this call by a timer of its own, say twice in @stuck_ns: a pool has no thread
 * for this. The first check that finds a worker in a task notes the time; how long the worker has
 * been there is counted from then, by later checks. Between checks nothing is counted.
 *
 * "In one task": the worker has begun no other task and no stolen job. A worker that waits for a
 * group, a job or a slot, and sleeps so that it can be called to work, is not stuck. A worker that
 * waits at the nesting limit is stuck, because it cannot be called to work.
 *
 * Any thread; one thread at a time for each pool.
 *
 * Returns how many workers are stuck; -EBUSY when another thread is in this call; -EINVAL when an
 * argument is NULL, stuck_ns is 0, or a reserved field is not 0; -ESHUTDOWN after a join and in the
 * child of a fork.
 */
int nap_pool_check_stuck(struct nap_pool *pool, const struct nap_stuck *look);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_BLOCKING_H */
