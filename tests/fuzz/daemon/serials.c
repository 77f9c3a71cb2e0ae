/* SPDX-License-Identifier: MIT */
/* Serial queues, with steps (tasks that the model counts) and with works between the steps. */
#include <errno.h>
#include <stdlib.h>

#include "daemon.h"

/*
 * One serial queue, and what the model knows of it. The last step may free the queue, but not the
 * line.
 */
struct line {
	struct nap_serial *serial;
	uint32_t pool;
	uint32_t ended;		/* atomic: the driver has asked for the end */
	uint32_t gone;		/* atomic: the last step has freed the queue */
	uint32_t shared;	/* atomic: works may schedule here, so no step frees the queue */
	bool frees;		/* the last step will free the queue */
	uint32_t accepted;	/* atomic: accepted steps */
	uint32_t begun;		/* steps that have begun; the queue orders these writes */
	uint32_t inside;	/* atomic */
	uint32_t last;		/* the number of the driver's last step that has run */
	uint32_t given;		/* the last number that the driver has given to a step */
};

struct step {
	struct nap_task task;
	struct line *line;
	uint32_t nr, how;
	bool is_last;
};

static struct line lines[POOLS][SERIALS];

/* ---- the functions of steps and works */

static void check_order(struct line *line, uint32_t nr)
{
	if (!nr)
		return;
	CHECK(nr > line->last, nr);
	line->last = nr;
}

static void enter(struct line *line, uint32_t nr)
{
	CHECK(!nap_xchg_relaxed(&line->inside, 1), nr);
	check_order(line, nr);
}

static void leave(struct line *line)
{
	nap_store_relaxed(&line->inside, 0);
}

static bool offer_step(struct line *line, uint32_t how, bool is_last);

static void run_step(struct nap_task *task)
{
	struct step *step = nap_container_of(task, struct step, task);
	struct line *line = step->line;
	bool is_last = step->is_last;
	struct frame frame;

	frame_begin(&frame, line->pool);
	enter(line, step->nr);
	line->begun++;
	if (step->how & 1 && nap_load_relaxed(&line->shared) && !is_driver)
		offer_step(line, step->how >> 1, false);
	free(step);
	leave(line);
	if (is_last && line->frees) {
		free(line->serial);
		nap_store_release(&line->gone, 1);
	}
	frame_end(&frame);
}

void serial_turn_begin(struct place *place)
{
	if (place->serial != NONE)
		enter(&lines[place->pool][place->serial], place->nr);
}

void serial_turn_end(struct place *place)
{
	if (place->serial != NONE)
		leave(&lines[place->pool][place->serial]);
}

/* ---- schedule */

/* Checks whether the call was accepted. When the queue has ended, every call is refused. */
static bool was_accepted(struct line *line, const struct attempt *attempt, bool ended, int err)
{
	if (!err)
		CHECK(!ended, line->pool);
	else if (err == -ESHUTDOWN && nap_load_acquire(&line->ended))
		return false;
	return attempt_end(attempt, err);
}

static bool offer_step(struct line *line, uint32_t how, bool is_last)
{
	struct attempt attempt = attempt_begin(line->pool);
	struct step *step = malloc(sizeof(*step));
	bool ended = is_driver && nap_load_relaxed(&line->ended);
	uint32_t nr = is_driver ? ++line->given : 0;
	int err;

	if (!step)
		abort();
	*step = (struct step){ NAP_TASK_INIT(run_step), line, nr, how, is_last };
	if (is_last) {
		/* In a drain an end is accepted, as a schedule from inside is. */
		attempt.inside = true;
		attempt.over = nap_load_acquire(&pools[line->pool].stopped);
		nap_store_release(&line->ended, 1);
	}
	nap_fetch_add_relaxed(&line->accepted, 1);
	err = is_last ? nap_serial_end(line->serial, &step->task) :
			nap_serial_schedule(line->serial, &step->task);
	if (was_accepted(line, &attempt, ended, err))
		return true;
	nap_fetch_sub_relaxed(&line->accepted, 1);
	free(step);
	return false;
}

