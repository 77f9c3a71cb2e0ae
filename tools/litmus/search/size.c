/* SPDX-License-Identifier: MIT */
/*
 * Which bytes an access has. Where accesses of a location differ in size, the location is cut into
 * cells, and the threads are walked again (search/turns.c). In C a location is one object until it
 * is split: tests declare an int and keep an address in it.
 *
 * An access through a pointer may be anywhere until the values that are read say where. So it cuts
 * each location whose address it can have, because this address is in the test's memory, in a
 * store, or in the expression of its own address. If an execution shows it in another place, the
 * test is refused.
 */
#include "search/search.h"

static uint64_t address_of(const struct test *test, const struct path_event *event)
{
	return cell_address(test, event->cell);
}

static unsigned bytes_of(const struct path_event *event)
{
	return event->from->size;
}

/* Returns the location after @event's own that the access reaches, or -1. */
static int reached(const struct test *test, const struct path_event *event)
{
	uint64_t at = address_of(test, event);

	for (unsigned i = 0; i < test->nr_locations; i++)
		if (test->location[i].address - at - 1 < bytes_of(event) - 1)
			return (int)i;
	return -1;
}

static _Noreturn void refuse_sizes(struct test *test, const struct path_event *event)
{
	const struct location *location = &test->location[event->location];
	const char *at = event->from->at;
	const char *how = test_is_whole(test, location) ? "" : " through a pointer";
	int other = reached(test, event);

	if (other >= 0)
		text_fail(test->text, at,
			  "an access of %u bytes to %s reaches into %s: "
			  "mixed sizes%s are not modelled",
			  bytes_of(event), location->name, test->location[other].name, how);
	if (location->declared && bytes_of(event) > location->declared)
		text_fail(test->text, at, "an access of %u bytes to %s, which is declared with %u",
			  bytes_of(event), location->name, location->declared);
	text_fail(test->text, at,
		  "an access of %u bytes to %s, which has accesses of %u: "
		  "mixed sizes%s are not modelled",
		  bytes_of(event), location->name, location->size, how);
}

/* Whether a number that is the address of the location's bytes is part of the expression. */
static bool has_address(const struct location *location, const struct expr *expr)
{
	if (expr->kind == EXPR_NUMBER)
		return expr->number - location->address < (location->size ? location->size : 8);
	return expr->kind == EXPR_ALU &&
		(has_address(location, expr->a) || has_address(location, expr->b));
}

/* Whether an initial or stored number may be the address of the location. */
static bool is_pointed_at(const struct test *test, const struct paths *paths,
			  const struct location *location)
{
	for (unsigned i = 0; i < test->nr_locations; i++)
		if (test->location[i].initial - location->address < TEST_BYTES)
			return true;
	for (unsigned t = 0; t < test->nr_threads; t++)
		for (const struct path *path = paths[t].first; path; path = path->next)
			for (unsigned i = 0; i < path->nr; i++)
				if (path->event[i].kind == EVENT_WRITE &&
				    has_address(location, path->event[i].value))
					return true;
	return false;
}

/* Whether an access in C has the whole location. Some pointers to 8 bytes are declared int *. */
static bool is_of_whole(const struct test *test, const struct path_event *event)
{
	unsigned size = test->location[event->location].size, bytes = bytes_of(event);

	return reached(test, event) < 0 && (event->from->loose || !size || size == bytes ||
					    (size >= 4 && bytes >= 4));
}

/* Whether the access has the size of its events together. */
static bool fits(const struct test *test, const struct path_event *event, const unsigned *size)
{
	const struct location *location = &test->location[event->location];

	if (test_is_whole(test, location))
		return is_of_whole(test, event);
	if (location->cuts || location->declared || bytes_of(event) > 8)
		return event->fits;
	return !size[event->location] || size[event->location] == bytes_of(event);
}

/* Cuts cells for the access; 16 bytes count as two accesses of 8. */
static bool cut_for(struct test *test, const struct path_event *event)
{
	uint64_t at = address_of(test, event);
	unsigned size = bytes_of(event) < 8 ? bytes_of(event) : 8;

	return cell_cut(test, at, size) && (bytes_of(event) <= 8 || cell_cut(test, at + 8, 8));
}

static void fit(struct test *test, const struct paths *paths, struct path_event *event)
{
	const struct location *location = &test->location[event->location];

	if (event->pointed && !is_pointed_at(test, paths, location) &&
	    !has_address(location, event->address)) {
		event->mixed = true;
		return;
	}
	if (test_is_c(test) && !event->from->loose)
		cell_split(test, address_of(test, event), bytes_of(event));
	if (test_is_whole(test, location) || address_of(test, event) % bytes_of(event) ||
	    !cut_for(test, event)) {
		if (!event->pointed)
			refuse_sizes(test, event);
		event->mixed = true;
	}
}

/*
 * Goes through all accesses whose address depends on a read (@pointed), or through all others. With
 * @take notes each location's largest size in @size; without it cuts where an access does not fit.
 */
static void each_access(struct test *test, const struct paths *paths, bool pointed, unsigned *size,
			bool take)
{
	for (unsigned t = 0; t < test->nr_threads; t++)
		for (const struct path *path = paths[t].first; path; path = path->next)
			for (unsigned i = 0; i < path->nr; i++) {
				struct path_event *event = &path->event[i];

				if (event->kind == EVENT_FENCE || event->pointed != pointed ||
				    (event->parts > 1 && event->first != i))
					continue;
				if (take && size[event->location] < bytes_of(event))
					size[event->location] = bytes_of(event);
				else if (!take && !fits(test, event, size))
					fit(test, paths, event);
				else if (!take && !size[event->location])
					size[event->location] = bytes_of(event);
			}
}

/* Notes the sizes of locations that no type declares and nothing cuts. */
static void note_sizes(struct test *test, const unsigned *size)
{
	for (unsigned i = 0; i < test->nr_locations; i++)
		if (size[i] && !test->location[i].cuts &&
		    (!test->location[i].declared || test_is_whole(test, &test->location[i])))
			test->location[i].size = size[i];
}

/* In C an access may have several parts only if the model says which parts belong together. */
static void must_have_meaning(const struct searching *s, const struct path_event *event)
{
	const struct test *test = s->test;
	const struct location *location = &test->location[event->location];

	if (event->kind != EVENT_FENCE && event->parts > 1)
		text_fail(test->text, event->from->at,
			  "mixed sizes have no meaning in %s: an access of %u bytes "
			  "to %s, parts of which are accessed, too; "
			  "sc and the machines' models judge it",
			  s->rules->name, bytes_of(event), location->name);
}

void size_must_have_meaning(const struct searching *s, const struct paths *paths)
{
	if (!test_is_c(s->test) || s->rules->parts)
		return;
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		for (const struct path *path = paths[t].first; path; path = path->next)
			for (unsigned i = 0; i < path->nr; i++)
				must_have_meaning(s, &path->event[i]);
}

void size_check(struct test *test, const struct paths *paths)
{
	unsigned size[TEST_LOCATIONS] = { 0 };

	each_access(test, paths, false, size, true);
	for (unsigned i = 0; i < test->nr_locations; i++)
		if (!size[i])
			size[i] = test->location[i].size;
	note_sizes(test, size);
	each_access(test, paths, false, size, false);
	each_access(test, paths, true, size, false);
	note_sizes(test, size);
}

void size_recheck(const struct searching *s)
{
	for (unsigned i = 0; i < s->x.n; i++)
		if (s->x.event[i].mixed)
			refuse_sizes(s->test, &s->x.event[i]);
}
