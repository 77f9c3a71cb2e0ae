/* SPDX-License-Identifier: MIT */
/*
 * Where a worker looks for its next task.
 *
 * First its own: jobs, ring, overflow. Then what was injected from outside and the other workers,
 * or the other way round, as the protocol has it. Of another its jobs first, for somebody waits for
 * them, then its overflow, and its ring last: the reverse of how it takes its tasks itself, so that
 * the two meet as seldom as possible.
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
 * Fairness: what a worker finds in its own queues it takes first, so tasks that go on scheduling
 * others would starve every queue behind them. Three times in NAP_FAIR_PERIOD dequeues (Go's
 * number: a prime, so that it does not beat with the program's own periods) a search therefore
 * begins elsewhere, in turn with the injected tasks, with the own overflow, and with the next queue
 * of all workers' queues. Those are visited one by one, first the calls that wait for a place, then
 * in the order of the registry of each worker its jobs, its overflow and its ring: each queue is
 * reached, whatever the others hold. The own ones
 * are among them, for a joiner takes from its thief before it looks at its own (src/fork.c).
 *
 * A turn takes one task, the one that comes out first. It moves nothing into the ring, behind tasks
 * that may go on for ever. When it finds another holding the queue's consumer lock, that one takes
 * what came first.
 *
 * But no turn comes while the ring still holds injected tasks that were moved there in bulk, or
 * stolen ones that may have been. Those are older than what is still in the injection queue, and
 * than what another worker has moved since. A younger task that waits for an older one must not get
 * ahead of it. So a turn that is due takes from the ring until they are gone. They are no more than
 * BULK_MAX, whatever is scheduled stands behind them, and nothing is moved in bulk before the turn
 * has been taken. So the turn is put off, and not for ever. They do not go into the overflow either
 * (src/schedule.c), so that holds the worker's own tasks only, for which no turn waits.
 */
#define FAIR_GAP ((NAP_FAIR_PERIOD + NAP__TURNS - 1) / NAP__TURNS)

_Static_assert(NAP_FAIR_PERIOD >= NAP__TURNS, "one turn a dequeue at most");

/*
 * What a bulk move leaves room for in the ring: a full ring would overflow again with the first
 * task that schedules another.
 */
#define BULK_MAX	(NAP_RING_SIZE / 2)

/* Each turn comes once in a period, if none is put off. A thief takes half of a ring, as many. */
_Static_assert(NAP_FAIR_PERIOD + NAP__TURNS * BULK_MAX <= NAP_FAIR_DEQUEUES || NAP_RING_SIZE > 256,
	       "what nap/pool.h promises");

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

/* @older: than what its turn may bring. */
static void note_bulk(struct nap_worker *worker, struct find *find, bool older)
{
	if (find->moved) {
		worker->bulk = true;
		worker->bulk_older = older;
		worker->bulk_end = worker->ring.tail;
	}
}

/* The next of all workers' queues. */
static struct nap_task *take_from_next(struct nap_worker *worker, struct find *find)
{
	struct nap_worker *victim = worker->next_look;
	uint32_t queue = worker->look;
	struct nap_task *task;

	if (!victim) {
		/* A round begins with the calls. */
		victim = worker->next_look = registry_first(worker->pool);
		task = take_call(worker->pool);
		if (task || !victim)
			return task;
	}
	worker->look = (queue + 1) % NAP__LOOKS;
	worker->next_look = worker->look == LOOK_JOBS ? victim->next : victim;
	if (queue == LOOK_JOBS)
		return nap__steal_job(worker, victim, &find->more);
	if (queue == LOOK_OVERFLOW)
		task = overflow_take(&victim->overflow, &find->more);
	else
		task = ring_steal_one(&victim->ring);
	if (task && victim != worker)
		stat_add(&worker->stats.stolen, 1);
	return task;
}

/* A turn is due. It stays due until what was moved in bulk is gone. */
static struct nap_task *dequeue_in_turn(struct nap_worker *worker, struct find *find)
{
	uint32_t turn = worker->turn;
	struct nap_task *task;

	if (bulk_remains(worker) && worker->bulk_older && (task = ring_pop(&worker->ring)))
		return task;
	/* Three gaps may be longer than the period; then the first ones are shorter by one. */
	worker->tick = turn + NAP_FAIR_PERIOD < NAP__TURNS * FAIR_GAP;
	worker->turn = (turn + 1) % NAP__TURNS;
	/* A worker that has enough to do comes by here, when nobody else may. */
	nap__retry_start(worker->pool);
	switch (turn) {
	case TURN_INJECT:
		return inject_take(&worker->pool->inject, &find->more);
	case TURN_OVERFLOW:
		return overflow_take(&worker->overflow, &find->more);
	default:
		return take_from_next(worker, find);
	}
}

bool nap__before_turn(struct nap_worker *worker)
{
	if (worker->tick + 1 >= FAIR_GAP)
		return false;
	worker->tick++;
	return true;
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

static struct nap_task *dequeue_elsewhere(struct nap_worker *worker, struct find *find)
{
	struct nap_pool *pool = worker->pool;
	bool others_first = idle_ops(pool)->others_first;
	struct nap_task *task = others_first ? dequeue_from_others(worker, find) : NULL;

	if (!task)
		task = refill_inject(worker, &pool->inject, find);
	if (!task && !others_first)
		task = dequeue_from_others(worker, find);
	note_bulk(worker, find, true);
	return task;
}

struct nap_task *nap__dequeue(struct nap_worker *worker)
{
	struct find find = { false, 0 };
	struct nap_task *task = NULL;

	if (pool_stopping(worker->pool))
		return NULL;
	if (++worker->tick >= FAIR_GAP)
		task = dequeue_in_turn(worker, &find);
	if (!task)
		task = dequeue_own(worker, &find);
	if (!task)
		task = dequeue_elsewhere(worker, &find);
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
