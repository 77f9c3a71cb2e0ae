/* SPDX-License-Identifier: MIT */
/* Calls that begin, await, cancel and end other actors. */
#include <string.h>

#include "mixed.h"

/* A group of tasks. After a stop tasks may still be in the pool, so the group is not on a stack. */
struct gathering {
	struct nap_group group;
	struct member {
		struct nap_task task;
		struct gathering *gathering;
	} members[MEMBERS];
	uint32_t ran, left;	/* atomic */
};

struct periodic {
	struct nap_timer timer;
	uint32_t armed, canceled;	/* atomic */
};

static struct gathering gatherings[GROUPS];
static struct periodic periodics[POOLS];
static uint32_t nr_gatherings;	/* atomic */

void life_begin(void)
{
	memset(gatherings, 0, sizeof(gatherings));
	memset(periodics, 0, sizeof(periodics));
	nr_gatherings = 0;
}

/* ---- other actors */

/* Uses up @fiber, a handle of the caller's: awaits the fiber or detaches it. */
static void let_go_of(struct nap_fiber *fiber, struct actor *other, const struct call *call)
{
	intptr_t result;
	int err = -ETIMEDOUT;

	if (call->how & 64)
		nap_fiber_cancel(fiber);
	if (call->how & 128)
		err = nap_await_for(fiber, &result, time_of(call));
	CHECK(!err || is_no_wait(err), err);
	if (err) {
		nap_detach(fiber);
		return;
	}
	CHECK(result == other - actors || result == -ECANCELED, result);
	CHECK(result < 0 || nap_load_relaxed(&other->ended), result);
}

/*
 * Returns the pool of a new actor: any pool for tasks and fibers, the caller's pool for timers,
 * otherwise pool 0.
 */
static uint32_t pool_for(const struct call *call, enum kind kind)
{
	if (kind == FIBER || kind == TASK)
		return call->how >> 5 & 1;
	return kind == TIMER ? call->actor->pool : 0;
}

/*
 * Starts an actor. A caller gets the handle of a new fiber only in its own pool, because a pool's
 * join ends the handles of its fibers.
 */
void call_start(const struct call *call)
{
	enum kind most = call->actor->kind == THREAD ? TIMER : THREAD;
	enum kind kind = (enum kind)((call->how >> 2) % most);
	uint32_t pool = pool_for(call, kind);
	bool holds = kind == FIBER && call->actor->kind == FIBER && pool == call->actor->pool;
	struct actor *other = actor_take(kind, pool);
	struct nap_fiber *fiber = NULL;

	if (other && actor_start(other, call->how >> 1, holds ? &fiber : NULL) && fiber)
		let_go_of(fiber, other, call);
}

void call_scope(const struct call *call)
{
	struct actor *others[3];
	struct nap_scope scope;
	intptr_t err;

	if (call->actor->kind != FIBER || nap_scope_begin(&scope, pools[call->actor->pool]))
		return;
	for (int i = 0; i < 3; i++) {
		others[i] = call->how & 4u << i ? actor_take(FIBER, call->actor->pool) : NULL;
		if (!others[i])
			continue;
		nap_store_relaxed(&others[i]->accepted, 1);
		if (nap_scope_spawn(&scope, fiber_main, others[i])) {
			nap_store_relaxed(&others[i]->accepted, 0);
			others[i] = NULL;
		}
	}
	if (call->how & 32)
		nap_scope_cancel(&scope);
	err = nap_scope_end(&scope);
	CHECK(!err || err == -ECANCELED, err);
	for (int i = 0; i < 3; i++)
		if (others[i])
			CHECK(nap_load_relaxed(&others[i]->begun) ==
			      nap_load_relaxed(&others[i]->ended), i);
}

static void run_member(struct nap_task *task)
{
	struct gathering *gathering = nap_container_of(task, struct member, task)->gathering;

	nap_fetch_add_relaxed(&gathering->ran, 1);
	nap_group_done(&gathering->group);
}

