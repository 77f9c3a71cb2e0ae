/* SPDX-License-Identifier: MIT */
/*
 * Where a worker searches for its next task.
 *
 * The worker first searches its own queues: jobs, ring, overflow. Then it searches the injected
 * tasks and the other workers (src/sched/steal.c). Which of the two comes first depends on the
 * protocol.
 *
 * A guest (src/sched/guest.h) takes one task at a time, and keeps none in its ring, because it may
 * leave at any time.
 */
#include "sched/schedule.h"

#include "idle/idle.h"
#include "idle/wave.h"
#include "queue/kind.h"
#include "sched/fair.h"
#include "sched/steal.h"
#include "worker/async.h"
#include "worker/message.h"
#include "worker/phase.h"
#include "worker/source.h"
#include "worker/worker.h"

/*
 * After SIPS bulks in a row of fewer tasks than GULP the worker pauses NAP_GATHER_PAUSES times, so
 * that more tasks gather. If no larger bulk follows, the number of bulks before the next pause
 * doubles, up to IN_VAIN times.
 */
#define SIPS	2
#define GULP	16
#define IN_VAIN	5
#ifndef NAP_GATHER_PAUSES
#define NAP_GATHER_PAUSES 80
#endif

static DEFINE_REFILL(refill_inject, inject)

/*
 * Notes a bulk. @older: the moved tasks are older than the tasks that a tick would take, so the
 * tick waits: src/sched/fair.c.
 */
static void note_bulk(struct nap_worker *worker, struct nap__find *find, bool older)
{
	if (find->moved) {
		worker->bulk = true;
		worker->bulk_older = older;
		worker->bulk_end = worker->ring.tail;
	}
}

static struct nap_task *dequeue_own(struct nap_worker *worker, struct nap__find *find)
{
	struct nap_task *task = own_job(worker);

	if (!task)
		task = ring_pop(&worker->ring);
	if (task)
		return task;
	task = nap__refill_overflow(worker, &worker->overflow, find);
	note_bulk(worker, find, false);
	return task;
}

/*
 * Takes injected tasks. If a worker is faster than its producers the queue is mostly empty, and
 * each task moves every cache line of the queue from CPU to CPU. So after several small bulks the
 * worker pauses for a microsecond or two, and lets a larger bulk gather. (With a producer on
 * another CPU and one worker: 15 ns a task instead of 57.) If no larger bulk follows, for example
 * because producers wait for their tasks, the next pause comes after twice as many bulks.
 */
static struct nap_task *dequeue_injected(struct nap_worker *worker, struct nap__find *find)
{
	bool gathers = worker->sips >= SIPS << worker->in_vain, little;
	struct nap_task *task;

	/* Not noticed in tests when 1 for 0, <= for < or operands of < swapped: a guess. */
	for (int i = 0; gathers && i < NAP_GATHER_PAUSES; i++)
		nap_cpu_relax();	/* Not noticed in tests when dropped: as above. */
	task = refill_inject(worker, &worker->pool->inject, find);
	little = task && 1 + find->moved < GULP;
	worker->sips = little && !gathers ? worker->sips + 1 : 0;
	if (HAS_WAVES && task)
		worker->stole = STOLE_NOTHING;
	if (task && !little)
		worker->in_vain = 0;
	else if (gathers && worker->in_vain < IN_VAIN)
		worker->in_vain++;
	return task;
}

static struct nap_task *dequeue_stolen(struct nap_worker *worker, struct nap__find *find)
{
	struct nap_task *task = nap__steal(worker, find);

	if (HAS_WAVES && task)
		worker->stole = task == &worker->stand_in ? STOLE_JOB : STOLE_TASKS;
	return task;
}

static struct nap_task *dequeue_elsewhere(struct nap_worker *worker, struct nap__find *find)
{
	struct nap_pool *pool = worker->pool;
	bool others_first = idle_ops(pool)->others_first;
	struct nap_task *task = others_first ? dequeue_stolen(worker, find) : NULL;

	if (!task)
		task = dequeue_injected(worker, find);
	if (!task && !others_first)
		task = dequeue_stolen(worker, find);
	note_bulk(worker, find, true);
	return task;
}

struct nap_task *nap__search(struct nap_worker *worker)
{
	struct nap__find find = { false, 0 };
	const struct nap__async_ops *ops;
	struct nap_task *task = NULL;

	if (!before_turn(worker)) {
		task = nap__take_turn(worker, &find.more);
		if (!task)
			before_turn(worker);
	}
	if (!task)
		task = dequeue_own(worker, &find);
	if (!task)
		task = dequeue_elsewhere(worker, &find);
	if (!task) {
		stat_add(&worker->stats.searched, 1);
		ops = async_ops(worker->pool);
		task = ops ? ops->find(worker, &find.more) : NULL;
	}
	if (task)
		nap__idle_stop_search(worker, find.more || find.moved);
	else if (find.more)
		nap__idle_notify(worker->pool);
	return task;
}

static void answer_message(struct nap_task *stand_in)
{
	struct nap_worker *worker = nap_container_of(stand_in, struct nap_worker, stand_in);

	nap__sources_settle(worker);
	nap__answer_message(worker);
}

struct nap_task *nap__dequeue(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;

	if (message_waits(worker) && !pool_forked(pool)) {
		nap__idle_stop_search(worker, false);
		worker->stand_in.run = answer_message;
		return &worker->stand_in;
	}
	if (pool_stopped_or_forked(pool))
		return NULL;
	if (source_is_linked(pool, KIND_CLASSES))
		return nap__sources[KIND_CLASSES]->dequeue(worker);
	return nap__search(worker);
}

/* ---- searching on */

/*
 * How often a worker searches on: a quarter as often as there are CPUs, at most NAP_SEARCHES times;
 * and the pauses before each of these searches.
 */
#ifndef NAP_SEARCHES
#define NAP_SEARCHES	16u
#endif
#define SEARCH_PAUSES	20

static uint32_t searches(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t n = nap_load_relaxed(&pool->cpus) / 4;

	if (!pool_is_wide(pool) || pool->config.spin_us == NAP_NO_SPIN)
		return 0;
	/* Not noticed in tests when <= for <: both are the same number then. */
	return n < NAP_SEARCHES ? n : NAP_SEARCHES;
}

struct nap_task *nap__search_on(struct nap_worker *worker)
{
	struct nap_task *task = NULL;
	uint32_t n = worker->stole != STOLE_NOTHING || worker->joins ? searches(worker) : 0;

	/*
	 * Ends when there are injected tasks: another worker has the queue's lock and takes them,
	 * or they are new, and their producer notifies.
	 */
	while (n-- && !task && !has_joined(worker) && inject_empty(&worker->pool->inject)) {
		/* Not noticed in tests when 1 for 0, <= for < or operands of < swapped: a guess. */
		for (int i = 0; i < SEARCH_PAUSES; i++)
			nap_cpu_relax();	/* Not noticed in tests when dropped: as above. */
		task = nap__dequeue(worker);
	}
	if (!task && !worker->joins)
		worker->stole = STOLE_NOTHING;
	return task;
}
