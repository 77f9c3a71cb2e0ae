/* SPDX-License-Identifier: MIT */
#include "explore/search.h"
#include "program/locations.h"
#include "program/names.h"
#include "report/gaps.h"
#include "report/stronger.h"
#include "report/why.h"

void why_unordered(const struct rows *rows, unsigned of, unsigned index, unsigned thread, char *out,
		   size_t size)
{
	struct text text = { out, size };
	const struct event *last = last_of(graph, thread);
	unsigned path[MOST_PATH], length = 0;
	struct gap gap;

	*out = 0;
	if (last && index && index <= graph->count[of])
		length = path_between(graph->event_of[of][index - 1], number_of(graph, last), false,
				      path);
	if (length && find_gap(rows, path, length, of, index, &gap)) {
		say_gap(&text, rows, &gap);
		say_remedy(&text, rows, &gap, &(struct pair){ thread, of, index, false });
	} else {
		say(&text,
		    "%s has read nothing that %s has written after that, "
		    "so the two can happen at the same time.",
		    thread_name(thread), thread_name(of));
	}
}

/* ---- reads of what is not the newest */

/* Lists the first and the last event of each part of the cycle that is within one thread. */
static unsigned ends_of_stays(const unsigned *path, unsigned length, unsigned *end)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < length; i++) {
		unsigned thread = graph->event[path[i]].thread;
		bool first = !i || graph->event[path[i - 1]].thread != thread;
		bool last = i + 1 == length || graph->event[path[i + 1]].thread != thread;

		if (first || last)
			end[nr++] = path[i];
	}
	return nr;
}

static void say_list(struct text *text, const struct rows *rows, const unsigned *event, unsigned nr)
{
	unsigned last = 0;

	for (unsigned i = 0; i < nr; i++) {
		unsigned number = shown(rows, event[i]);

		if (number && number != last)
			say(text, "%s#%u", !last ? "" : i + 1 == nr ? " and " : ", ", number);
		last = number ? number : last;
	}
}

/* Says what would forbid a cycle: fences between what its threads do, or seq_cst for all of it. */
static void say_cycle_remedy(struct text *text, const struct rows *rows, const unsigned *end,
			     unsigned nr)
{
	struct change fences = { 0 }, orders = { 0 };
	bool unused, by_fences, by_orders;

	for (unsigned i = 0; i < nr && i < MOST_CHANGES; i++) {
		if (i && graph->event[end[i]].thread == graph->event[end[i - 1]].thread)
			fences.fence[fences.nr_fences++] = end[i];
		orders.more[orders.nr].event = end[i];
		orders.more[orders.nr++].order = graph->event[end[i]].kind == E_WRITE ?
						 O_RELEASE | O_SC : O_ACQUIRE | O_SC;
	}
	by_fences = fences.nr_fences && !stronger_allows(&fences, 0, 0, 0, &unused);
	by_orders = !stronger_allows(&orders, 0, 0, 0, &unused);
	if (by_fences) {
		say(text, " A seq_cst fence directly before each of ");
		say_list(text, rows, fences.fence, fences.nr_fences);
	}
	if (by_orders) {
		say(text, by_fences ? ", or seq_cst for " : " With seq_cst for ");
		say_list(text, rows, end, nr);
	}
	if (by_fences || by_orders)
		say(text, by_fences ? " would forbid this." : " this would be forbidden.");
}

/*
 * Returns the row that tells of the cycle: the first read of the cycle that reads the write
 * directly before the cycle's next write. 0: there is none.
 */
static unsigned teller_of(const struct rows *rows, const unsigned *end, unsigned nr)
{
	unsigned first = 0;

	for (unsigned i = 0; i < nr; i++) {
		const struct event *e = &graph->event[end[i]];
		unsigned next = end[(i + 1) % nr], number = shown(rows, end[i]);

		if (e->kind == E_READ && !(e->flags & F_EXCL) &&
		    co_next_of(graph, e->rf, e->location) == next && number &&
		    (!first || number < first))
			first = number;
	}
	return first;
}

/* Says that no interleaving of the threads has this cycle. */
static void say_cycle(struct text *text, const struct rows *rows, const unsigned *path,
		      unsigned length)
{
	unsigned end[MOST_PATH], nr = ends_of_stays(path, length, end);
	unsigned first = teller_of(rows, end, nr), last = 0;
	unsigned read = shown(rows, end[nr - 1]);

	if (first && first < read) {
		say(text, "This is the circle that #%u tells of.", first);
		return;
	}
	say(text, "No order of running explains this: ");
	for (unsigned i = 0; i < nr; i++) {
		unsigned number = shown(rows, end[i]);

		if (last && number && number != last)
			say(text, "#%u would have to come before #%u, ", last, number);
		last = number ? number : last;
	}
	say(text, "and #%u before #%u. But a write may become visible late.", last,
	    shown(rows, end[0]));
	say_cycle_remedy(text, rows, end, nr);
}

/* How a read can have missed a newer write, the most interesting first. */
enum how { BY_GAP, BY_CYCLE, BY_CHANCE, NOT_MISSED };

struct missed {
	enum how how;
	unsigned write, length, path[MOST_PATH];
	struct gap gap;
};

static void look_at_newer(const struct rows *rows, unsigned read, unsigned newer, struct missed *m)
{
	const struct event *e = &graph->event[read], *w = &graph->event[newer];

	*m = (struct missed){ .how = NOT_MISSED, .write = newer };
	if (!shown(rows, newer) || vector_has(&w->prefix, e))
		return;
	m->length = path_between(newer, read, false, m->path);
	if (m->length && find_gap(rows, m->path, m->length, w->thread, w->index, &m->gap)) {
		m->how = BY_GAP;
		return;
	}
	m->length = path_between(newer, read, true, m->path);
	m->how = m->length ? BY_CYCLE :
		 shown(rows, newer) < shown(rows, read) ? BY_CHANCE : NOT_MISSED;
}

static void say_missed(struct text *text, const struct rows *rows, unsigned read,
		       const struct missed *m)
{
	const struct event *e = &graph->event[read], *w = &graph->event[m->write];
	char name[64];

	describe_location(e->location, name, sizeof(name));
	say(text, "#%u has stored a newer %s. ", shown(rows, m->write), name);
	if (m->how == BY_GAP) {
		say_gap(text, rows, &m->gap);
		say(text, " So #%u does not happen before this read.", shown(rows, m->write));
		say_remedy(text, rows, &m->gap,
			   &(struct pair){ e->thread, w->thread, w->index, true });
	} else if (m->how == BY_CYCLE) {
		say_cycle(text, rows, m->path, m->length);
	} else {
		say(text, "Nothing orders it before this read, which can simply have come first.");
	}
}

bool why_read(const struct rows *rows, const struct event *e, char *out, size_t size)
{
	struct text text = { out, size };
	struct missed best = { .how = NOT_MISSED }, m;

	*out = 0;
	if (!is_access(e) || e->kind != E_READ || (e->flags & F_EXCL) ||
	    !locations[e->location].size)
		return false;
	for (unsigned w = co_next_of(graph, e->rf, e->location); w; w = graph->event[w].co_next) {
		look_at_newer(rows, number_of(graph, e), w, &m);
		if (m.how < best.how)
			best = m;
	}
	if (best.how == NOT_MISSED)
		return false;
	say_missed(&text, rows, number_of(graph, e), &best);
	return true;
}
