/* SPDX-License-Identifier: MIT */
/* The model of tasks: which threads run them, how often each has run, and in which order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

struct fuzz_pool pools[POOLS];
struct fuzz_group groups[GROUPS];

static __thread struct frame *frames;	/* tasks that this thread is in, the innermost first */
static __thread bool driver;
static __thread struct help_scope *helping;

bool is_driver(void)
{
	return driver;
}

bool is_inside(uint32_t p)
{
	struct nap_worker *worker = nap_worker_self();

	for (struct frame *frame = frames; frame; frame = frame->outer)
		if (frame->pool == p)
			return true;
	return worker && nap_worker_pool(worker) == pools[p].pool;
}

void model_begin(void)
{
	driver = true;
	memset(groups, 0, sizeof(groups));
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[i];

		memset(slot, 0, sizeof(*slot));
		nap_task_init(&slot->root.task, run_root);
		slot->root.slot = slot;
		for (int c = 0; c < CHILDREN; c++) {
			nap_task_init(&slot->child[c].task, run_child);
			slot->child[c].slot = slot;
		}
	}
}

/* ---- scheduling ---- */

/*
 * A call that a shutdown may refuse. A call from outside is refused if a shutdown is over, and may
 * be refused if one has begun. A call from inside is refused only after a shutdown in STOP mode.
 */
struct attempt {
	uint32_t pool;
	bool inside, over;
};

static struct attempt attempt_begin(uint32_t p)
{
	struct attempt attempt = { p, is_inside(p), false };

	attempt.over = nap_load_acquire(attempt.inside ? &pools[p].stopped : &pools[p].closed);
	if (!driver || frames)
		nap_store_relaxed(&pools[p].order_lost, 1);
	return attempt;
}

/* Checks the call's result; returns whether the call was accepted. */
static bool attempt_end(const struct attempt *attempt, int err)
{
	struct fuzz_pool *pool = &pools[attempt->pool];

	if (!err) {
		CHECK(!attempt->over, attempt->pool);
		return true;
	}
	CHECK(err == -ESHUTDOWN, err);
	CHECK(nap_load_acquire(attempt->inside ? &pool->stopping : &pool->closing), attempt->pool);
	return false;
}

static void give(struct item *item, uint32_t p)
{
	struct slot *slot = item->slot;

	item->pool = p;
	item->order = driver && !frames ? ++pools[p].orders : 0;
	nap_fetch_add_relaxed(&slot->pending, 1);
	nap_fetch_add_relaxed(&slot->offered, 1);
	CHECK(nap_xchg_acq_rel(&item->in_flight, 1) == 0, p);
}

/* Undoes give() for a task that was refused or returned; counts the task in @counter. */
static void ungive(struct item *item, uint32_t *counter)
{
	CHECK(nap_xchg_acq_rel(&item->in_flight, 0) == 1, item->pool);
	nap_fetch_add_relaxed(counter, 1);
	if (item == &item->slot->root)
		root_ended(item->slot);
	nap_fetch_sub_release(&item->slot->pending, 1);
}

bool offer(struct item *item, uint32_t p)
{
	struct attempt attempt = attempt_begin(p);

	give(item, p);
	if (attempt_end(&attempt, nap_schedule(pools[p].pool, &item->task)))
		return true;
	ungive(item, &item->slot->refused);
	return false;
}

bool offer_batch(struct item **items, unsigned int n, uint32_t p)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct attempt attempt = attempt_begin(p);

	for (unsigned int i = 0; i < n; i++) {
		give(items[i], p);
		nap_batch_push(&batch, &items[i]->task);
	}
	/* An empty batch is always accepted. */
	if (n == 0) {
		CHECK(nap_schedule_batch(pools[p].pool, &batch) == 0, p);
		return true;
	}
	if (attempt_end(&attempt, nap_schedule_batch(pools[p].pool, &batch))) {
		CHECK(batch.count == 0 && !batch.head, batch.count);
		return true;
	}
	CHECK(batch.count == n, batch.count);
	for (unsigned int i = 0; i < n; i++) {
		CHECK(nap_batch_pop(&batch) == &items[i]->task, i);
		ungive(items[i], &items[i]->slot->refused);
	}
	CHECK(!nap_batch_pop(&batch), n);
	return false;
}