void call_group(const struct call *call)
{
	uint32_t number = nap_fetch_add_relaxed(&nr_gatherings, 1), pool = call->how >> 2 & 1;
	struct gathering *gathering = &gatherings[number % GROUPS];
	int err;

	if (number >= GROUPS)
		return;
	nap_group_init(&gathering->group, pools[pool]);
	nap_group_add(&gathering->group, MEMBERS);
	for (int i = 0; i < MEMBERS; i++) {
		gathering->members[i] = (struct member){ NAP_TASK_INIT(run_member), gathering };
		if (!nap_schedule(pools[pool], &gathering->members[i].task))
			continue;
		nap_fetch_add_relaxed(&gathering->left, 1);
		nap_group_done(&gathering->group);
	}
	err = nap_group_wait_for(&gathering->group, time_of(call));
	CHECK(!err || is_no_wait(err), err);
	if (!err)
		CHECK(nap_load_relaxed(&gathering->ran) + nap_load_relaxed(&gathering->left) ==
		      MEMBERS, err);
}

/* ---- the actor itself */

static int count_turns(size_t begin, size_t end, void *turns)
{
	nap_fetch_add_relaxed((uint32_t *)turns, (uint32_t)(end - begin));
	return 0;
}

void call_loop(const struct call *call)
{
	uint32_t turns = 0, n = 1 + call->how * 4;
	int err = nap_for(pools[call->how & 1], 0, n, count_turns, &turns);

	CHECK(!err || err == -ESHUTDOWN || err == -ECANCELED || err == -EDEADLK, err);
	CHECK(err || turns == n, turns);
}

void call_pause(const struct call *call)
{
	bool was;

	if (call->actor->kind == FIBER && call->how & 1) {
		was = nap_fiber_shield(call->how & 2);
		CHECK(was == call->actor->shielded || nap_load_relaxed(&ending[call->actor->pool]),
		      was);
		call->actor->shielded = call->how >> 1 & 1;
	}
	if (call->how & 4)
		nap_yield();
	else
		nap_sleep((call->how >> 3) * US);
}

/* ---- pools */

static void run_periodic(struct nap_task *task)
{
	struct periodic *periodic = nap_container_of(task, struct periodic, timer.task);

	CHECK(!nap_load_relaxed(&periodic->canceled), periodic - periodics);
}

/*
 * Arms the periodic timer of the caller's pool, once. Later calls cancel the timer. All these calls
 * are made before the pool's join.
 */
void call_periodic(const struct call *call)
{
	struct periodic *periodic = &periodics[call->actor->pool];

	if (call->actor->kind == THREAD)
		return;
	if (!nap_cmpxchg_acq_rel(&periodic->armed, 0, 1)) {
		nap_timer_init(&periodic->timer, run_periodic);
		if (nap_schedule_every(pools[call->actor->pool], &periodic->timer,
				       (call->how >> 2 & 7) * US,
				       (1 + (call->how >> 5)) * 10 * US) == 0)
			nap_store_release(&periodic->armed, 2);
	} else if (nap_load_acquire(&periodic->armed) == 2 && !nap_timer_cancel(&periodic->timer)) {
		nap_store_relaxed(&periodic->canceled, 1);
	}
}

void call_pool(const struct call *call)
{
	if (call->how & 4)
		nap_pool_set_limit(pools[call->how & 1], 1 + (call->how >> 3) % 3);
	else if (call->actor->kind == THREAD)
		nap_pool_help(pools[call->how & 1], 1 + (call->how >> 3));
}

bool life_left(struct nap_task *task)
{
	if (task->run == run_member) {
		struct member *member = nap_container_of(task, struct member, task);
		struct gathering *gathering = member->gathering;

		nap_fetch_add_relaxed(&gathering->left, 1);
		return true;
	}
	return task->run == run_periodic;
}

void life_check(void)
{
	for (uint32_t i = 0; i < GROUPS && i < nr_gatherings; i++)
		CHECK(gatherings[i].ran + gatherings[i].left == MEMBERS, i);
}
