/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "explore/search.h"
#include "program/threads.h"
#include "report/gaps.h"
#include "report/stronger.h"

void say(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->at, text->left, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < text->left) {
		text->at += n;
		text->left -= (size_t)n;
	}
}

static const char *name_of(const struct event *e)
{
	return thread_name(e->thread);
}

static bool knows(const vector *clock, unsigned of, unsigned index)
{
	return vector_get(clock, of) >= (int)index;
}

/* Returns the read's order: that of a compare-exchange depends on whether it has failed. */
static unsigned order_of_read(const struct event *e)
{
	return e->rmw == RMW_CAS && !(e->flags & F_EXCL) ? e->fail_order : e->order;
}

bool find_gap(const struct rows *rows, const unsigned *path, unsigned length, unsigned of,
	      unsigned index, struct gap *gap)
{
	for (unsigned i = 1; i < length; i++) {
		const struct event *read = &graph->event[path[i]];
		const struct event *write = &graph->event[path[i - 1]];
		unsigned last = i;

		if (read->kind != E_READ || read->rf != path[i - 1] ||
		    read->thread == write->thread)
			continue;
		while (last + 1 < length && graph->event[path[last + 1]].thread == read->thread)
			last++;
		if (knows(&graph->event[path[last]].clock, of, index))
			continue;
		gap->read = path[i];
		gap->write = path[i - 1];
		gap->releases = knows(&write->message, of, index);
		gap->acquires = order_of_read(read) & O_ACQUIRE;
		return shown(rows, gap->write) && shown(rows, gap->read);
	}
	return false;
}

enum { RELEASE = 1, ACQUIRE = 2 };

/* Whether the pair would be ordered, or the read forbidden, with these orders at the gap. */
static bool would_help(const struct gap *gap, const struct pair *pair, unsigned orders)
{
	struct change change = { 0 };
	bool ordered;

	if (orders & RELEASE) {
		change.more[change.nr].event = gap->write;
		change.more[change.nr++].order = O_RELEASE;
	}
	if (orders & ACQUIRE) {
		change.more[change.nr].event = gap->read;
		change.more[change.nr++].order = O_ACQUIRE;
	}
	return !stronger_allows(&change, pair->thread, pair->of, pair->index, &ordered) ||
	       (ordered && !pair->is_read);
}

void say_remedy(struct text *text, const struct rows *rows, const struct gap *gap,
		const struct pair *pair)
{
	unsigned write = shown(rows, gap->write), read = shown(rows, gap->read);
	const char *then = pair->is_read ? "this read would be forbidden" :
		"the first would happen before the second";

	if (would_help(gap, pair, RELEASE))
		say(text, " With release at #%u %s.", write, then);
	else if (would_help(gap, pair, ACQUIRE))
		say(text, " With acquire at #%u %s.", read, then);
	else if (would_help(gap, pair, RELEASE | ACQUIRE))
		say(text, " With release at #%u and acquire at #%u %s.", write, read, then);
}

void say_gap(struct text *text, const struct rows *rows, const struct gap *gap)
{
	const struct event *write = &graph->event[gap->write], *read = &graph->event[gap->read];
	unsigned w = shown(rows, gap->write), r = shown(rows, gap->read);

	say(text, "%s has read #%u at #%u, but ", name_of(read), w, r);
	if (read->flags & F_KERNEL)
		say(text, "that was the kernel, and orders nothing for the program.");
	else if (!gap->releases && gap->acquires)
		say(text, "#%u is %s: it does not publish what %s has done before.", w,
		    order_name(write->order), name_of(write));
	else if (gap->releases && !gap->acquires)
		say(text, "#%u is %s: it does not bring with it what #%u publishes.", r,
		    order_name(order_of_read(read)), w);
	else
		say(text,
		    "#%u is %s and #%u is %s: the write does not publish what %s has done before, "
		    "and the read would not bring it.",
		    w, order_name(write->order), r, order_name(order_of_read(read)),
		    name_of(write));
}
