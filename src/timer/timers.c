/* SPDX-License-Identifier: MIT */
/* The timers of a pool: src/timer/timers.h. Typically one is armed that is not the earliest. */
#include "timer/timers.h"

#include "atomic.h"
#include "deadline.h"
#include "event.h"
#include "fiber/wait.h"
#include "guest.h"
#include "idle/idle.h"
#include "lock.h"
#include "os.h"
#include "phase.h"
#include "registry.h"
#include "schedule.h"
#include "timer/heap.h"
#include "timer/timer.h"
#include "worker.h"

/* So many are ended under the lock at once. */
#define FIRE_AT_ONCE 32u

static struct nap__timer_heap *heap_of(struct nap__timers *timers, struct nap__timer_node *node)
{
	return node->wait ? &timers->sleeps : &timers->tasks;
}

/* The one that is to be fired first, or NULL. */
static struct nap__timer_node *first_of(struct nap__timers *timers)
{
	struct nap__timer_node *sleep = timers->sleeps.root;
	struct nap__timer_node *task = timers->closed ? NULL : timers->tasks.root;

	return task && (!sleep || heap_before(task, sleep)) ? task : sleep;
}

static void note_first(struct nap__timers *timers)
{
	struct nap__timer_node *first = first_of(timers);

	nap_store_relaxed(&timers->first, first ? first->when : 0);
}

bool nap__timers_put(struct nap__timers *timers, struct nap__timer_node *node)
{
	node->order = timers->order++;
	heap_put(heap_of(timers, node), node);
	note_first(timers);
	return first_of(timers) == node;
}

void nap__timers_take(struct nap__timers *timers, struct nap__timer_node *node)
{
	heap_take(heap_of(timers, node), node);
	note_first(timers);
}

void nap__timers_attend(struct nap_pool *pool, struct nap__timers *timers)
{
	uint32_t seat;

	nap_fence_seq_cst();	/* armed before looking; pairs with nap__timers_sit() [Y2] */
	seat = nap_load_relaxed(&timers->seat);
	if (seat == SEAT_IN_PASSING)
		return;
	if (seat != SEAT_FREE)
		event_set(&registry_at(pool, seat - 1)->event, EVENT_TIMER);
	else
		nap__idle_notify(pool);
}

/* ---- who looks at the clock */

uint64_t nap__timers_sit(struct nap_worker *worker, struct nap__timers *timers, uint64_t deadline)
{
	uint64_t first;

	if (!worker->sits && (guest_stands_aside(worker) ||
			      !timers_take_seat(timers, worker->index + 1)))
		return deadline;
	worker->sits = true;
	nap_fence_seq_cst();	/* sit before looking; pairs with nap__timers_attend() [Y2] */
	first = nap_load_relaxed(&timers->first);
	return first && first < deadline ? first : deadline;
}

void nap__timers_rise(struct nap_worker *worker, struct nap__timers *timers)
{
	worker->sits = false;
	timers_leave_seat(timers);
	nap_fence_seq_cst();	/* rise before looking; pairs with nap__timers_attend() [Y2] */
	/* Who armed meanwhile, and those who sleep because somebody sat, rely on its search. */
	worker->relied_on |= timers_wanted(timers);
}

/* What is fired at once, in order: a list by right. */
struct due {
	struct nap__timer_node *first, **end;
};

/* Under the lock: those that are due. A fiber's wait is claimed, a task is queued from here on. */
static void collect(struct nap__timers *timers, uint64_t now, struct due *due)
{
	for (uint32_t n = 0; n < FIRE_AT_ONCE; n++) {
		struct nap__timer_node *node = first_of(timers);

		if (!node || node->when > now)
			break;
		heap_take(heap_of(timers, node), node);
		if (!node->wait) {
			nap__timer_queued(node);
		} else {
			node->armed = false;
			if (!nap__wait_claim(node->wait, node->number, WAIT_TIMED_OUT))
				continue;
		}
		*due->end = node;
		due->end = &node->right;
	}
	*due->end = NULL;
	note_first(timers);
}

/* The last to touch it: a fiber goes on, whose stack it is on; or a task is run. */
static void fire(struct nap_worker *worker, struct nap__timer_node *node)
{
	struct nap_pool *pool = worker->pool;
	struct nap_task *task;

	if (node->wait) {
		nap__wait_ready(node->wait);
		return;
	}
	task = &nap_container_of(node, struct nap_timer, node)->task;
	if (nap__schedule_as(pool, worker, true, task, task, 1))
		nap__schedule_left(pool, task);
}

bool nap__timers_fire(struct nap_worker *worker, struct nap__timers *timers)
{
	uint64_t first = nap_load_relaxed(&timers->first), now;
	struct nap__timer_node *node, *next;
	struct due due = { NULL, &due.first };

	if (!first || (now = nap__os_now()) < first)
		return false;
	lock_take(&timers->lock);
	timers->closed |= nap_load_relaxed(&worker->pool->phase) != PHASE_RUNNING;
	collect(timers, now, &due);
	lock_give(&timers->lock);
	for (node = due.first; node; node = next) {
		next = node->right;
		fire(worker, node);
	}
	return due.first;
}

void nap__timers_end(struct nap__timers *timers, struct nap_batch *left)
{
	struct nap__timer_node *node;

	while ((node = heap_pop(&timers->tasks)))
		nap_batch_push(left, nap__timer_give_back(nap__timer_queued(node)));
	note_first(timers);
}
