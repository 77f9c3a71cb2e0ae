/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "explore/alternatives.h"
#include "explore/path.h"
#include "explore/progress.h"

/*
 * A graph on the path. Of its alternatives those from @first on are left, up to the next graph's
 * @base. The alternative right after these was taken, and made the next graph.
 */
struct step {
	unsigned base;		/* how many alternatives of earlier graphs are left */
	unsigned first;		/* how many of the oldest ones another process was given */
	unsigned nr;		/* how many the graph has noted */
	unsigned place;		/* progress.h */
	unsigned long begun;	/* how many graphs were run before */
	bool is_part;		/* another process has run some of the graphs from this one on */
};

bool path_wanted;
static struct step *steps;
static unsigned nr_steps, room;
static bool is_noted;

static unsigned long number_run(void)
{
	return result.executions + result.blocked + result.faulty;
}

static void push_step(unsigned place)
{
	if (nr_steps == room) {
		room = room ? 2 * room : 64;
		steps = realloc(steps, room * sizeof(*steps));
	}
	steps[nr_steps++] = (struct step){ .base = nr_items, .place = place,
					   .begun = number_run() };
	is_noted = false;
}

void path_begin(void)
{
	nr_steps = 0;
	push_step(0);
}

void path_noted(void)
{
	if (!is_noted)
		steps[nr_steps - 1].nr = nr_items - steps[nr_steps - 1].base;
	is_noted = true;
}

/* Forgets the newest graph, of which nothing is left. */
static void pop_step(void)
{
	const struct step *last = &steps[--nr_steps];

	if (!last->is_part)
		progress_learn(last->place, number_run() - last->begun);
}

void path_take(unsigned place)
{
	nr_items--;
	while (steps[nr_steps - 1].base > nr_items)
		pop_step();
	push_step(place);
}

void path_new_count(void)
{
	for (unsigned i = 0; i < nr_steps; i++)
		steps[i].is_part = true;
}

void path_drop_oldest(unsigned nr)
{
	for (unsigned i = 0; i < nr_steps; i++) {
		unsigned end = i + 1 < nr_steps ? steps[i + 1].base : nr_items + nr;
		unsigned dropped = end < nr ? end : nr;

		if (dropped > steps[i].base)
			steps[i].first += dropped - steps[i].base;
		steps[i].is_part |= steps[i].base < nr;
	}
	for (unsigned i = 0; i < nr_steps; i++)
		steps[i].base = steps[i].base > nr ? steps[i].base - nr : 0;
}

void path_keep_oldest(unsigned nr)
{
	while (steps[nr_steps - 1].base >= nr)
		nr_steps--;
	is_noted = true;
}

/* ---- as a line: the number of graphs; and of each: first, end, nr */

void path_write(FILE *out, bool counted)
{
	unsigned nr = counted ? nr_steps : nr_steps - 1;

	if (counted)
		path_noted();
	fprintf(out, "path %u", nr);
	for (unsigned i = 0; i < nr; i++) {
		unsigned end = i + 1 < nr_steps ? steps[i + 1].base : nr_items;

		/*
		 * If the newest graph is to be run again, the alternative that led to it is left.
		 */
		end += i + 1 == nr && !counted;
		fprintf(out, " %u %u %u", steps[i].first, steps[i].first + end - steps[i].base,
			steps[i].nr);
	}
	fprintf(out, "\n");
}

/* Whether the graph that was made has noted @noted alternatives. */
static enum path_found made(unsigned noted)
{
	path_noted();
	return steps[nr_steps - 1].nr == noted ? PATH_FOUND : PATH_LOST;
}

/* Runs the graph, without counting it. */
static enum path_found run(unsigned noted)
{
	enum ran ran = search.run();

	if (ran == RAN_ANEW)
		return PATH_ANEW;
	if (ran == RAN_UNDECIDED || (ran == RAN_INTO_FAULT && !search.faulty))
		return PATH_LOST;
	return made(noted);
}

/*
 * Takes the graph's alternative number @taken, and drops the later ones, which were searched
 * before.
 */
static bool take_number(unsigned taken)
{
	unsigned nr = steps[nr_steps - 1].base + taken + 1;

	if (nr < nr_items)
		frames_keep_oldest(nr);
	return take_newest();
}

/*
 * Keeps of the newest graph's alternatives those before @end; then drops the oldest @dropped
 * alternatives of all graphs together.
 */
static void leave_some(unsigned end, unsigned dropped)
{
	unsigned nr = steps[nr_steps - 1].base + end;

	if (nr <= dropped) {
		nr_frames = nr_items = 0;
		return;
	}
	if (nr < nr_items)
		frames_keep_oldest(nr);
	if (dropped)
		frames_drop_oldest(dropped);
}

static bool parse(const char **text, unsigned *n)
{
	char *end;

	*n = (unsigned)strtoul(*text, &end, 10);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

enum path_found path_go(const char *text)
{
	unsigned nr, first, end = 0, noted, dropped = 0;
	enum path_found found;

	first_graph();
	if (strncmp(text, "path ", 5))
		return PATH_LOST;
	text += 5;
	if (!parse(&text, &nr))
		return PATH_LOST;
	if (!nr)
		return PATH_TO_FIRST;
	for (unsigned i = 0; i < nr; i++) {
		bool runs = !i || take_number(end);

		if (!parse(&text, &first) || !parse(&text, &end) || !parse(&text, &noted) ||
		    first > end || end > noted)
			return PATH_LOST;
		dropped += first;
		found = runs ? run(noted) : made(noted);
		if (found != PATH_FOUND)
			return found;
		if (i + 1 < nr && end >= noted)
			return PATH_LOST;
	}
	leave_some(end, dropped);
	return PATH_FOUND;
}
