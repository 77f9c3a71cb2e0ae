/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "path/walk.h"

#define MAX_BACK	16	/* earlier arrivals that are compared */
#define MAX_WINDOW	4	/* reads that a turn may repeat */

/*
 * Events that are not cut out. Of RCU, sections are, if the interval has them whole; a model may name
 * these by brackets(), which then pairs the others as before.
 */
#define KEPT (BIT(TAG_UNLOCK) | (TAGS_RCU & ~(BIT(TAG_RCU_LOCK) | BIT(TAG_RCU_UNLOCK))))

static bool is_kept(const struct path_event *event)
{
	return event->kind == EVENT_WRITE || event->tags & KEPT;
}

/* Returns the first event behind the last one that is not cut out. */
static unsigned clean_from(const struct walk *walk)
{
	unsigned i = walk->nr;

	while (i > 0 && !is_kept(&walk->event[i - 1]))
		i--;
	return i;
}

static bool has_whole_sections(const struct walk *walk, unsigned from, unsigned to)
{
	int depth = 0;

	for (unsigned i = from; i < to && depth >= 0; i++) {
		depth += (walk->event[i].tags & BIT(TAG_RCU_LOCK)) != 0;
		depth -= (walk->event[i].tags & BIT(TAG_RCU_UNLOCK)) != 0;
	}
	return !depth;
}

static bool same_arms(const struct walk *walk, const struct arrival *arrival,
		      const struct window *window)
{
	if (arrival->nr_arms != walk->nr_arms)
		return false;
	for (unsigned i = 0; i < walk->nr_arms; i++)
		if (!same_within(window, arrival->arm[i][0], walk->arm[i][0]) ||
		    !same_within(window, arrival->arm[i][1], walk->arm[i][1]))
			return false;
	return same_within(window, arrival->ctrl, walk->ctrl) &&
		same_within(window, arrival->pick_ctrl, walk->pick_ctrl);
}

static bool same_reserved(const struct walk *walk, const struct arrival *arrival,
			  const struct window *window)
{
	int reserved = arrival->reserved;

	if (reserved >= (int)window->from)
		reserved += (int)window->by;
	return reserved == walk->reserved;
}

static bool same_registers(const struct walk *walk, const struct arrival *arrival,
			   const struct window *window)
{
	const struct live *live = &walk->loops->live[arrival->pc];

	for (unsigned i = 0; i < walk->test->thread[walk->thread].nr_registers; i++)
		if (live_has(live, i) && !same_expr(window, arrival->reg[i], walk->reg[i]))
			return false;
	return !live_has(live, LIVE_RESERVED) || same_reserved(walk, arrival, window);
}

static bool same_events(const struct walk *walk, const struct arrival *arrival,
			const struct window *window)
{
	for (unsigned i = window->from; i < arrival->nr; i++)
		if (!same_event(window, &walk->event[i], &walk->event[i + window->by]))
			return false;
	return true;
}

/* Whether a decision of before the first arrival was taken again after it, and in the same way. */
static bool decided_again(const struct walk *walk, const struct arrival *arrival,
			  const struct window *window, const struct constraint *c)
{
	for (unsigned i = arrival->nr_constraints; i < walk->nr_constraints; i++)
		if (walk->constraint[i].holds == c->holds &&
		    same_expr(window, c->expr, walk->constraint[i].expr))
			return true;
	return false;
}

static bool same_decisions(const struct walk *walk, const struct arrival *arrival,
			   const struct window *window)
{
	for (unsigned i = 0; i < arrival->nr_constraints; i++)
		if (walk->constraint[i].expr->needs >> window->from && !walk->constraint[i].either &&
		    !decided_again(walk, arrival, window, &walk->constraint[i]))
			return false;
	return true;
}

/* Whether the event begins an access. */
static bool is_begin(const struct walk *walk, unsigned i)
{
	return i == walk->nr || !walk->event[i].parts || walk->event[i].first == i;
}

static bool is_same(const struct walk *walk, const struct arrival *arrival, unsigned from)
{
	struct window window = { from, walk->nr - arrival->nr };

	return is_begin(walk, from) && has_whole_sections(walk, from, from + window.by) &&
		same_arms(walk, arrival, &window) && same_registers(walk, arrival, &window) &&
		same_events(walk, arrival, &window) && same_decisions(walk, arrival, &window);
}

static bool idle_since(const struct walk *walk, const struct arrival *arrival, unsigned clean,
		       struct idle *idle)
{
	unsigned window = 0, by = walk->nr - arrival->nr;

	for (; window <= MAX_WINDOW && window <= by && window + clean <= arrival->nr; window++)
		if (is_same(walk, arrival, arrival->nr - window)) {
			*idle = (struct idle) { arrival, arrival->nr - window };
			return true;
		}
	return false;
}

bool loops_idle(const struct walk *walk, unsigned pc, struct idle *idle)
{
	unsigned clean = clean_from(walk), back = 0;
	const struct arrival *arrival = walk->arrival;

	for (; arrival && arrival->nr >= clean && back < MAX_BACK; arrival = arrival->before) {
		if (arrival->pc != pc)
			continue;
		if (idle_since(walk, arrival, clean, idle))
			return true;
		back++;
	}
	return false;
}

static const void *kept_copy(struct walk *walk, const void *from, size_t size)
{
	return size ? memcpy(arena_alloc(walk->test->arena, size), from, size) : NULL;
}

void loops_arrive(struct walk *walk)
{
	struct arrival *arrival = arena_alloc(walk->test->arena, sizeof(*arrival));
	unsigned nr_registers = walk->test->thread[walk->thread].nr_registers;

	*arrival = (struct arrival) {
		.before = walk->arrival, .pc = walk->pc, .nr = walk->nr,
		.nr_constraints = walk->nr_constraints, .nr_arms = walk->nr_arms,
		.chances = walk->chances, .ctrl = walk->ctrl, .pick_ctrl = walk->pick_ctrl,
		.reserved = walk->reserved,
		.arm = kept_copy(walk, walk->arm, walk->nr_arms * sizeof(walk->arm[0])),
		.reg = kept_copy(walk, walk->reg, nr_registers * sizeof(walk->reg[0])),
	};
	walk->arrival = arrival;
}
