/* SPDX-License-Identifier: MIT */
/*
 * Where a worker looks for its next task.
 *
 * First its own: jobs, ring, overflow. Then what was injected from outside, and before or behind
 * that, as the protocol has it, the others: what guests have forked, a call that waits for a place,
 * and the other workers. Of a worker its jobs first, for somebody waits for them, then its overflow,
 * and its ring last: the reverse of how it takes its tasks itself, so that the two meet as seldom as
 * possible.
 *
 * A guest (src/guest.h) keeps nothing in its ring, for it may leave at any time: it takes one task
 * at a time.
 */
#include "search.h"

#include "async.h"
#include "call_list.h"
#include "class.h"
#include "class_take.h"
#include "fair.h"
#include "guest.h"
#include "idle/idle.h"
#include "jobs.h"
#include "letter.h"
#include "phase.h"
#include "queue/kind.h"
#include "registry.h"
#include "worker.h"

/*
 * What a bulk move leaves room for in the ring: a full ring would overflow again with the first
 * task that schedules another.
 */
#define BULK_MAX	(NAP_RING_SIZE / 2)

/* Each turn comes once in a period, if none is put off. A thief takes half of a ring, as many. */
_Static_assert(NAP_FAIR_PERIOD + NAP__TURNS * BULK_MAX <= NAP_FAIR_DEQUEUES || NAP_RING_SIZE > 256,
	       "what nap/pool.h promises");

/*
 * So many bulks in a row of fewer tasks than a gulp are followed by so many pauses; twice as many
 * bulks, so many times, when the pauses were for nothing.
 */
#define SIPS	2
#define GULP	16
#define IN_VAIN	5
#ifndef NAP_GATHER_PAUSES
#define NAP_GATHER_PAUSES 80
#endif

/* What a search has done besides finding a task. */
struct find {
	bool more;		/* others are to be told of what was left: src/queue/kind.h */
	uint32_t moved;		/* tasks moved into the own ring, where they can be stolen */
};

/*
 * refill_X(worker, q, find), one stamp per unbounded queue, whose kinds may differ: the next task;
 * those behind it go into the ring, if that is empty.
 */
