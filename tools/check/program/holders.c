/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a library wait for, and which threads hold it, where the library is modelled
 * by a program that the checker runs (tools/check/spec/). Such a wait is a loop that reads. Without
 * this file a wait that never ends would be called a live-lock.
 */
#include <stdio.h>
#include <string.h>

#include "program/caller.h"
#include "program/holders.h"
#include "program/locations.h"
#include "program/names.h"

/*
 * From here on the calling thread waits, without a timeout, for @what ("the mutex") at @on (or
 * NULL). If @what is NULL, the thread no longer waits. *@holder is the number, plus 1, of the
 * thread that the wait depends on; or 0. It is read when no thread can go on. @how says in English
 * how that thread holds the object: "which * holds".
 */
#pragma GCC visibility push(default)
void nap_check_waits_for(const char *what, const void *on, const unsigned *holder, const char *how);
void nap_check_waits_for(const char *what, const void *on, const unsigned *holder, const char *how)
{
	struct thread *t = &threads[self];

	if (OUTSIDE)
		return;
	t->waits_for = what;
	t->waits_on = (uintptr_t)on;
	t->waits_at = 0;
	t->timed = false;
	t->holder = holder;
	t->held_how = how;
}
#pragma GCC visibility pop

/* Returns the thread that @number waits for, if that thread waits, too; otherwise MAX_THREADS. */
static unsigned holder_of(unsigned number)
{
	const struct thread *t = &threads[number];
	unsigned holder = MAX_THREADS;

	if (t->state == T_SPINS && t->waits_for && t->holder && *t->holder)
		holder = *t->holder - 1;
	else if (t->state == T_BLOCKED && hidden_kind(t->awaits) == HIDDEN_END)
		holder = (unsigned)hidden_key(t->awaits);
	if (holder >= nr_threads ||
	    (threads[holder].state != T_BLOCKED && threads[holder].state != T_SPINS))
		return MAX_THREADS;
	return holder;
}

unsigned stuck_in_circle(void)
{
	for (unsigned t = 0; t < nr_threads; t++) {
		unsigned next = t;

		for (unsigned steps = 0; steps < nr_threads && next < MAX_THREADS; steps++) {
			next = holder_of(next);
			if (next == t)
				return t;
		}
	}
	return MAX_THREADS;
}

/* Says what a thread waits for in a loop of the program's own. */
static void describe_spin(unsigned number, char *out, size_t size)
{
	const struct event *last = last_of(graph, number);
	char on[128];

	if (!last || !is_access(last)) {
		snprintf(out, size, "what never comes");
		return;
	}
	describe_location(last->location, on, sizeof(on));
	snprintf(out, size, "another value of %s", on);
}

void describe_held(unsigned number, char *out, size_t size)
{
	const struct thread *t = &threads[number];
	const char *star = t->holder && *t->holder && t->held_how ? strchr(t->held_how, '*') : NULL;
	char on[128] = "";

	if (!t->waits_for) {
		describe_spin(number, out, size);
		return;
	}
	if (t->waits_on)
		describe_address(t->waits_on, on, sizeof(on));
	if (star)
		snprintf(out, size, "%s%s%s, %.*s%s%s", t->waits_for, *on ? " " : "", on,
			 (int)(star - t->held_how), t->held_how, thread_name(*t->holder - 1),
			 star + 1);
	else
		snprintf(out, size, "%s%s%s", t->waits_for, *on ? " " : "", on);
}

void describe_circle(unsigned number, char *out, size_t size)
{
	unsigned next = holder_of(number);

	/* if @number only leads to a circle, the walk does not come back to @number */
	for (unsigned steps = 0; next != number && next < MAX_THREADS && steps < nr_threads;
	     steps++) {
		size_t length = strlen(out);

		if (threads[next].state == T_SPINS) {
			char held[256];

			describe_held(next, held, sizeof(held));
			snprintf(out + length, size - length, "; %s for %s", thread_name(next),
				 held);
		} else if (holder_of(next) < MAX_THREADS) {
			snprintf(out + length, size - length, "; %s for %s to end",
				 thread_name(next), thread_name(holder_of(next)));
		}
		next = holder_of(next);
	}
}
