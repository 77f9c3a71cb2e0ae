/* SPDX-License-Identifier: MIT */
/*
 * Revisits: an earlier read now reads a new write.
 *
 * The graph is cut back to that read and to what the write depends on, and grows on from there. A
 * revisit is made only if every event that is cut away is as it was when it was added: a read
 * reads the last write in co, a write is the last in co. So each graph is reached in one way
 * only. The other alternatives still need the old graph, so a revisit works on a copy, in a frame
 * of its own.
 *
 * A read-modify-write is a read and a write that follow each other, and two of them may not read
 * one write. If a second one would, its read is only noted (read_candidates()). The search takes
 * up this read when the first one's read is changed to read what the second one writes: the two
 * contend.
 */
#include "explore/alternatives.h"
#include "graph/values.h"
#include "model/coherence.h"

/*
 * Whether @e would have this form if it were added now, after only the older events and the
 * prefix of @a: the last write in co, or a read of the last write.
 */
static bool is_newest(const struct graph *g, const struct event *e, const struct event *a)
{
	unsigned number = number_of(g, e), last = e->kind == E_READ ? e->rf : number;

	if (e->kind == E_CHOICE)
		return e->value == 0;
	if (!is_access(e))
		return true;
	if (e->kind == E_READ && last > number && !vector_has(&a->prefix, &g->event[last]))
		return false;
	for (unsigned w = co_next_of(g, last, e->location); w; w = g->event[w].co_next)
		if (w != number_of(g, a) &&
		    (w < number || vector_has(&a->prefix, &g->event[w])))
			return false;
	if (e->kind == E_READ)
		return true;
	for (unsigned i = g->head[e->location].last; i; i = g->event[i].loc_prev)
		if (i < number && g->event[i].kind == E_READ && g->event[i].rf == number)
			return false;
	return true;
}

static bool may_change(const struct graph *g, const struct event *e, const struct event *a)
{
	return !(e->flags & F_KEPT) && is_newest(g, e, a);
}

static bool may_revisit(const struct graph *g, const struct event *r, const struct event *a)
{
	unsigned first = number_of(g, r), end = number_of(g, a);

	if (!may_change(g, r, a))
		return false;
	for (unsigned i = first + 1; i < end; i++)
		if (!vector_has(&a->prefix, &g->event[i]) && !may_change(g, &g->event[i], a))
			return false;
	return true;
}

/* Whether @r is the read of a lock that is held if @r reads what @a writes. */
static bool waits_then(const struct event *r, const struct event *a)
{
	return (r->flags & F_MUTEX) && lock_is_held(a->value);
}

void note_revisits(struct graph *g, const struct event *a)
{
	for (unsigned i = g->head[a->location].last; i; i = g->event[i].loc_prev) {
		const struct event *r = &g->event[i];

		if (r->kind == E_READ && !vector_has(&a->prefix, r) && !waits_then(r, a) &&
		    may_revisit(g, r, a))
			note(top(), ALT_REVISIT, number_of(g, a), i);
	}
}

void revisit(struct graph *old, unsigned a, unsigned r)
{
	struct frame *frame = push_frame();
	struct graph *g = &frame->graph;
	uint16_t places[MAX_EVENTS];
	struct event *read, *write;
	unsigned nr, floor;

	a = graph_copy_for(old, g, r, a);
	read = &g->event[r];
	write = &g->event[a];
	read->rf = (uint16_t)a;
	graph_compute(g, read);
	/* A write that @r has seen must not be newer than the write that @r reads now. */
	floor = coherence_floor(g, read->location, &origin_of(g, read)->clock);
	if (!kernel_allows(g, read))
		return;
	graph_co_unlink(g, write);
	write->pos = 0;		/* its own clock has the write: an old pos would be a floor */
	if (write->flags & F_EXCL) {
		unsigned place = pred_of(g, write)->rf;

		graph_co_insert(g, write, place);
		if (g->event[place].pos >= floor && !co_closed(g, a, write->location))
			note_with(frame, ALT_WRITE, a, place, r);
		return;
	}
	nr = write_candidates(g, write, floor, places);
	graph_co_insert(g, write, g->head[write->location].co_last);
	while (nr)
		note_with(frame, ALT_WRITE, a, places[--nr], r);
}

/*
 * Makes a frame in which the thread of @a has the lock, and the thread of @r has yet to get it. The
 * read @r is not in the graph, so no read shows that @a was first. Instead @a and all events that
 * it depends on get F_KEPT. (Where a read reads a later write, is_newest() keeps what that write
 * depends on.)
 */
static void take_first(struct graph *old, unsigned a, unsigned r)
{
	struct frame *frame = push_frame();
	struct graph *g = &frame->graph;
	unsigned place;

	a = graph_copy_for(old, g, r - 1, a);
	place = pred_of(g, &g->event[a])->rf;
	for (unsigned i = 1; i <= a; i++)
		if (vector_has(&g->event[a].prefix, &g->event[i]))
			g->event[i].flags |= F_KEPT;
	note(frame, ALT_WRITE, a, place);
}

void contend(struct graph *g, struct event *e)
{
	unsigned next = co_next_of(g, e->rf, e->location);
	const struct event *other = pred_of(g, &g->event[next]);
	struct event *write = graph_append(g, e->thread, E_WRITE);

	if (!write || !model_has_room(g)) {
		search_undecided(write ? FENCES_ARE_FULL : GRAPH_IS_FULL);
		return;
	}
	write->location = e->location;
	write->order = e->order & (O_RELEASE | O_SC);
	write->flags = F_EXCL | (e->flags & F_KERNEL);
	write->pc = e->pc;
	write->value = rmw_value(e->rmw, e->value, e->operand, g->locations[e->location].size);
	graph_compute(g, write);
	graph_list(g, write);
	graph_co_insert(g, write, g->head[e->location].co_last);
	/* Either @other reads @write, or an earlier read does, and @other comes after that read. */
	for (unsigned i = write->loc_prev; i; i = g->event[i].loc_prev)
		if (i <= number_of(g, other) && g->event[i].kind == E_READ &&
		    !vector_has(&write->prefix, &g->event[i]) &&
		    may_revisit(g, &g->event[i], write)) {
			if (!waits_then(&g->event[i], write))
				revisit(g, number_of(g, write), i);
			else if (i == number_of(g, other))
				take_first(g, number_of(g, write), i);
		}
}

/*
 * The read @e is about to be dropped: read-modify-writes have read all the writes that @e may
 * read. Its thread cannot go on in this graph, but @e may contend.
 */
void note_contender(const struct event *e, const uint16_t *candidates, unsigned nr)
{
	struct frame *frame = top();
	unsigned kept = keep_read(frame, e);

	for (unsigned i = 0; i < nr; i++)
		note_with(frame, ALT_CONTEND, number_of(graph, e) - 1, candidates[i], kept);
}
