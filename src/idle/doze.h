/* SPDX-License-Identifier: MIT */
/*
 * Putting off a wake, under Sync. A task that schedules itself again, or two that schedule each
 * other, keep one worker busy and have nothing for a second one: each time the first worker takes
 * the task next that it has just put into its empty ring. But every such schedule notifies the
 * protocol, and a second worker that goes to sleep is woken by the next one.
 *
 * So a worker that has been called for nothing twice in a row dozes before it goes idle: it puts
 * its name into pool->dozer and sleeps for NAP_DOZE_US, then it answers and searches as ever. It
 * stays the one that is being woken, so nobody else is woken while it dozes. A thread that
 * publishes more than a lone task ends the doze at once:
 *
 *	dozer				has more than a lone task
 *	-----				-------------------------
 *	name into pool->dozer		push, or leave some
 *	full fence [S5]			full fence [S1]
 *	look: nothing but lone tasks	is there a name? take it out, EVENT_WORK
 *	sleep
 *
 * A lone task is one that a worker has put into its own empty ring. If that worker does not take it
 * next, because its callback goes on, the dozer does when it comes back. Nobody depends on being
 * heard by the dozer: it comes back by itself.
 *
 * The thread that takes the name out owes EVENT_WORK, and the dozer waits for that event before it
 * goes on; in the idle set the event would be taken for a wake.
 */
#ifndef NAP_IDLE_DOZE_H
#define NAP_IDLE_DOZE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "idle/sync.h"
#include "sync/event.h"
#include "worker/registry.h"

/* How many notifications in a row were for nothing before a worker dozes; 2^8 - 1 at most. */
#ifndef NAP_ALARMS
#define NAP_ALARMS 2
#endif

/* Any thread, after a full fence: there is more than a lone task. */
static inline void nap__doze_end(struct nap_pool *pool)
{
	uint32_t name = nap_load_acquire(&pool->dozer);	/* pairs with nap__doze() [S5] */

	if (name && nap_cmpxchg_relaxed(&pool->dozer, name, 0) == name)
		event_set(&registry_at(pool, name - 1)->event, EVENT_WORK);
}

/*
 * The worker. In the middle of a task it does not doze, because other events could wake it
 * there.
 */
static inline bool may_doze(struct nap_worker *worker)
{
	return sync_of(worker)->waking && sync_of(worker)->alarms == NAP_ALARMS && worker->rest % 2;
}

/* Worker that is being woken, and rests: sleep until something ends the doze, or NAP_DOZE_US. */
void nap__doze(struct nap_worker *worker);

#endif /* NAP_IDLE_DOZE_H */
