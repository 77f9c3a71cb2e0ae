/* SPDX-License-Identifier: MIT */
/* What tasks do. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "fuzz.h"

uint32_t runs_of(const struct slot *slot)
{
	switch (slot->kind) {
	case AGAIN:
	case SINGLY:
	case BATCH:
	case FORK:
	case JOBS:
		return 1 + slot->arg;
	case OTHER:
		return 2;
	default:
		return 1;
	}
}

/*
 * Waits until the door is open. Only the driver opens the door, so the driver itself does not wait.
 */
static void block(void)
{
	while (nap_load_acquire(&door_closed) && !is_driver())
		sched_yield();
}

static void fork_and_wait(struct slot *slot, uint32_t p)
{
	struct nap_worker *worker = nap_worker_self();
	int err;

	nap_group_init(&slot->own, pools[p].pool);
	CHECK(nap_group_add(&slot->own, slot->arg) == 0, slot->arg);
	for (uint32_t i = 0; i < slot->arg; i++)
		if (!offer(&slot->child[i], p))
			CHECK(nap_group_done(&slot->own) == 0, i);
	if (is_driver())
		open_door();
	err = nap_group_wait(&slot->own);
	if (!err)
		for (uint32_t i = 0; i < slot->arg; i++)
			CHECK(!nap_load_acquire(&slot->child[i].in_flight), i);
	else
		CHECK(err == -ECANCELED && may_be_canceled(p, worker), err);
}

static void batch_of_children(struct slot *slot, uint32_t p)
{
	struct item *items[CHILDREN];

	for (uint32_t i = 0; i < slot->arg; i++)
		items[i] = &slot->child[i];
	offer_batch(items, slot->arg, p);
}

struct forked {
	struct item *child;
	uint32_t pool, runs;
};

static void run_forked(struct forked *forked)
{
	forked->runs++;
	offer(forked->child, forked->pool);
}

static void run_stolen(struct nap_worker *worker, struct nap_frame *top, struct forked *forked)
{
	(void)worker;
	(void)top;
	begin_job();
	run_forked(forked);
}

NAP_JOB_VOID(run_stolen, struct forked *)

/* Forks jobs and joins them. A thread that is no worker calls the jobs' functions directly. */
static void fork_jobs(struct slot *slot, uint32_t p)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *tops[CHILDREN + 1] = { worker ? nap_top(worker) : NULL };
	struct forked forked[CHILDREN];

	for (uint32_t i = 0; i < slot->arg; i++) {
		forked[i] = (struct forked){ &slot->child[i], p, 0 };
		if (worker)
			tops[i + 1] = run_stolen_fork(worker, tops[i], &forked[i]);
	}
	for (uint32_t i = slot->arg; i--;) {
		if (!worker || nap_join(worker, tops[i]))
			run_forked(&forked[i]);
		CHECK(forked[i].runs == 1, forked[i].runs);
	}
}

static void heap_tasks(struct slot *slot, uint32_t p)
{
	for (uint32_t i = 0; i < slot->arg; i++) {
		struct heap_task *heap = malloc(sizeof(*heap));

		if (!heap)
			abort();
		*heap = (struct heap_task){ NAP_TASK_INIT(run_heap), p };
		if (!offer_heap(&heap->task, p))
			free(heap);
	}
}

static void inside(uint32_t p)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_pool *pool = pools[p].pool;
	struct nap_batch left;

	CHECK(nap_pool_join(pool, &left) == -EDEADLK, 0);
	CHECK(nap_pool_join(pool, NULL) == -EDEADLK, 0);
	CHECK(nap_pool_quiesce(pool) == -EDEADLK, 0);
	CHECK(nap_pool_quiesce_for(pool, 0) == -EDEADLK, 0);
	if (worker && nap_worker_pool(worker) == pool)
		CHECK(nap_worker_index(worker) < pools[p].limit + NAP_GUESTS ||
		      nap_worker_index(worker) == UINT32_MAX, nap_worker_index(worker));
	call_stats(p);
}

static void watch(uint32_t p)
{
	int err = nap_pool_quiesce_for(pools[p].pool, 20000);

	if (is_inside(p))
		CHECK(err == -EDEADLK, err);
	else if (err == -ECANCELED)
		CHECK(nap_load_acquire(&pools[p].stopping), err);
	else
		CHECK(err == 0 || err == -ETIMEDOUT, err);
}

static void run_kind(struct slot *slot, uint32_t p)
{
	switch (slot->kind) {
	case AGAIN:
		/*
		 * Decrements before the offer, because another thread may run the root before
		 * offer() has returned.
		 */
		if (slot->left) {
			slot->left--;
			offer(&slot->root, p);
		}
		break;
	case SINGLY:
		for (uint32_t i = 0; i < slot->arg; i++)
			offer(&slot->child[i], p);
		break;
	case BATCH:
		batch_of_children(slot, p);
		break;
	case OTHER:
		offer(&slot->child[0], slot->pool);
		break;
	case FORK:
		fork_and_wait(slot, p);
		break;
	case WAIT:
		call_wait(slot->group, timeout_of(slot->arg));
		break;
	case END:
		call_shutdown(slot->pool, slot->arg);
		break;
	case HELPER:
		call_help(slot->pool, slot->arg);
		break;
	case INSIDE:
		inside(p);
		break;
	case WATCH:
		watch(slot->pool);
		break;
	case BLOCK:
		block();
		break;
	case HEAP:
		heap_tasks(slot, p);
		break;
	case WARM:
		call_prewarm(p, slot->arg);
		break;
	case JOBS:
		fork_jobs(slot, p);
		call_loops(p, slot->arg * 40, slot->arg * 37);
		break;
	case MEMBER:
		group_done(slot->group);
		break;
	case PLAIN:
		break;
	}
}

void run_root(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);
	struct slot *slot = item->slot;
	struct frame frame;

	begin_run(item, &frame);
	run_kind(slot, frame.pool);
	root_ended(slot);
	end_run(item, &frame);
}

void run_child(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);
	struct frame frame;

	begin_run(item, &frame);
	if (item->slot->kind == FORK)
		CHECK(nap_group_done(&item->slot->own) == 0, 0);
	end_run(item, &frame);
}

void run_heap(struct nap_task *task)
{
	struct heap_task *heap = nap_container_of(task, struct heap_task, task);
	struct frame frame;

	begin_heap_run(heap->pool, &frame);
	free(heap);
	end_heap_run(&frame);
}
