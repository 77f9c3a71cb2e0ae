/* SPDX-License-Identifier: MIT */
/*
 * Publishing to classes, choosing the class to serve, taking its tasks, and its permits.
 *
 * Typically tasks of one or two classes are queued. The worker takes one task from the class with
 * the smallest pass, runs it, and then decrements class->inside.
 */
#include "kit/class_take.h"

#include "idle/protocols.h"
#include "kit/class.h"
#include "kit/class_stride.h"
#include "life/pool.h"
#include "sched/fair.h"
#include "sched/schedule.h"
#include "sched/steal.h"
#include "worker/phase.h"
#include "worker/probe.h"
#include "worker/self.h"
#include "worker/source.h"
#include "worker/measure.h"
#include "worker/tick.h"

static void run_taken(struct nap_task *stand_in);

static struct nap__class_permit *class_permit(struct nap__permit *permit)
{
	return nap_container_of(permit, struct nap__class_permit, permit);
}

static bool holds_permit(struct nap_class *class)
{
	for (struct nap__permit *p = nap__self()->permits; p; p = p->outer)
		if (class_permit(p)->class == class)
			return true;
	return false;
}

/* ---- taking a task */

static bool may_serve(struct nap_class *class)
{
	return !inject_empty(&class->queue) && (class_has_permit(class) || holds_permit(class));
}

/*
 * Returns the party with the smallest pass among those that are not in @tried and may be served;
 * NAP__PARTIES if there is none.
 */
static uint32_t next_party(struct nap_worker *worker, uint32_t tried)
{
	struct nap_class *of = worker->pool->config.classes->of;
	uint32_t first = tried & 1u << CLASS_ORDINARY ? NAP__PARTIES : CLASS_ORDINARY;
	const uint32_t *ahead = worker->classed.ahead;

	for (uint32_t p = class_count(worker->pool); p-- > 0;)
		/* Not noticed in tests when < for <=: of two equal ones either may be first. */
		if (!(tried & 1u << p) && (first == NAP__PARTIES || ahead[p] <= ahead[first]) &&
		    may_serve(&of[p]))
			first = p;
	return first;
}

/* Returns the number of a class, as it stands in trace events. */
static uint32_t class_number(struct nap_pool *pool, struct nap_class *class)
{
	return (uint32_t)(class - pool->config.classes->of);
}

static void class_count_up(struct nap_pool *pool, struct nap_class *class)
{
	trace(pool, NAP_TRACE_CLASS_TAKE, class_number(pool, class), 0, 0);
	nap_fetch_add_relaxed(&class->inside, 1);
}

/* Takes a task. False: there is no task or no permit, or another consumer has the lock. */
static bool class_take(struct nap_worker *worker, struct nap_class *class, bool *more)
{
	bool counts = class->limit && !holds_permit(class), left;
	struct nap_task *task = NULL;
	struct nap__consumer c;

	if (!inject_lock(&class->queue, &c))
		return false;
	/* The caller holds the consumer lock, so only move_permit() may count up, too. */
	if (!counts || class_has_permit(class))
		task = inject_pop(&c);
	if (task && counts)
		class_count_up(worker->pool, class);
	queue_taken(&class->queue, task != NULL);
	left = inject_unlock(&c);
	if (left && class->limit) {
		/*
		 * Unlock, then check for the workers that were turned away, as in
		 * class_count_down(). [K5]
		 */
		nap_fence_seq_cst();
		left = class_has_permit(class);
	}
	*more |= left;
	worker->classed.task = task;
	worker->classed.of = class;
	worker->classed.counted = counts;
	return task;
}

struct nap_task *nap__take_class(struct nap_worker *worker, bool ordinary, bool *more)
{
	struct nap_classes *classes = worker->pool->config.classes;
	uint32_t tried = ordinary ? 0 : 1u << CLASS_ORDINARY, party;

	while ((party = next_party(worker, tried)) < NAP__PARTIES) {
		if (party != CLASS_ORDINARY && !class_take(worker, &classes->of[party], more)) {
			tried |= 1u << party;
			continue;
		}
		charge_class(worker, party);
		if (party == CLASS_ORDINARY)
			return NULL;
		worker->stand_in.run = run_taken;
		return &worker->stand_in;
	}
	return NULL;
}

/* Called for a joiner: steals from the thief first, as find_work() in src/fork/jobs_join.c does. */
static struct nap_task *steal_from_thief(struct nap_worker *worker, bool *more)
{
	struct nap_worker *victim = worker->joins ? thief_of(worker, worker->joins) : NULL;

	return victim && before_turn(worker) ? steal_job(worker, victim, more) : NULL;
}

/*
 * Counts a dequeue, from whichever party, and returns a due task after each part of them
 * (src/async/timer/due.c), or NULL. The ticks of the ordinary party alone would come too late.
 */
static struct nap_task *take_due(struct nap_worker *worker, bool *more)
{
	if (!worker->due_left && ++worker->since < worker->part)
		return NULL;
	worker->since = 0;
	return nap__take_due(worker, more);
}

static struct nap_task *dequeue_classed(struct nap_worker *worker)
{
	bool owes = worker->classed.owes, more = false, ordinary = false;
	struct nap_task *task = take_due(worker, &more);