static void line_begin(struct line *line, uint32_t p)
{
	*line = (struct line){ .pool = p };
	line->serial = malloc(sizeof(*line->serial));
	if (!line->serial)
		abort();
	CHECK(nap_serial_init(line->serial, pools[p].pool) == 0, p);
}

/*
 * Returns a line with a queue; if the last queue was freed, with a new one. NULL: the queue may be
 * freed at any time.
 */
static struct line *line_of(uint32_t p, uint32_t s)
{
	struct line *line = &lines[p][s];

	if (!line->serial)
		return NULL;
	if (!is_driver || !line->frees)
		return line;
	if (!nap_load_acquire(&line->gone))
		return NULL;
	CHECK(line->accepted == line->begun, line->accepted);
	line_begin(line, p);
	return line;
}

void call_serial(uint32_t p, uint32_t s, uint32_t how)
{
	struct line *line = line_of(p, s);

	if (line)
		offer_step(line, how, false);
}

bool serial_share(uint32_t p, uint32_t s)
{
	struct line *line = line_of(p, s);

	if (line)
		nap_store_relaxed(&line->shared, 1);
	return line;
}

void call_serial_work(uint32_t p, uint32_t s, uint32_t kind, uint32_t how)
{
	struct line *line = line_of(p, s);
	struct place *place = line ? prepare_work(p, kind, how & 0x3f) : NULL;
	struct attempt attempt = attempt_begin(p);
	bool ended;

	if (!place)
		return;
	place->serial = s;
	place->nr = ++line->given;
	ended = nap_load_relaxed(&line->ended);
	if (!was_accepted(line, &attempt, ended, nap_serial_work(line->serial, &place->unit->work)))
		drop_work(place);
}

void call_serial_end(uint32_t p, uint32_t s, bool frees)
{
	struct line *line = line_of(p, s);

	if (!line || nap_load_relaxed(&line->ended))
		return;
	line->frees = frees && !nap_load_relaxed(&line->shared);
	if (offer_step(line, 0, true))
		return;
	/* The pool refused this step, so no step will free the queue. */
	line->frees = false;
	nap_store_relaxed(&line->ended, 0);
}

/* ---- pools */

void serials_begin(uint32_t p)
{
	for (uint32_t s = 0; s < SERIALS; s++)
		line_begin(&lines[p][s], p);
}

bool serial_left(struct nap_task *task)
{
	struct nap_serial *serial = nap_serial_of(task);

	for (uint32_t i = 0; i < POOLS * SERIALS; i++)
		if (serial && lines[i / SERIALS][i % SERIALS].serial == serial)
			return true;
	return false;
}

static void take_back(struct line *line, struct nap_batch *left)
{
	struct nap_task *task;

	while ((task = nap_batch_pop(left))) {
		struct step *step = nap_container_of(task, struct step, task);

		CHECK(task->run == run_step && step->line == line, line->pool);
		check_order(line, step->nr);
		nap_fetch_sub_relaxed(&line->accepted, 1);
		free(step);
	}
}

/* Frees what is left of a queue when its pool has been joined. */
static void line_end(struct line *line)
{
	struct nap_batch left = NAP_BATCH_INIT;

	if (!nap_load_acquire(&line->gone)) {
		CHECK(nap_serial_close(line->serial, &left) == 0, line->pool);
		CHECK(!left.count || pools[line->pool].stopping, left.count);
		nap_work_end_left(&left);
		take_back(line, &left);
		nap_store_relaxed(&line->ended, 1);
		CHECK(!offer_step(line, 0, false), line->pool);
		free(line->serial);
	}
	CHECK(line->accepted == line->begun, line->accepted - line->begun);
	line->serial = NULL;
}

void serials_end(uint32_t p)
{
	for (uint32_t s = 0; s < SERIALS; s++)
		line_end(&lines[p][s]);
}
