/* SPDX-License-Identifier: MIT */
/*
 * The accesses of a location have one size, the one that it is declared with, and reach no other
 * location, or the test is refused. In C a location is one object, through whatever pointer it is
 * accessed. An access through a pointer may be anywhere until the values that are read say where.
 * Only then mixed sizes are found.
 */
#include "search/search.h"

/* Returns the location after @event's own that the access reaches, or -1. */
static int reached(const struct test *test, const struct path_event *event)
{
	uint64_t at = test->location[event->location].address;

	for (unsigned i = 0; i < test->nr_locations; i++)
		if (test->location[i].address - at - 1 < event->size - 1)
			return (int)i;
	return -1;
}

/* Whether the access is of another size than the location is declared with. */
static bool is_undeclared(const struct test *test, const struct path_event *event)
{
	unsigned declared = test->location[event->location].declared;

	return declared && !test_is_c(test) && event->size != declared;
}

static _Noreturn void refuse_sizes(struct test *test, const struct path_event *event, unsigned size)
{
	const struct location *location = &test->location[event->location];
	const char *at = event->from->at;
	int other = reached(test, event);

	if (other >= 0)
		text_fail(test->text, at, "an access of %u bytes to %s reaches into %s: mixed sizes are not "
			  "modelled", event->size, location->name, test->location[other].name);
	if (is_undeclared(test, event))
		text_fail(test->text, at, "an access of %u bytes to %s, which is declared with %u: mixed "
			  "sizes are not modelled", event->size, location->name, location->declared);
	text_fail(test->text, at, "accesses of %u and of %u bytes to %s: mixed sizes are not modelled",
		  size, event->size, location->name);
}

static void take_size(struct test *test, struct path_event *event, unsigned *size)
{
	bool differs = *size && *size != event->size && !test_is_c(test);

	if (differs || reached(test, event) >= 0 || is_undeclared(test, event)) {
		if (!event->pointed)
			refuse_sizes(test, event, *size);
		event->mixed = true;
		return;
	}
	if (*size < event->size)
		*size = event->size;
}

static void take_sizes(struct test *test, const struct paths *paths, bool pointed, unsigned *size)
{
	for (unsigned t = 0; t < test->nr_threads; t++)
		for (const struct path *path = paths[t].first; path; path = path->next)
			for (unsigned i = 0; i < path->nr; i++) {
				struct path_event *event = &path->event[i];

				if (event->kind != EVENT_FENCE && event->pointed == pointed)
					take_size(test, event, &size[event->location]);
			}
}

void size_check(struct test *test, const struct paths *paths)
{
	unsigned size[TEST_LOCATIONS] = { 0 };

	take_sizes(test, paths, false, size);
	for (unsigned i = 0; i < test->nr_locations; i++)
		if (!size[i])
			size[i] = test->location[i].size;
	take_sizes(test, paths, true, size);
	for (unsigned i = 0; i < test->nr_locations; i++)
		if (size[i])
			test->location[i].size = size[i];
}

void size_recheck(const struct searching *s)
{
	for (unsigned i = 0; i < s->x.n; i++)
		if (s->x.event[i].mixed)
			refuse_sizes(s->test, &s->x.event[i], s->test->location[s->x.event[i].location].size);
}
