/* SPDX-License-Identifier: MIT */
/* Takes back the tasks of a stopped pool, and then checks each actor. */
#include "mixed.h"

void fiber_left(nap_fiber_fn fn, void *arg)
{
	struct actor *actor = arg;

	CHECK(fn == fiber_main, 0);
	actor->returned++;
}

static void slot_left(nap_submit_fn fn, void *arg)
{
	struct actor *actor = arg;

	CHECK(fn == run_slot, 0);
	actor->returned++;
}

static void one_left(struct nap_task *task)
{
	if (nap_serial_of(task) || life_left(task))
		return;
	if (task->run == run_timer)
		nap_container_of(task, struct actor, timer.task)->returned++;
	else if (task->run == run_task)
		nap_container_of(task, struct actor, task)->returned++;
	else
		CHECK(!"a task that nobody has scheduled", task->run);
}

void take_left(struct nap_batch *left)
{
	struct nap_task *task;

	nap_work_end_left(left);
	nap_submit_end_left(left, slot_left);
	while ((task = nap_batch_pop(left)))
		one_left(task);
}

static void check(struct actor *actor, uint32_t number)
{
	bool stopped = stopping[actor->kind == FIBER || actor->kind == TASK ? actor->pool : 0];
	uint32_t fates = actor->begun + actor->returned + actor->canceled;

	CHECK(actor->begun == actor->ended, number);
	if (!actor->accepted) {
		CHECK(!fates && !actor->done, number);
		return;
	}
	CHECK(fates <= 1, fates);
	if (actor->kind == WORK) {
		CHECK(actor->done == 1, number);
		return;
	}
	CHECK(fates == 1, actor->kind * 100 + number);
	/* A drain hands back armed timers only. */
	CHECK(actor->begun || stopped || actor->kind == TIMER, actor->kind * 100 + number);
}

void actors_check(void)
{
	for (uint32_t i = 0; i < ACTORS; i++)
		check(&actors[i], i);
}
