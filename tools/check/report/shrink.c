/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explore/strategy.h"
#include "program/fault.h"
#include "program/locations.h"
#include "report/minimise.h"
#include "report/report.h"

bool is_shorter(const struct measure *a, const struct measure *b)
{
	if (a->threads != b->threads)
		return a->threads < b->threads;
	if (a->events != b->events)
		return a->events < b->events;
	return a->old_reads < b->old_reads;
}

/* ---- what a fault needs */

static void need_all(vector *all)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		vector_set(all, t, graph->count[t]);
}

/* Joins what comes before the thread's event @index, and this event. */
static void need(vector *all, unsigned thread, unsigned index)
{
	if (index > graph->count[thread])
		index = graph->count[thread];
	vector_join(all, index ? &graph->event[graph->event_of[thread][index - 1]].prefix :
		    &graph->event[graph->creator[thread]].prefix);
}

/*
 * Joins the events that a fault by a thread needs: before its last event, and before the other
 * access. Where threads wait for ever, or the end is judged, that is all of them.
 */
static void need_for(vector *all, const struct fault *f)
{
	unsigned other = f->other_clock;

	if (f->waits || f->by >= MAX_THREADS) {
		need_all(all);
		return;
	}
	need(all, f->by, graph->count[f->by]);
	if (other && (other > graph->count[f->other_by] ||
		      graph->event[graph->event_of[f->other_by][other - 1]].pc != f->other_pc))
		other--;	/* the access is a plain one, before that event */
	if (f->other_clock)
		need(all, f->other_by, other);
}

static bool is_old(const struct event *e, const vector *all)
{
	unsigned newer = e->kind == E_READ && !(e->flags & F_EXCL) && locations[e->location].size ?
		co_next_of(graph, e->rf, e->location) : 0;

	return newer && vector_has(all, &graph->event[newer]);
}

struct measure measure_now(void)
{
	vector all = { 0 };
	struct measure m = { 0 };

	need_for(&all, &fault);
	for (unsigned t = 0; t < MAX_THREADS; t++)
		m.threads += vector_get(&all, t) > 0 || t == fault.by ||
			     (fault.other_clock && t == fault.other_by);
	for (unsigned i = 1; i < graph->n; i++) {
		const struct event *e = &graph->event[i];

		m.events += vector_has(&all, e) && event_is_shown(e);
		m.old_reads += vector_has(&all, e) && is_old(e, &all);
	}
	return m;
}

/* ---- which faults are the same */

/* Whether the texts are alike up to the first colon. Numbers in them do not count. */
static bool is_same_kind(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (isdigit((unsigned char)*a))
			a++;
		while (isdigit((unsigned char)*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a || *a == ':')
			return true;
	}
}

bool is_same_fault(const struct fault *a, const struct fault *b)
{
	if (a->waits != b->waits || !is_same_kind(a->text, b->text))
		return false;
	return (a->pc == b->pc && a->other_pc == b->other_pc) ||
	       (a->pc == b->other_pc && a->other_pc == b->pc);
}

/* ---- running it again */

static unsigned last_thread;	/* the thread that does the fault */

static unsigned shrink_pick(unsigned current, uint32_t runnable)
{
	(void)current;
	return last_thread < MAX_THREADS && (runnable >> last_thread & 1) ? last_thread :
		(unsigned)__builtin_ctz(runnable);
}

static void newest_access(struct event *e, const uint16_t *candidates, unsigned nr)
{
	(void)e;
	(void)candidates;
	(void)nr;
}

static void first_choice(struct event *e)
{
	(void)e;
}

static const struct strategy strategy_again = {
	.counted = "", .extent = "", .pick = shrink_pick,
	.read = newest_access, .write = newest_access, .choice = first_choice,
};

/* Runs the part @all of the graph. Returns whether the run comes to the fault @wanted. */
static bool comes_to(const struct graph *of, const vector *all, const struct fault *wanted)
{
	static struct graph part;
	enum ran ran = RAN_ANEW;

	for (unsigned tries = 0; ran == RAN_ANEW && tries < 4; tries++) {
		graph_copy_part(of, &part, all);
		graph = &part;
		result.why = NULL;
		ran = search.run();
	}
	return ran == RAN_INTO_FAULT && is_same_fault(&fault, wanted);
}

bool shrink(const struct graph *of, const struct fault *wanted)
{
	const struct search kept = search;
	vector all = { 0 }, part = { 0 };
	bool found;

	graph = (struct graph *)of;
	need_all(&all);
	need_for(&part, wanted);
	last_thread = wanted->by;
	search.strategy = &strategy_again;
	search.max_seconds = 0;
	found = comes_to(of, &part, wanted) || comes_to(of, &all, wanted);
	search = kept;
	return found;
}
