/* SPDX-License-Identifier: MIT */
/*
 * Putting off a wake, under Sync. A task that schedules itself again, or two tasks that schedule
 * each other, keep one worker busy and leave nothing for a second one: the first worker always
 * takes next the task that it has just put into its empty ring. But every such schedule notifies
 * the protocol, and so would wake a second worker in vain.
 *
 * So a worker that was woken in vain twice in a row dozes before it goes idle: it puts its index
 * into pool->dozer, and sleeps for NAP_DOZE_US. Then it takes a notification, if one has come, and
 * searches; otherwise it goes idle. While the worker dozes it remains the worker that is being
 * woken, so no other worker is woken. A thread that publishes more than a lone task ends the doze
 * at once:
 *
 *	dozer				publisher of more than a lone task
 *	-----				----------------------------------
 *	index into pool->dozer		push, or leave tasks
 *	full fence [S5]			full fence [S1]
 *	check: only lone tasks		is there an index? take it out, EVENT_WORK
 *	sleep
 *
 * A lone task is one that a worker has put into its own empty ring. If a long callback keeps that
 * worker from taking the task, the dozer takes it after the doze. No correctness depends on ending
 * the doze, because it ends by itself.
 *
 * The thread that takes the index out has to set EVENT_WORK, and the dozer waits for EVENT_WORK
 * before it goes on. An EVENT_WORK that came later, when the worker is in the idle set, would be
 * mistaken for a wake.
 */
#ifndef NAP_IDLE_DOZE_H
#define NAP_IDLE_DOZE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "idle/set.h"
#include "idle/sync.h"
#include "worker/registry.h"

/*
 * The number of notifications in a row that have to be in vain before a worker dozes; at most 2^8 -
 * 1.
 */
#ifndef NAP_ALARMS
#define NAP_ALARMS 2
#endif

/* Ends a doze, because there is more than a lone task. Called by any thread, after a full fence. */
static inline void nap__doze_end(struct nap_pool *pool)
{
	/* sees the dozer's record: pairs with nap__doze() [S5] */
	uint32_t name = nap_load_acquire(&pool->dozer);

	if (name && nap_cmpxchg_relaxed(&pool->dozer, name, 0) == name)
		wake_for_work(registry_at(pool, name - 1));
}

/* Whether the worker may doze: not inside a task, where other events could wake it. */
static inline bool may_doze(struct nap_worker *worker)
{
	return sync_of(worker)->waking && sync_of(worker)->alarms == NAP_ALARMS && worker->rest % 2;
}

/*
 * Called by the worker that is being woken, at rest: sleeps for NAP_DOZE_US, or until the doze is
 * ended.
 */
void nap__doze(struct nap_worker *worker);

#endif /* NAP_IDLE_DOZE_H */