bool offer_heap(struct nap_task *task, uint32_t p)
{
	struct attempt attempt = attempt_begin(p);

	nap_fetch_add_relaxed(&pools[p].heap, 1);
	if (attempt_end(&attempt, nap_schedule(pools[p].pool, task)))
		return true;
	nap_fetch_sub_relaxed(&pools[p].heap, 1);
	return false;
}

/* ---- running ---- */

/*
 * Checks the order. A pool of one worker runs the driver's tasks in the order in which they were
 * scheduled, if no other thread schedules.
 */
static void check_order(uint32_t p, uint32_t order, bool worker)
{
	struct fuzz_pool *pool = &pools[p];
	uint32_t *last = worker ? &pool->last_by_worker : &pool->last_by_driver;

	if (!order || pool->limit != 1)
		return;
	if (!worker && (!driver || nap_load_relaxed(&pool->started)))
		return;
	if (!nap_load_relaxed(&pool->order_lost))
		CHECK(order > *last, (long)order - *last);
	*last = order;
}

static bool count_run(uint32_t p, struct frame *frame)
{
	struct nap_worker *worker = nap_worker_self();
	/* A run on a guest counts among the runs on threads that are no workers. */
	bool own = nap_worker_pool(worker) == pools[p].pool &&
		   nap_worker_index(worker) < pools[p].limit;

	nap_fetch_add_relaxed(own ? &pools[p].by_workers : &pools[p].by_others, 1);
	*frame = (struct frame){ p, frames };
	frames = frame;
	if (helping && helping->pool == p && frame->outer == helping->at)
		helping->ran++;
	return own;
}

void begin_run(struct item *item, struct frame *frame)
{
	uint32_t p = item->pool;

	CHECK(nap_xchg_acq_rel(&item->in_flight, 0) == 1, p);
	nap_fetch_add_relaxed(&item->slot->ran, 1);
	check_order(p, item->order, count_run(p, frame));
}

/* The result of nap_pool_help() also counts jobs that a helping worker has stolen. */
void begin_job(void)
{
	if (helping && frames == helping->at)
		helping->ran++;
}

void end_run(struct item *item, struct frame *frame)
{
	frames = frame->outer;
	nap_fetch_sub_release(&item->slot->pending, 1);
}

void begin_help(struct help_scope *scope, uint32_t p)
{
	*scope = (struct help_scope){ p, 0, frames, helping };
	helping = scope;
}

void end_help(struct help_scope *scope)
{
	helping = scope->outer;
}

void begin_heap_run(uint32_t p, struct frame *frame)
{
	count_run(p, frame);
	nap_fetch_sub_relaxed(&pools[p].heap, 1);
}

void end_heap_run(struct frame *frame)
{
	frames = frame->outer;
}

void root_ended(struct slot *slot)
{
	if (slot->pool != NONE)
		nap_fetch_sub_release(&pools[slot->pool].users, 1);
	if (slot->kind == WAIT)
		nap_fetch_sub_release(&groups[slot->group].waiters, 1);
}

void take_back(uint32_t p, struct nap_batch *left)
{
	size_t count = left->count, n = 0;
	struct nap_task *task;

	for (; (task = nap_batch_pop(left)); n++) {
		struct item *item = nap_container_of(task, struct item, task);

		if (task->run == run_heap) {
			free(nap_container_of(task, struct heap_task, task));
			nap_fetch_sub_relaxed(&pools[p].heap, 1);
			continue;
		}
		CHECK(item->pool == p, item->pool);
		if (item == &item->slot->root && item->slot->kind == MEMBER)
			group_done(item->slot->group);
		ungive(item, &item->slot->returned);
	}
	CHECK(n == count, n);
}
