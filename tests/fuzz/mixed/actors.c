/* SPDX-License-Identifier: MIT */
/* What the actors do, and how they are started. */
#include <string.h>

#include "mixed.h"

struct actor actors[ACTORS];
static uint32_t nr_actors;		/* atomic */
static uint32_t inside[SERIALS];	/* atomic */

void actors_begin(void)
{
	memset(actors, 0, sizeof(actors));
	memset(inside, 0, sizeof(inside));
	nr_actors = 0;
}

struct actor *actor_take(enum kind kind, uint32_t pool)
{
	uint32_t number = nap_fetch_add_relaxed(&nr_actors, 1);
	struct actor *actor = &actors[number % ACTORS];

	if (number >= ACTORS)
		return NULL;
	actor->kind = kind;
	actor->pool = pool;
	return actor;
}

/* ---- running */

static void one_call(const struct call *call, uint32_t which)
{
	static void (*const calls[])(const struct call *) = {
		call_lock, call_transfer, call_transfer, call_select, call_sem, call_event,
		call_cond, call_start, call_start, call_scope, call_group, call_loop, call_pause,
		call_pause, call_periodic, call_pool,
	};

	calls[which % (sizeof(calls) / sizeof(*calls))](call);
}

static void act(struct actor *actor)
{
	uint32_t at = 16 + (uint32_t)(actor - actors) * (2 * CALLS + 1);

	CHECK(!nap_fetch_add_relaxed(&actor->begun, 1), actor - actors);
	CHECK(!nap_load_relaxed(&actor->canceled), actor - actors);
	for (uint32_t i = 0; i < byte_at(at) % (CALLS + 1); i++) {
		struct call call = { actor, byte_at(at + 2 * i + 2) };

		one_call(&call, byte_at(at + 2 * i + 1));
	}
	nap_fetch_add_relaxed(&actor->ended, 1);
}

intptr_t fiber_main(void *arg)
{
	struct actor *actor = arg;

	act(actor);
	return actor - actors;
}

void *thread_main(void *actor)
{
	act(actor);
	return NULL;
}

void run_task(struct nap_task *task)
{
	struct actor *actor = nap_container_of(task, struct actor, task);
	bool is_serial = actor->kind == SERIAL;

	if (is_serial)
		CHECK(!nap_xchg_relaxed(&inside[actor->queue], 1), actor->queue);
	act(actor);
	if (is_serial)
		nap_store_relaxed(&inside[actor->queue], 0);
}

void run_timer(struct nap_task *task)
{
	act(nap_container_of(task, struct actor, timer.task));
}

void run_slot(void *actor)
{
	act(actor);
}

static int run_work(struct nap_work *work)
{
	act(nap_container_of(work, struct actor, work));
	return 7;
}

static void work_done(struct nap_work *work, int result)
{
	struct actor *actor = nap_container_of(work, struct actor, work);

	CHECK(!nap_fetch_add_relaxed(&actor->done, 1), actor - actors);
	CHECK(result == 7 || result == -ECANCELED || result == -ETIMEDOUT, result);
	CHECK((result == 7) == (nap_load_relaxed(&actor->ended) == 1), result);
}

/* ---- starting */

static int start_task(struct actor *actor, uint32_t how)
{
	nap_task_init(&actor->task, run_task);
	switch (actor->kind) {
	case CLASS:
		return nap_class_schedule(pools[0], how % 4, &actor->task);
	case SERIAL:
		actor->queue = how % SERIALS;
		return nap_serial_schedule(&serials[actor->queue], &actor->task);
	default:
		return nap_schedule(pools[actor->pool], &actor->task);
	}
}

/*
 * Starts a work. If the work has a loop, the loop calls its @done; otherwise a worker does, or the
 * thread that ends the work after a stop.
 */
static int start_work(struct actor *actor, uint32_t how)
{
	nap_work_init(&actor->work, run_work, work_done, how & 1 ? &loop : NULL);
	actor->work.deadline = how & 2 ? nap_deadline(20 * US) : 0;
	if (how & 4)
		return nap_serial_work(&serials[how >> 3 & 1], &actor->work);
	return nap_work_schedule(pools[actor->pool], &actor->work);
}

static int start_timer(struct actor *actor, uint32_t how)
{
	int err;

	nap_timer_init(&actor->timer, run_timer);
	err = nap_schedule_after(pools[actor->pool], &actor->timer, (how & 15) * 10 * US);
	if (!err && how & 16 && !nap_timer_cancel(&actor->timer))
		CHECK(!nap_fetch_add_relaxed(&actor->canceled, 1), actor - actors);
	return err;
}

static int start(struct actor *actor, uint32_t how, struct nap_fiber **handle)
{
	switch (actor->kind) {
	case FIBER:
		return nap_spawn(pools[actor->pool], handle, fiber_main, actor);
	case WORK:
		return start_work(actor, how);
	case TIMER:
		return start_timer(actor, how);
	case SLOT:
		return nap_submit(&submitter, run_slot, actor);
	default:
		return start_task(actor, how);
	}
}

bool actor_start(struct actor *actor, uint32_t how, struct nap_fiber **handle)
{
	int err;

	nap_store_relaxed(&actor->accepted, 1);
	err = start(actor, how, handle);
	CHECK(!err || err == -ESHUTDOWN || err == -EAGAIN || err == -ENOMEM, err);
	CHECK(err != -ESHUTDOWN || nap_load_relaxed(&ending[0]) || nap_load_relaxed(&ending[1]),
	      err);
	if (err)
		nap_store_relaxed(&actor->accepted, 0);
	return !err;
}
