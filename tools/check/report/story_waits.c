/* SPDX-License-Identifier: MIT */
/* Which thread waits for what, and for whom. */
#include <string.h>

#include "explore/search.h"
#include "program/fault.h"
#include "program/locations.h"
#include "program/ops.h"
#include "report/story.h"

/*
 * Returns the thread that @thread waits for: the one that has taken a lock, say. MAX_THREADS: none.
 */
static unsigned waits_for_thread(unsigned thread)
{
	const struct thread *t = &threads[thread];
	const struct event *last = last_of(graph, thread);

	if (t->state == T_BLOCKED && hidden_kind(t->awaits) == HIDDEN_END)
		return (unsigned)hidden_key(t->awaits);
	if (t->state == T_SPINS && t->waits_for && t->holder)
		return *t->holder ? *t->holder - 1 : MAX_THREADS;	/* a library says so */
	if (t->state == T_SPINS && t->waits_for && strcmp(t->waits_for, "the semaphore") && last &&
	    last->kind == E_READ && last->rf)
		return graph->event[last->rf].thread;
	return MAX_THREADS;
}

static void add_holder(const struct rows *rows, unsigned thread, char *out, size_t size)
{
	const struct event *last = last_of(graph, thread);
	unsigned number = last && last->kind == E_READ ? rows->number_of[last->rf] : 0;

	if (threads[thread].state != T_SPINS || !last || last->kind != E_READ ||
	    (threads[thread].waits_for && threads[thread].holder))
		return;
	if (threads[thread].waits_for && number && waits_for_thread(thread) < MAX_THREADS)
		snprintf(out, size, ", which %s has taken at #%u and not given back",
			 thread_name(graph->event[last->rf].thread), number);
	else if (number)
		snprintf(out, size, ": it reads #%u again and again, and no newer write will come",
			 number);
	else
		snprintf(out, size,
			 ": it reads what was there at the start, and no write will come");
}

/* Names the last write to the word of a futex, on which the thread sleeps. */
static void add_last_write(const struct rows *rows, unsigned thread, char *out, size_t size)
{
	for (unsigned l = 0; threads[thread].state == T_BLOCKED && l < graph->nr_locations; l++) {
		unsigned last = graph->head[l].co_last, number = rows->number_of[last];

		if (!locations[l].size || locations[l].address != threads[thread].waits_on ||
		    !last || !number)
			continue;
		snprintf(out, size, "; the last write there is #%u, by %s", number,
			 thread_name(graph->event[last].thread));
		return;
	}
}

bool story_wait(const struct rows *rows, unsigned thread, char *out, size_t size,
		struct place *where)
{
	char text[sizeof(fault.text)], *what;
	struct callers callers;
	uintptr_t pc;

	if (!thread_is_stuck(thread, text, sizeof(text), &pc))
		return false;
	callers = event_callers(last_of(graph, thread), pc);
	if (where)
		places_of_callers(&callers, 1, where);
	what = strstr(text, ": ");
	snprintf(out, size, "%s", what ? what + 2 : text);
	add_holder(rows, thread, out + strlen(out), size - strlen(out));
	if (!strstr(text, " to end"))
		add_last_write(rows, thread, out + strlen(out), size - strlen(out));
	return true;
}

/* Finds a circle of threads that wait for each other; returns how many there are in it, or 0. */
static unsigned find_circle(unsigned circle[MAX_THREADS])
{
	for (unsigned first = 0; first < MAX_THREADS; first++) {
		unsigned at = first, nr = 0;
		char text[sizeof(fault.text)];
		uintptr_t pc;

		while (at < MAX_THREADS && nr < MAX_THREADS &&
		       thread_is_stuck(at, text, sizeof(text), &pc)) {
			circle[nr++] = at;
			at = waits_for_thread(at);
			if (at == first)
				return nr;
		}
	}
	return 0;
}

static void write_circle(FILE *out)
{
	unsigned circle[MAX_THREADS], nr = find_circle(circle);
	char text[MAX_THREADS * 80];
	size_t n = 0;

	if (!nr)
		return;
	if (nr == 1)
		snprintf(text, sizeof(text), "So %s waits for itself.", thread_name(circle[0]));
	for (unsigned i = 0; i < nr && nr > 1; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s waits for %s",
				      !i ? "So " : i + 1 == nr ? ", and " : ", ",
				      thread_name(circle[i]), thread_name(circle[(i + 1) % nr]));
	if (nr > 1)
		snprintf(text + n, sizeof(text) - n, ": a circle, in which nobody can go on.");
	story_item(out, text);
}

void story_waits(FILE *out, const struct rows *rows)
{
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		char text[700];

		if (!story_wait(rows, t, text, sizeof(text) - 2, NULL))
			continue;
		strcat(text, ".");
		story_item(out, text);
	}
	write_circle(out);
}
