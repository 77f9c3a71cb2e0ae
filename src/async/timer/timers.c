/* SPDX-License-Identifier: MIT */
/*
 * The timers of a pool: src/async/timer/timers.h. Typically a newly armed timer is not the
 * earliest, and no thread is notified.
 */
#include "async/timer/timers.h"

#include "arch/atomic.h"
#include "async/fiber/wait.h"
#include "async/timer/heap.h"
#include "async/timer/timer.h"
#include "idle/idle.h"
#include "os/os.h"
#include "sched/guest.h"
#include "sched/schedule.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/lock.h"
#include "worker/measure.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "worker/worker.h"

static struct nap__timer_heap *heap_of(struct nap__timers *timers, struct nap__timer_node *node)
{
	return node->wait ? &timers->sleeps : &timers->tasks;
}

/* Returns the timer that is to fire first, or NULL. */
static struct nap__timer_node *timers_first(struct nap__timers *timers)
{
	struct nap__timer_node *sleep = timers->sleeps.root;
	struct nap__timer_node *task = timers->closed ? NULL : timers->tasks.root;

	return task && (!sleep || heap_before(task, sleep)) ? task : sleep;
}

static void note_first(struct nap__timers *timers)
{
	struct nap__timer_node *first = timers_first(timers);

	nap_store_relaxed(&timers->first, timers->ready.head ? 1 : first ? first->when : 0);
}

static bool is_periodic(const struct nap__timer_node *node)
{
	return !node->wait && nap_container_of(node, struct nap_timer, node)->period;
}

/*
 * A time before timers->seen is raised to it. So @node comes after each node that was due when a
 * worker fired: such a node has a time of at most timers->seen, and a smaller order. A node that is
 * due waits only for nodes that were armed before this fire, which are finitely many, and for
 * periodic timers. A periodic timer keeps its time, from which its next ones and its lateness are
 * counted. But when its task begins, its next time is later than that fire (advance() in timer.c):
 * so each periodic timer comes first once more at most.
 */
bool nap__timers_put(struct nap__timers *timers, struct nap__timer_node *node)
{
	/* Not noticed in tests when <= for <: an equal time is stored again. */
	if (node->when < timers->seen && !is_periodic(node))
		node->when = timers->seen;
	node->order = timers->order++;
	heap_put(heap_of(timers, node), node);
	note_first(timers);
	return timers_first(timers) == node;
}

void nap__timers_take(struct nap__timers *timers, struct nap__timer_node *node)
{
	heap_take(heap_of(timers, node), node);
	note_first(timers);
}

void nap__timers_attend(struct nap_pool *pool, struct nap__timers *timers)
{
	uint32_t poller;

	/* arm before checking; pairs with nap__timers_begin_polling() [Y2] */
	nap_fence_seq_cst();
	poller = nap_load_relaxed(&timers->poller);
	if (poller_is_passing(poller))
		return;		/* the last worker that polls in passing checks for timers */
	if (poller != POLLER_NONE)
		event_set(&registry_at(pool, poller - 1)->event, EVENT_TIMER);
	else
		nap__idle_notify(pool);
}

/* ---- the poller */

uint64_t nap__timers_begin_polling(struct nap_worker *worker, struct nap__timers *timers,
				   uint64_t deadline)
{
	uint64_t first;

	if (!worker->polls && (guest_is_unregistered(worker) ||
			      !timers_begin_polling(timers, worker->index + 1)))
		return deadline;
	worker->polls = true;
	nap_fence_seq_cst();	/* begin before checking; pairs with nap__timers_attend() [Y2] */
	first = nap_load_relaxed(&timers->first);
	return first && first < deadline ? first : deadline;
}

void nap__timers_end_polling(struct nap_worker *worker, struct nap__timers *timers)
{
	worker->polls = false;
	timers_end_polling(timers);
	nap_fence_seq_cst();	/* end before checking; pairs with nap__timers_attend() [Y2] */
	/*
	 * Threads that have armed a timer, and found this worker to be the poller, rely on its
	 * search. So do workers that parked because there was a poller.
	 */
	worker->relied_on |= timers_wanted(timers);
}

/* Called under the lock: whether a timer is to fire @now. */
static bool is_due(struct nap__timers *timers, uint64_t now)
{
	struct nap__timer_node *first = timers_first(timers);

	return timers->ready.head || (first && first->when <= now);
}

