/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "path/walk.h"

#define MAX_BACK	16	/* earlier arrivals that are compared */
#define MAX_WINDOW	4	/* reads that a turn may repeat */

/*
 * Whether the event is never cut out. The ends of an RCU section can be cut out, if the interval
 * has the whole section: a model that pairs such ends by brackets() pairs the ends of other
 * sections as before.
 */
#define KEPT (BIT(TAG_UNLOCK) | (TAGS_RCU & ~(BIT(TAG_RCU_LOCK) | BIT(TAG_RCU_UNLOCK))))

static bool is_kept(const struct path_event *event)
{
	return event->kind == EVENT_WRITE || event->tags & KEPT;
}

/* Returns the first event that comes after all events that are not cut out. */
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

/* Whether a decision from before the first arrival was made again after it, in the same way. */
static bool decided_again(const struct walk *walk, const struct arrival *arrival,
			  const struct window *window, const struct constraint *c)
{
	for (unsigned i = arrival->nr_constraints; i < walk->nr_constraints; i++)
		if (walk->constraint[i].holds == c->holds &&
		    same_expr(window, c->expr, walk->constraint[i].expr))
			return true;
	return false;
}

/*
 * Returns how many decisions from before the first arrival were not made again; the last of these
 * goes to *@one.
 */
static unsigned decided_once(const struct walk *walk, const struct arrival *arrival,
			     const struct window *window, const struct constraint **one)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < arrival->nr_constraints; i++) {
		const struct constraint *c = &walk->constraint[i];

		if (!(c->expr->needs >> window->from) || c->either ||
		    decided_again(walk, arrival, window, c))
			continue;
		*one = c;
		nr++;
	}
	return nr;
}

/* Whether the event begins an access. */
static bool is_begin(const struct walk *walk, unsigned i)
{
	return i == walk->nr || !walk->event[i].parts || walk->event[i].first == i;
}

/* Whether the walk is in the same state as before, except for its decisions. */
static bool is_same(const struct walk *walk, const struct arrival *arrival,
		    const struct window *window)
{
	return is_begin(walk, window->from) &&
		has_whole_sections(walk, window->from, window->from + window->by) &&
		same_arms(walk, arrival, window) && same_registers(walk, arrival, window) &&
		same_events(walk, arrival, window);
}

/* Intervals that could be cut out if one decision were different. */
struct almost {
	unsigned nr;
	struct {
		struct window window;
		const struct constraint *but;
	} of[MAX_BACK];
};

static bool idle_since(const struct walk *walk, const struct arrival *arrival, unsigned clean,
		       struct idle *idle, struct almost *almost)
{
	unsigned size = 0, by = walk->nr - arrival->nr;

	for (; size <= MAX_WINDOW && size <= by && size + clean <= arrival->nr; size++) {
		struct window window = { arrival->nr - size, by };
		const struct constraint *but;
		unsigned nr = is_same(walk, arrival, &window) ?
			decided_once(walk, arrival, &window, &but) : 2;

		if (!nr) {
			*idle = (struct idle) { arrival, window.from, false };
			return true;
		}
		if (nr == 1 && almost->nr < MAX_BACK) {
			almost->of[almost->nr].window = window;
			almost->of[almost->nr++].but = but;
		}
	}
	return false;
}

static bool any_decides(const struct almost *almost)
{
	for (unsigned i = 0; i < almost->nr; i++)
		for (unsigned j = 0; j < i; j++)
			if (same_or_other(&almost->of[j].window, almost->of[j].but->expr,
					  &almost->of[i].window, almost->of[i].but->expr) &&
			    !almost->of[j].but->holds && !almost->of[i].but->holds)
				return true;
	return false;
}

bool loops_idle(const struct walk *walk, unsigned pc, struct idle *idle)
{
	unsigned clean = clean_from(walk), back = 0;
	const struct arrival *arrival = walk->arrival;
	struct almost almost = { .nr = 0 };

	for (; arrival && arrival->nr >= clean && back < MAX_BACK; arrival = arrival->before) {
		if (arrival->pc != pc)
			continue;
		if (idle_since(walk, arrival, clean, idle, &almost))
			return true;
		back++;
	}
	if (!any_decides(&almost))
		return false;
	*idle = (struct idle) { .ends = true };
	return true;
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
