/* SPDX-License-Identifier: MIT */
/* The relations of an execution that the chosen paths alone decide. */
#include "search/search.h"

static void add_dependency(struct matrix *m, event_set on, unsigned event)
{
	for (; on; on &= on - 1)
		matrix_add(m, set_first(on), event);
}

/* Returns the reads of the same operation as the write @event, by index in the path. */
static event_set reads_of(const struct path_event *event, const struct path_event *of_thread)
{
	const struct path_event *read = &of_thread[event->rmw];

	return ((1ull << read->parts) - 1) << read->first;
}

static void relate_threads(struct searching *s)
{
	struct execution *x = &s->x;
	struct matrix *relation = x->facts.relation;

	for (unsigned i = 0; i < x->n; i++) {
		const struct path_event *event = &x->event[i];
		unsigned base = x->thread[i] < 0 ? 0 : s->base[x->thread[i]];
		/*
		 * Within one instruction the dependency of the data on the instruction's own read
		 * does not count. A dependency between LDXR and STXR counts, and so does one in C.
		 */
		bool one = !test_is_c(s->test) && event->rmw >= 0 &&
			event->from == x->event[base + (unsigned)event->rmw].from;
		event_set own = one ? event->data & reads_of(event, &x->event[base]) : 0;

		add_dependency(&relation[BASE_ADDR], event->addr << base, i);
		add_dependency(&relation[BASE_DATA], (event->data & ~own) << base, i);
		add_dependency(&relation[BASE_CTRL], event->ctrl << base, i);
		add_dependency(&relation[BASE_PICK_ADDR], event->pick_addr << base, i);
		add_dependency(&relation[BASE_PICK_DATA], event->pick_data << base, i);
		add_dependency(&relation[BASE_PICK_CTRL], event->pick_ctrl << base, i);
		add_dependency(&relation[BASE_RMW_DATA], own << base, i);
		if (event->rmw >= 0)
			matrix_add(&relation[BASE_RMW], base + (unsigned)event->rmw, i);
		s->needs[i] = event->kind == EVENT_WRITE && event->value ?
			event->value->needs << base : 0;
		matrix_add(&relation[BASE_ID], i, i);
	}
}

static bool has_location(const struct path_event *event)
{
	return event->kind != EVENT_FENCE || event->located;
}

/* Whether two events are parts of one access. */
static bool is_one_access(const struct path_event *a, const struct path_event *b)
{
	return a->parts > 1 && b->parts > 1 && a->first == b->first;
}

static void relate_pairs(struct searching *s)
{
	struct execution *x = &s->x;
	struct matrix *relation = x->facts.relation;

	for (unsigned i = 0; i < x->n; i++)
		for (unsigned j = 0; j < x->n; j++) {
			bool same = x->thread[i] >= 0 && x->thread[i] == x->thread[j];

			matrix_add(&relation[same || i == j ? BASE_INT : BASE_EXT], i, j);
			if (same && i < j && x->event[i].begin != x->event[j].begin)
				matrix_add(&relation[BASE_PO], i, j);
			else if (same && i != j && is_one_access(&x->event[i], &x->event[j]))
				matrix_add(&relation[BASE_SAME_ACCESS], i, j);
			if (!has_location(&x->event[i]) || !has_location(&x->event[j]) ||
			    x->event[i].cell != x->event[j].cell)
				continue;
			matrix_add(&relation[BASE_LOC], i, j);
			if (x->thread[i] < 0 && i != j && x->event[j].kind == EVENT_WRITE)
				matrix_add(&relation[BASE_CO], i, j);
		}
}

void search_relate(struct searching *s)
{
	relate_threads(s);
	relate_pairs(s);
}
