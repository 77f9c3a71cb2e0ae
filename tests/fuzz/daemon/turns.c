/* SPDX-License-Identifier: MIT */
/* The functions of works, and what must hold when works end. */
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "daemon.h"

#define WATCHED	200	/* how often a work checks whether it has to end, before it gives up */

/* ---- the functions of works */

static void cancel_oneself(struct nap_work *work)
{
	CHECK(!nap_cancel(work), 0);
	CHECK(nap_work_is_canceled(work), 0);
}

static void watch(struct nap_work *work)
{
	for (int i = 0; i < WATCHED && !nap_work_is_canceled(work); i++)
		sched_yield();
}

static void schedule_child(struct place *parent)
{
	struct place *child = place_take(parent->pool, parent->queue, PLAIN, parent->arg & 0x3f);

	if (child && !child->has_done) {
		place_free(child);
		return;
	}
	if (child && !schedule_work(child))
		place_free(child);
}

static void cancel_target(struct place *canceler)
{
	struct place *target = canceler->target;

	if (target && nap_cancel(&target->unit->work))
		CHECK(!nap_xchg_relaxed(&target->canceled, 1), 0);
	cancel_ended(canceler);
}

static void stand_at_door_in(void *unused)
{
	(void)unused;
	stand_at_door();
}

static void run_kind(struct place *place, struct nap_work *work)
{
	switch (place->kind) {
	case SELF:
		cancel_oneself(work);
		break;
	case WATCH:
		watch(work);
		break;
	case BLOCK:
		stand_at_door();
		break;
	case SECTION:
		nap_blocking(stand_at_door_in, NULL);
		break;
	case PUSH:
		for (uint32_t i = 0; place->queue != NONE && i <= place->arg % 4; i++)
			push_note(place->queue, 0);
		break;
	case CHILD:
		schedule_child(place);
		break;
	case SUBMIT:
		call_submit(place->pool, 0);
		break;
	case SUBMIT_WAIT:
		call_submit_wait(place->pool, 0, timeout_of(place->arg % 3));
		break;
	case SERIAL:
		call_serial(place->pool, place->arg % SERIALS, 0);
		break;
	case CANCEL:
		cancel_target(place);
		break;
	default:
		break;
	}
}

int work_turn(struct nap_work *work)
{
	struct unit *unit = nap_container_of(work, struct unit, work);
	struct place *place = unit->place;
	struct frame frame;

	frame_begin(&frame, place->pool);
	CHECK(nap_fetch_add_relaxed(&place->ran, 1) == 0, place->ran);
	CHECK(!place->late, place->late);
	/* tell() has counted each work that this one waits for. */
	CHECK(nap_load_relaxed(&place->told) == place->waits_for, place->told);
	serial_turn_begin(place);
	run_kind(place, work);
	serial_turn_end(place);
	unit->written++;
	frame_end(&frame);
	return place->answer;
}

/* ---- the ends of works */

static bool has_passed(uint64_t deadline)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return deadline && (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec > deadline;
}

void check_end(struct place *place, int result)
{
	uint32_t ran = nap_load_relaxed(&place->ran), canceled = nap_load_relaxed(&place->canceled);

	CHECK(ran + canceled <= 1, ran * 2 + canceled);
	CHECK(place->unit->written == ran, place->unit->written);
	place->unit->written = 0;
	if (ran)
		CHECK(result == place->answer, result);
	else if (result == -ETIMEDOUT)
		CHECK(!canceled && has_passed(place->unit->work.deadline), canceled);
	else
		CHECK(result == -ECANCELED, result);
	/*
	 * A work that has not run was canceled, or its pool had ended, or its deadline had passed.
	 */
	if (!ran && !canceled && (place->has_done ? result == -ECANCELED :
				  !has_passed(place->unit->work.deadline)))
		CHECK(pools[place->pool].nr != place->pool_nr ||
		      nap_load_acquire(&pools[place->pool].closing), result);
}

/* Checks that the loop of the work's queue gets the end, unless the queue was closed. */
static void check_where(struct place *place)
{
	struct fuzz_queue *queue;

	if (place->queue == NONE)
		return;
	queue = &queues[place->queue];
	if (place->opening % 2 && nap_load_acquire(&queue->opening) == place->opening)
		CHECK(is_driver, place->queue);
}

/*
 * Tells @target, which waits for several works, that one of them is done. After this call @target
 * may be freed.
 */
static void tell(struct place *target)
{
	int last;

	nap_fetch_add_relaxed(&target->told, 1);
	last = nap_after_done(&target->unit->after);
	CHECK(last == 0 || last == 1, last);
	nap_fetch_add_release(&graph_ends, (uint32_t)last);
}

void work_done(struct nap_work *work, int result)
{
	struct unit *unit = nap_container_of(work, struct unit, work);
	struct place *place = unit->place;
	bool tells = place->kind != CANCEL && place->target;

	CHECK(nap_work_is_idle(work), result);
	check_where(place);
	check_end(place, result);
	if (place->again && !tells) {
		place->again--;
		place->waits_for = 0;
		nap_store_relaxed(&place->told, 0);
		if (schedule_work(place))
			return;
	}
	if (tells)
		tell(place->target);
	else
		cancel_ended(place);
	place_free(place);
}