	worker->classed.owes = false;
	if (!task)
		task = nap__take_class(worker, true, &more);
	if (!task)
		task = steal_from_thief(worker, &more);
	if (!task) {
		task = nap__search(worker);
		/* Not noticed in tests when dropped: to end a search twice does no harm. */
		ordinary = task;
	}
	if (!task)
		task = nap__take_class(worker, false, &more);
	/* A worker that has freed a permit, and does not use it itself, notifies other workers. */
	more |= owes && classes_queued(worker->pool, true);
	if (task && !ordinary)
		nap__idle_stop_search(worker, more);
	else if (more)
		nap__idle_notify(worker->pool);
	return task;
}

/* ---- permits */

static void settle_class(struct nap_worker *worker)
{
	if (!worker->classed.owes)
		return;
	worker->classed.owes = false;
	nap__idle_notify(worker->pool);
}

/* Counts a thread out. True: a task is queued that a worker has to take. */
static bool class_count_down(struct nap_pool *pool, struct nap_class *class)
{
	trace(pool, NAP_TRACE_CLASS_GIVE, class_number(pool, class), 0, 0);
	if (nap_fetch_sub_relaxed(&class->inside, 1) > class->limit)
		return false;
	/* Count, then check; pairs with nap__class_publish(), class_take() and searches. [K5] */
	nap_fence_seq_cst();
	return !inject_empty(&class->queue);
}

/*
 * If the class is at its limit, the thread that next leaves the class notifies (src/kit/class.h).
 */
void nap__class_publish(struct nap_pool *pool, struct nap_class *class, struct nap_batch *batch)
{
	bool was_empty = idle_counts(pool) && inject_empty(&class->queue);
	size_t count = batch->count;

	source_link(pool, KIND_CLASSES);
	watch_list(pool, NAP_TRACE_CLASSED, class_number(pool, class), batch->head, batch->tail);
	probe_list(pool, batch->head, batch->tail);
	/*
	 * Counted for src/life/remaining.c, before the push, so that no more tasks seem taken than
	 * pushed.
	 */
	nap_fetch_add_relaxed(&class->queue.pushed, count);
	inject_push(&class->queue, batch->head, batch->tail);
	if (class->limit) {
		/* Publish, then check; pairs with class_count_down(). [K5] */
		nap_fence_seq_cst();
		if (!class_has_permit(class))
			return;
		/* Not noticed in tests when >= for >: an equal number stays. */
		if (count > class->limit)
			count = class->limit;
	}
	nap__idle_notify_many(pool, count, was_empty);
}

static void move_permit(struct nap__permit *permit, bool lend)
{
	struct nap__class_permit *p = class_permit(permit);

	/*
	 * Count up even above the limit. If the thread waited for a permit here, the threads that
	 * have the permits could be waiting for this thread.
	 */
	if (!lend)
		class_count_up(p->pool, p->class);
	else if (class_count_down(p->pool, p->class))
		nap__idle_notify(p->pool);
}

struct nap_task *nap__class_enter(struct nap_worker *worker, struct nap__class_permit *permit)
{
	struct nap__self *self = nap__self();

	permit->class = NULL;
	if (worker->classed.counted) {
		*permit = (struct nap__class_permit){ { self->permits, move_permit }, worker->pool,
						      worker->classed.of };
		self->permits = &permit->permit;
	}
	return worker->classed.task;
}

void nap__class_leave(struct nap_worker *worker, struct nap__class_permit *permit)
{
	struct nap__self *self = nap__self();

	/* In the child of a fork the thread holds no permits: they are the parent's. */
	if (!permit->class || pool_forked(worker->pool))
		return;
	self->permits = permit->permit.outer;
	if (!class_count_down(worker->pool, permit->class))
		return;
	/*
	 * A worker without nested tasks searches next, and may take a task of the class itself.
	 * (Waking another worker for each task of a class with a limit would cost more than most
	 * tasks.)
	 */
	worker->classed.owes = true;
	if (self->outer)
		settle_class(worker);
}

static void run_taken(struct nap_task *stand_in)
{
	struct nap_worker *worker = nap_container_of(stand_in, struct nap_worker, stand_in);
	struct nap__class_permit permit;

	nap__run(worker, nap__class_enter(worker, &permit));
	nap__class_leave(worker, &permit);
}

/* ---- classes as a kind of work */

static struct nap_task *left_in_classes(struct nap_pool *pool)
{
	struct nap_task *task = NULL;
	bool more;

	for (uint32_t i = class_count(pool); i-- > 0 && !task;)
		task = inject_take(&pool->config.classes->of[i].queue, &more);
	return task;
}

static void count_classes(struct nap_pool *pool, struct nap__remaining *remaining)
{
	for (uint32_t i = class_count(pool); i-- > 0;) {
		struct nap__queue *queue = &pool->config.classes->of[i].queue;
		uint64_t taken = nap_load_relaxed(&queue->taken);

		remaining->classes += left_between(nap_load_relaxed(&queue->pushed), taken);
	}
}

const struct nap__source nap__classes_source = {
	.queued = classes_queued,
	.dequeue = dequeue_classed,
	.settle = settle_class,
	.left = left_in_classes,
	.count = count_classes,
};
