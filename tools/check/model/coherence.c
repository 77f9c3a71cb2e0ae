/* SPDX-License-Identifier: MIT */
/*
 * Coherence: which writes a read may read, and where a write may stand in co, as far as
 * happens-before decides.
 *
 * An event that is being added (or a read that a revisit changes) is the last of its thread.
 * Nothing happens after it, so only what happens before it counts. Let W be the newest write, in
 * co, that the event's past has read or written. A read may read no write before W, and a write may
 * not stand before W.
 */
#include "graph/values.h"
#include "model/coherence.h"

unsigned coherence_floor(const struct graph *g, unsigned location, const vector *clock)
{
	unsigned floor = 0, newest = g->event[g->head[location].co_last].pos;

	for (unsigned i = g->head[location].last; i && floor < newest; i = g->event[i].loc_prev) {
		const struct event *e = &g->event[i];

		if (vector_has(clock, e) && co_pos(g, e) > floor)
			floor = co_pos(g, e);
	}
	return floor;
}

/*
 * The kernel compares a futex word and enqueues the waiter under one lock. So the comparison has
 * seen everything that earlier wakers wrote before they woke. @e is the enqueueing, and the
 * comparison is the event before @e. The message of a wake is what its thread, and the wakers
 * before it, had written.
 */
static bool comparison_saw_wakes(struct graph *g, const struct event *e)
{
	const struct event *compare = pred_of(g, e);
	const vector *wakes = &g->event[e->rf].message;

	if (!e->rf)
		return true;
	return coherence_floor(g, compare->location, wakes) <= co_pos(g, compare);
}

bool kernel_allows(struct graph *g, const struct event *e)
{
	return e->rmw != RMW_WAIT || comparison_saw_wakes(g, e);
}

/*
 * Two read-modify-writes may not read one write. But @e may read @write although another
 * read-modify-write has read it, if that other one can be changed to read what @e writes. Then only
 * this change is explored.
 */
static bool may_contend(struct graph *g, const struct event *e, unsigned write)
{
	unsigned next = co_next_of(g, write, e->location);
	const struct event *other = pred_of(g, &g->event[next]);

	return !vector_has(&e->prefix, other);
}

static bool would_write(const struct graph *g, const struct event *e, unsigned write)
{
	return e->rmw != RMW_NONE &&
	       (e->rmw != RMW_CAS || value_of(g, write, e->location) == e->expected);
}

/* Whether the read @e of a lock skips @write: @write takes the lock, and a later write frees it. */
static bool lock_passes(const struct graph *g, const struct event *e, unsigned write)
{
	return (e->flags & F_MUTEX) && write != g->head[e->location].co_last &&
	       lock_is_held(value_of(g, write, e->location));
}

unsigned read_candidates(struct graph *g, struct event *e, bool contends, uint16_t *out)
{
	const struct event *origin = origin_of(g, e);
	unsigned floor = coherence_floor(g, e->location, &origin->clock);
	unsigned w = g->head[e->location].co_last, nr = 0;

	e->prefix = origin->prefix;
	for (;; w = g->event[w].co_prev) {
		if (g->event[w].pos < floor)
			break;
		e->rf = (uint16_t)w;
		if (kernel_allows(g, e) && !(contends && lock_passes(g, e, w)) &&
		    !(would_write(g, e, w) && co_closed(g, w, e->location) &&
		      !(contends && may_contend(g, e, w))))
			out[nr++] = (uint16_t)w;
		if (!w || (e->flags & F_AWAIT))
			break;
	}
	return nr;
}

unsigned write_candidates(struct graph *g, struct event *e, unsigned floor, uint16_t *out)
{
	unsigned w = g->head[e->location].co_last, nr = 0;
	unsigned least = coherence_floor(g, e->location, &e->clock);

	if (floor < least)
		floor = least;
	for (;; w = g->event[w].co_prev) {
		if (g->event[w].pos < floor)
			break;
		if (!co_closed(g, w, e->location))
			out[nr++] = (uint16_t)w;
		if (!w)
			break;
	}
	return nr;
}
