/* SPDX-License-Identifier: MIT */
/* Builds execution graphs, and cuts them back. */
#include <stddef.h>
#include <string.h>

#include "graph/graph.h"

bool stores_continue;

void graph_clear(struct graph *g, const struct location *locations)
{
	memset(g, 0, offsetof(struct graph, event_of));
	g->locations = locations;
	memset(g->head, 0, sizeof(g->head));
	memset(&g->event[0], 0, sizeof(g->event[0]));
	g->n = 1;
}

/* Sets what the thread knows before @e. */
static void inherit(struct graph *g, struct event *e)
{
	const struct event *pred = pred_of(g, e);

	if (pred) {
		e->clock = pred->clock;
		e->prefix = pred->prefix;
		e->pending = pred->pending;
		e->release_fence = pred->release_fence;
	} else {
		const struct event *creator = &g->event[g->creator[e->thread]];

		e->clock = creator->clock;
		e->prefix = creator->prefix;
		e->pending = (vector){ 0 };
		e->release_fence = 0;
	}
	vector_set(&e->clock, e->thread, e->index);
	vector_set(&e->prefix, e->thread, e->index);
}

struct event *graph_append(struct graph *g, unsigned thread, enum kind kind)
{
	struct event *e;

	if (g->n >= MAX_EVENTS)
		return NULL;
	e = &g->event[g->n];
	/* What is read of the rest is set by graph_compute(). */
	memset(e, 0, offsetof(struct event, clock));
	e->kind = kind;
	e->thread = (uint8_t)thread;
	e->index = ++g->count[thread];
	g->event_of[thread][e->index - 1] = (uint16_t)g->n++;
	return e;
}

static void compute_read(struct graph *g, struct event *e)
{
	const struct event *w = &g->event[e->rf];
	uint8_t order = e->order;

	e->value = value_of(g, e->rf, e->location);
	vector_join(&e->prefix, &w->prefix);
	e->flags &= (uint16_t)~F_EXCL;
	if (e->rmw != RMW_NONE && (e->rmw != RMW_CAS || e->value == e->expected))
		e->flags |= F_EXCL;
	else if (e->rmw == RMW_CAS)
		order = e->fail_order;
	if (e->flags & F_KERNEL)
		return;
	vector_join(&e->pending, &w->message);
	if (order & O_ACQUIRE)
		vector_join(&e->clock, &w->message);
}

/* C11: @e continues the release sequence of its thread's last release store to its location. */
static void continue_release(const struct graph *g, struct event *e)
{
	for (unsigned i = e->index - 1u; i > 0; i--) {
		const struct event *w = &g->event[g->event_of[e->thread][i - 1]];

		if (w->kind == E_WRITE && w->location == e->location &&
		    (w->order & (O_RELEASE | O_PLAIN)) == O_RELEASE) {
			vector_join(&e->message, &w->clock);
			return;
		}
	}
}

/*
 * A release sequence is a write and the read-modify-writes that follow it one by one. This is the
 * definition of C++20. In C11, later writes of the same thread belong to it, too.
 */
static void compute_write(struct graph *g, struct event *e)
{
	e->message = (vector){ 0 };
	if (e->order & O_PLAIN)
		return;
	if ((e->order & O_RELEASE) || (e->flags & F_KERNEL))
		e->message = e->clock;
	else if (e->release_fence)
		e->message = g->event[e->release_fence].clock;
	if (stores_continue)
		continue_release(g, e);
	if (e->flags & F_EXCL)
		vector_join(&e->message, &g->event[pred_of(g, e)->rf].message);
}

static void compute_fence(struct graph *g, struct event *e)
{
	if (e->order & O_ACQUIRE)
		vector_join(&e->clock, &e->pending);
	if (e->order & O_RELEASE)
		e->release_fence = (uint16_t)number_of(g, e);
}

void graph_compute(struct graph *g, struct event *e)
{
	inherit(g, e);
	if (e->kind == E_READ)
		compute_read(g, e);
	else if (e->kind == E_WRITE)
		compute_write(g, e);
	else if (e->kind == E_FENCE)
		compute_fence(g, e);
}

static bool is_sc(const struct event *e)
{
	return (e->order & O_SC) || (is_access(e) && (e->fail_order & O_SC));
}

static void list_fence(struct graph *g, struct event *e)
{
	if (!is_sc(e))
		return;
	e->loc_prev = (uint16_t)g->last_sc_fence;
	g->last_sc_fence = number_of(g, e);
	g->nr_sc_fences++;
}

static void unlist_fence(struct graph *g, const struct event *e)
{
	if (!is_sc(e))
		return;
	g->last_sc_fence = e->loc_prev;
	g->nr_sc_fences--;
}

void graph_list(struct graph *g, struct event *e)
{
	if (is_access(e)) {
		struct head *head = &g->head[e->location];

		e->loc_prev = head->last;
		head->last = (uint16_t)number_of(g, e);
		g->nr_sc_accesses += is_sc(e);
	} else if (e->kind == E_CREATE) {
		g->creator[e->value] = (uint16_t)number_of(g, e);
	} else if (e->kind == E_FENCE) {
		list_fence(g, e);
		g->nr_barriers += !!(e->flags & (F_LIGHT | F_HEAVY));
	}
}

static void unlist(struct graph *g, struct event *e)
{
	if (is_access(e)) {
		g->head[e->location].last = e->loc_prev;
		g->nr_sc_accesses -= is_sc(e);
	} else if (e->kind == E_CREATE) {
		g->creator[e->value] = 0;
	} else if (e->kind == E_FENCE) {
		unlist_fence(g, e);
		g->nr_barriers -= !!(e->flags & (F_LIGHT | F_HEAVY));
	}
}

void graph_co_insert(struct graph *g, struct event *e, unsigned after)
{
	struct head *head = &g->head[e->location];
	unsigned number = number_of(g, e), next = co_next_of(g, after, e->location);

	e->co_prev = (uint16_t)after;
	e->co_next = (uint16_t)next;
	if (after)
		g->event[after].co_next = (uint16_t)number;
	else
		head->co_first = (uint16_t)number;
	if (next)
		g->event[next].co_prev = (uint16_t)number;
	else
		head->co_last = (uint16_t)number;
	e->pos = (uint16_t)(g->event[after].pos + 1);
	for (unsigned pos = e->pos; next && g->event[next].pos <= pos;
	     next = g->event[next].co_next)
		g->event[next].pos = (uint16_t)++pos;
}

void graph_co_unlink(struct graph *g, struct event *e)
{
	struct head *head = &g->head[e->location];

	if (e->co_prev)
		g->event[e->co_prev].co_next = e->co_next;
	else
		head->co_first = e->co_next;
	if (e->co_next)
		g->event[e->co_next].co_prev = e->co_prev;
	else
		head->co_last = e->co_prev;
}

static void drop(struct graph *g, struct event *e)
{
	if (e->kind == E_WRITE)
		graph_co_unlink(g, e);
	unlist(g, e);
	g->count[e->thread]--;
}

void graph_cut(struct graph *g, unsigned last)
{
	while (g->n > last + 1)
		drop(g, &g->event[--g->n]);
}