#define DEFINE_REFILL(queue)							\
static struct nap_task *refill_##queue(struct nap_worker *worker,		\
				       struct nap__queue *q, struct find *find)	\
{										\
	struct nap__ring *ring = &worker->ring;					\
	struct nap__consumer c;							\
	struct nap_task *first, *task;						\
	uint32_t n = 0;								\
										\
	if (worker->guest || ring_room(ring) < NAP_RING_SIZE)			\
		return queue##_take(q, &find->more);				\
	if (!queue##_lock(q, &c))						\
		return NULL;							\
	first = queue##_pop(&c);						\
	while (first && n < BULK_MAX && (task = queue##_pop(&c)))		\
		ring_put(ring, n++, task);					\
	if (n)									\
		ring_commit(ring, n);						\
	queue_taken(q, n + (first != NULL));					\
	find->moved += n;							\
	find->more |= queue##_unlock(&c);					\
	return first;								\
}

DEFINE_REFILL(overflow)
DEFINE_REFILL(inject)

/* @older: what was moved is older than what a turn (src/fair.c) would take, so the turn waits. */
static void note_bulk(struct nap_worker *worker, struct find *find, bool older)
{
	if (find->moved) {
		worker->bulk = true;
		worker->bulk_older = older;
		worker->bulk_end = worker->ring.tail;
	}
}

/* From another worker, in the order of the least trouble to it. */
static struct nap_task *steal(struct nap_worker *worker, struct nap_worker *victim,
			      struct find *find)
{
	struct nap_task *task = nap__steal_job(worker, victim, &find->more);

	if (task)
		return task;
	task = refill_overflow(worker, &victim->overflow, find);
	if (!task && worker->patient && ring_moves(&victim->ring))
		return NULL;
	if (!task)
		task = worker->guest ? ring_steal_one(&victim->ring) :
				       ring_steal(&victim->ring, &worker->ring, &find->moved);
	if (task)
		stat_add(&worker->stats.stolen, 1 + find->moved);
	return task;
}

/* Vigna's xorshift64*, "An experimental exploration of Marsaglia's xorshift generators" (2016). */
static uint32_t draw(struct nap_worker *worker, uint32_t below)
{
	uint64_t x = worker->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	worker->random = x;
	return (uint32_t)(((x * 0x2545f4914f6cdd1du) >> 32) * below >> 32);
}

/* Where in the registry a search for others begins. */
static struct nap_worker *first_victim(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	struct nap_worker *victim = worker->target;

	if (idle_ops(pool)->random) {
		victim = registry_first(pool);
		for (uint32_t n = draw(worker, nap_load_relaxed(&pool->nr_records)); n; n--)
			victim = victim->next ? victim->next : registry_first(pool);
	}
	return victim ? victim : registry_first(pool);
}

/* What guests have forked, first: they begin with the largest jobs, and wait for nothing else. */
static struct nap_task *steal_from_guests(struct nap_worker *worker, struct find *find)
{
	struct nap_task *task = NULL;

	if (guests_inside(worker->pool))
		for (struct nap_worker *w = registry_first(worker->pool); w && !task; w = w->next)
			if (w->guest && w != worker)
				task = nap__steal_job(worker, w, &find->more);
	return task;
}

/* From the other workers, once round. The own ring is empty. */
static struct nap_task *dequeue_from_others(struct nap_worker *worker, struct find *find)
{
	struct nap_worker *start = first_victim(worker);
	struct nap_worker *victim = start;
	struct nap_task *first = steal_from_guests(worker, find);

	if (!first)
		first = take_call(worker->pool);
	/* No worker: only a guest that stands aside searches then. */
	if (first || !start)
		return first;
	do {
		struct nap_task *task = victim == worker ? NULL : steal(worker, victim, find);

		victim = victim->next ? victim->next : registry_first(worker->pool);
		if (task) {
			worker->target = victim;
			return task;
		}
	} while (victim != start);
	return NULL;
}

static struct nap_task *dequeue_own(struct nap_worker *worker, struct find *find)
{
	struct nap_task *task = nap__own_job(worker);

	if (!task)
		task = ring_pop(&worker->ring);
	if (task)
		return task;
	task = refill_overflow(worker, &worker->overflow, find);
	note_bulk(worker, find, false);
	return task;
}

/*
 * What was injected. A worker that is faster than its producers lives on an empty queue, where each
 * task moves every line of it from CPU to CPU. So after small bulks in a row it lets a larger one
 * gather: it touches nothing for a microsecond or two. A producer on another CPU, with one worker:
 * 57 ns a task without that, and 15. Where no larger one has come of it, as when producers wait for
 * what they have scheduled, the next time is twice as far away.
 */
static struct nap_task *dequeue_injected(struct nap_worker *worker, struct find *find)
{
	bool gathers = worker->sips >= SIPS << worker->in_vain, little;
	struct nap_task *task;

	for (int i = 0; gathers && i < NAP_GATHER_PAUSES; i++)
		nap_cpu_relax();
	task = refill_inject(worker, &worker->pool->inject, find);
	little = task && 1 + find->moved < GULP;
	worker->sips = little && !gathers ? worker->sips + 1 : 0;
	if (task && !little)
		worker->in_vain = 0;
	else if (gathers && worker->in_vain < IN_VAIN)
		worker->in_vain++;
	return task;
}

static struct nap_task *dequeue_elsewhere(struct nap_worker *worker, struct find *find)
{
	struct nap_pool *pool = worker->pool;
	bool others_first = idle_ops(pool)->others_first;
	struct nap_task *task = others_first ? dequeue_from_others(worker, find) : NULL;

	if (!task)
		task = dequeue_injected(worker, find);
	if (!task && !others_first)
		task = dequeue_from_others(worker, find);
	note_bulk(worker, find, true);
	return task;
}

/* A joiner in a pool with classes: as find_work() in src/jobs_join.c. */
static struct nap_task *steal_from_thief(struct nap_worker *worker, bool *more)
{
	if (!worker->classed.thief || !before_turn(worker))
		return NULL;
	return nap__steal_job(worker, worker->classed.thief, more);
}

/*
 * In a pool with classes: a task of theirs, or what is found as in another pool, whoever has the
 * turn; or else the other. Those of another pool are spared the question until a turn is due there.
 */
static __attribute__((noinline)) struct nap_task *dequeue_classed(struct nap_worker *worker)
{
	bool owes = worker->classed.owes, more = false, ordinary = false;
	struct nap_task *task = nap__take_class(worker, true, &more);

	worker->classed.owes = false;
	if (!task) {
		worker->tick = worker->classed.tick;
		task = steal_from_thief(worker, &more);
		if (!task) {
			task = nap__dequeue(worker);
			ordinary = task;
		}
		worker->classed.tick = worker->tick;
		worker->tick = TICK_CLASSES;
	}
	if (!task)
		task = nap__take_class(worker, false, &more);
	/* Of a place that got free others are told, if this worker leaves it to them. */
	more |= owes && classes_queued(worker->pool, true);
	if (task && !ordinary)
		nap__idle_stop_search(worker, more);
	else if (more)
		nap__idle_notify(worker->pool);
	return task;
}

struct nap_task *nap__dequeue(struct nap_worker *worker)
{
	struct find find = { false, 0 };
	struct nap_task *task = NULL;

	if (letter_waits(worker) && !pool_forked(worker->pool)) {
		nap__idle_stop_search(worker, false);
		return &worker->letter;
	}
	if (pool_stopped_or_forked(worker->pool))
		return NULL;
	if (!before_turn(worker)) {
		if (worker->tick >= TICK_CLASSES)
			return dequeue_classed(worker);
		task = nap__take_turn(worker, &find.more);
	}
	if (!task)
		task = dequeue_own(worker, &find);
	if (!task)
		task = dequeue_elsewhere(worker, &find);
	if (task)
		nap__idle_stop_search(worker, find.more || find.moved);
	else if (find.more)
		nap__idle_notify(worker->pool);
	if (task)
		return task;
	stat_add(&worker->stats.searched, 1);
	return async_fire(worker->pool, worker) ? nap__dequeue(worker) : NULL;
}
