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
#include "registry.h"
#include "schedule.h"
#include "timer/heap.h"
#include "timer/timer.h"
#include "worker.h"

/* So many are ended under the lock at once. */
#define FIRE_AT_ONCE 32u

static void note_first(struct nap__timers *timers)
{
	nap_store_relaxed(&timers->first, timers->root ? timers->root->when : 0);
}

bool nap__timers_put(struct nap__timers *timers, struct nap__timer_node *node)
{
	timers->root = heap_put(timers->root, node);
	note_first(timers);
	return timers->root == node;
}

void nap__timers_take(struct nap__timers *timers, struct nap__timer_node *node)
{
	timers->root = heap_take(timers->root, node);
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

/* Under the lock, what is due: fibers whose waits are claimed in *@ready, and tasks. */
static void collect(struct nap__timers *timers, uint64_t now, struct nap__timer_node **ready,
		    struct nap_batch *tasks)
{
	for (uint32_t n = 0; n < FIRE_AT_ONCE; n++) {
		struct nap__timer_node *node = timers->root;

		if (!node || node->when > now)
			break;
		timers->root = heap_pop(node);
		if (!node->wait) {
			nap_batch_push(tasks, nap__timer_queued(node));
		} else {
			node->armed = false;
			if (nap__wait_claim(node->wait, node->number, WAIT_TIMED_OUT)) {
				node->next = *ready;
				*ready = node;
			}
		}
	}
	note_first(timers);
}

bool nap__timers_fire(struct nap_worker *worker, struct nap__timers *timers)
{
	struct nap_pool *pool = worker->pool;
	uint64_t first = nap_load_relaxed(&timers->first), now;
	struct nap_batch tasks = NAP_BATCH_INIT;
	struct nap__timer_node *ready = NULL, *next;

	if (!first || (now = nap__os_now()) < first)
		return false;
	lock_take(&timers->lock);
	collect(timers, now, &ready, &tasks);
	lock_give(&timers->lock);
	if (!ready && !tasks.head)
		return false;
	/* The last to touch each: then the fiber goes on, whose stack it is on. */
	for (; ready; ready = next) {
		next = ready->next;
		nap__wait_ready(ready->wait);
	}
	if (tasks.head && nap__schedule_as(pool, worker, true, tasks.head, tasks.tail, tasks.count))
		for (struct nap_task *task; (task = nap_batch_pop(&tasks));)
			nap__schedule_left(pool, task);
	return true;
}

void nap__timers_end(struct nap__timers *timers, struct nap_batch *left)
{
	while (timers->root) {
		struct nap__timer_node *node = timers->root;

		timers->root = heap_pop(node);
		nap_batch_push(left, nap__timer_give_back(nap__timer_queued(node)));
	}
	note_first(timers);
}