/*
 * In a watched pool: returns the time at which @node became due: its own time, or the time at which
 * it was armed, if that is later. A periodic timer's time may also pass while its task runs: the
 * timer is late from then on, though it is armed only after the run.
 */
static uint64_t due_since(struct nap__timer_node *node)
{
	if (is_periodic(node))
		return node->when;
	return node->when < node->order ? node->order : node->when;
}

/* In a watched pool: writes an event TIMER. Returns the time since when @node is due. */
static uint64_t trace_fired(struct nap_pool *pool, struct nap__timer_node *node, uint64_t now)
{
	uint64_t since = due_since(node);

	/* Another thread may have armed the node after the caller had read the clock. */
	trace_object(pool, NAP_TRACE_TIMER, node->wait ? (void *)node->wait :
		     nap_container_of(node, struct nap_timer, node), now > since ? now - since : 0);
	return since;
}

/*
 * Called under the lock, when something is due: whether a task of a ready file is next. It is,
 * unless such a task was the last one, and @first, the first timer or NULL, is due.
 */
static bool files_are_next(struct nap__timers *timers, const struct nap__timer_node *first,
			   uint64_t now)
{
	return timers->ready.head &&
	       !(timers->files_had_turn && first && first->when <= now);
}

/*
 * Called under the lock, when something is due: removes the first due task or wait. Returns a task;
 * or sets *@wait to the claimed wait of a fiber; or neither, if this wait has ended for another
 * reason. *@since: in a watched pool the time since when it is due; else, and for a task of
 * nap__timers_ready(), 0.
 */
static struct nap_task *timers_take_first(struct nap_pool *pool, struct nap__timers *timers,
					  uint64_t now, struct nap__fiber_wait **wait,
					  uint64_t *since)
{
	struct nap__timer_node *node = timers_first(timers);

	*since = 0;
	timers->files_had_turn = files_are_next(timers, node, now);
	if (timers->files_had_turn)
		return nap_batch_pop(&timers->ready);
	heap_take(heap_of(timers, node), node);
	if (is_watched(pool))
		*since = trace_fired(pool, node, now);
	if (!node->wait)
		return nap__timer_queued(node);
	node->armed = false;
	if (nap__fiber_wait_claim(node->wait, node->number, WAIT_TIMED_OUT))
		*wait = node->wait;
	return NULL;
}

struct nap_task *nap__timers_fire(struct nap_worker *worker, struct nap__timers *timers,
				  uint64_t now, bool *more)
{
	struct nap_task *task = NULL;
	/* Not noticed in tests when 1 for 0: without a task nothing is told, and a task sets it. */
	uint64_t since = 0;
	bool rest;

	do {
		uint64_t first = nap_load_relaxed(&timers->first);
		struct nap__fiber_wait *wait = NULL;

		/*
		 * Not noticed in tests when dropped or && for ||: nothing is due then, as a look
		 * under the lock shows.
		 */
		if (!first || now < first)
			return NULL;
		lock_take(&timers->lock);
		timers->closed |= nap_load_relaxed(&worker->pool->phase) != PHASE_RUNNING;
		/* Not noticed in tests when <= for <: an equal time is stored again. */
		if (timers->seen < now)
			timers->seen = now;
		if (is_due(timers, now))
			task = timers_take_first(worker->pool, timers, now, &wait, &since);
		rest = is_due(timers, now);
		note_first(timers);
		lock_give(&timers->lock);
		if (wait)
			task = nap__fiber_wait_take(wait);
	} while (!task && rest);
	if (since)
		watch_due(worker->pool, since, task, task);
	*more |= rest;
	return task;
}

void nap__timers_ready(struct nap_pool *pool, struct nap__timers *timers, uint64_t now,
		       struct nap_batch *tasks)
{
	watch_due(pool, now, tasks->head, tasks->tail);
	lock_take(&timers->lock);
	nap_batch_concat(&timers->ready, tasks);
	note_first(timers);
	lock_give(&timers->lock);
	nap__timers_attend(pool, timers);
}

void nap__timers_end_ready(struct nap__timers *timers, struct nap_batch *left)
{
	nap_batch_concat(left, &timers->ready);
}

void nap__timers_end(struct nap__timers *timers, struct nap_batch *left)
{
	struct nap__timer_node *node;

	while ((node = heap_pop(&timers->tasks)))
		nap_batch_push(left, nap__timer_give_back(nap__timer_queued(node)));
	note_first(timers);
}
