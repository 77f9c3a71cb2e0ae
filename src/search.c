/* SPDX-License-Identifier: MIT */
/*
 * Where a worker looks for its next task.
 *
 * The order is a table of the protocol's: own jobs, own ring, own overflow, then what was injected
 * from outside and the other workers, or the other way round. Of another its jobs first, for
 * somebody waits for them, then its overflow, and its ring last: the reverse of how it takes its
 * tasks itself, so that the two meet as seldom as possible.
 *
 * A guest (src/guest.h) keeps nothing in its ring, for it may leave at any time: it takes one task
 * at a time.
 */
#include "worker.h"

#include "call.h"
#include "guest.h"
#include "idle/idle.h"
#include "jobs.h"
#include "phase.h"
#include "queue/kind.h"
#include "registry.h"

/*
 * Fairness: the own ring is always served first, so a task that schedules itself for ever would
 * starve the queues behind it. Every 61st dequeue (Go's number: a prime, so that it does not beat
 * with the program's own periods) begins with the injected tasks, and so does another with the
 * overflow.
 *
 * But not while the ring still holds injected tasks that were moved there in bulk, or stolen ones
 * that may have been: those are older than what is in the injection queue, and a younger task that
 * waits for an older one must not get ahead of it. They are few (a bulk move), and what schedules
 * itself stands behind them, so nothing starves meanwhile.
 */
#define FAIR_PERIOD	61u
#define FAIR_INJECT	0u
#define FAIR_OVERFLOW	30u

/*
 * What a bulk move leaves room for in the ring: a full ring would overflow again with the first
 * task that schedules another.
 */
#define BULK_MAX	(NAP_RING_SIZE / 2)

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
	find->moved += n;							\
	find->more |= queue##_unlock(&c);					\
	return first;								\
}

DEFINE_REFILL(overflow)
DEFINE_REFILL(inject)

static void note_bulk(struct nap_worker *worker, struct find *find)
{
	if (find->moved) {
		worker->bulk = true;
		worker->bulk_end = worker->ring.tail;
	}
}

/* Whether some of the last bulk move is still in the ring. Asked often enough for the wrap. */
static bool bulk_remains(struct nap_worker *worker)
{
	if (worker->bulk)
		worker->bulk = (int32_t)(worker->bulk_end -
					 nap_load_relaxed(&worker->ring.head)) > 0;
	return worker->bulk;
}

static struct nap_task *dequeue_fairly(struct nap_worker *worker, struct find *find)
{
	struct nap__queue *overflow = &worker->overflow, *inject = &worker->pool->inject;
	struct nap_task *task = NULL;

	worker->tick = worker->tick + 1 < FAIR_PERIOD ? worker->tick + 1 : 0;
	if (worker->tick == FAIR_INJECT)
		worker->owes_inject = true;
	if (worker->owes_inject && !bulk_remains(worker)) {
		worker->owes_inject = false;
		task = inject_take(inject, &find->more);
	}
	if (!task && worker->tick == FAIR_OVERFLOW)
		task = overflow_take(overflow, &find->more);
	return task;
}

/* From another worker, in the order of the least trouble to it. */
static struct nap_task *steal(struct nap_worker *worker, struct nap_worker *victim,
			      struct find *find)
{
	struct nap_task *task = nap__steal_job(worker, victim, &find->more);

	if (task)
		return task;
	task = refill_overflow(worker, &victim->overflow, find);
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

static struct nap_task *dequeue_from(struct nap_worker *worker, enum nap__source source,
				     struct find *find)
{
	struct nap_task *task;

	switch (source) {
	case SOURCE_DEQUE:
		return nap__own_job(worker);
	case SOURCE_RING:
		return ring_pop(&worker->ring);
	case SOURCE_OVERFLOW:
		return refill_overflow(worker, &worker->overflow, find);
	case SOURCE_INJECT:
		task = refill_inject(worker, &worker->pool->inject, find);
		break;
	default:
		task = dequeue_from_others(worker, find);
		break;
	}
	note_bulk(worker, find);
	return task;
}

struct nap_task *nap__dequeue(struct nap_worker *worker)
{
	const uint8_t *order = idle_ops(worker->pool)->order;
	struct find find = { false, 0 };
	struct nap_task *task;

	if (pool_stopping(worker->pool))
		return NULL;
	/* A worker that has enough to do comes by here, when nobody else may. */
	if (worker->tick == 0)
		nap__retry_start(worker->pool);
	task = dequeue_fairly(worker, &find);
	for (unsigned i = 0; !task && i < NAP__SOURCES; i++)
		task = dequeue_from(worker, order[i], &find);
	if (task)
		nap__idle_found(worker, find.more || find.moved);
	else if (find.more)
		nap__idle_notify(worker->pool);
	return task;
}

bool nap__others_needed(struct nap_worker *worker)
{
	return nap__work_left(worker->pool) || nap__jobs_left(worker);
}

bool nap__work_left(struct nap_pool *pool)
{
	if (!inject_empty(&pool->inject) || calls_wait(pool))
		return true;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (deque_has_public(&w->deque) || !overflow_empty(&w->overflow) ||
		    ring_count(&w->ring))
			return true;
	return false;
}
