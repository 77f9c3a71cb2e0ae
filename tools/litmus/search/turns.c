/* SPDX-License-Identifier: MIT */
/*
 * How often loops are gone round. Turns that change nothing are left out (path/loops.h): no final
 * state needs them. But a flag may be about an access in such a turn. A flag is about two accesses,
 * so two such turns of a thread are enough to find it. And a thread that makes only such turns may
 * wait for ever.
 */
#include "search/search.h"

#define TURNS_OF_A_FLAG 2

static bool leaves_out(const struct searching *s)
{
	return !s->limits->all_turns && s->rules->fewer;
}

/* Makes lists of all paths: those that end, and those that wait for ever. */
static void join_paths(struct searching *s, const struct paths *paths, struct paths *all)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++) {
		const struct path *from = paths[t].stuck;

		all[t] = paths[t];
		for (; from; from = from->next) {
			struct path *copy = arena_alloc(s->test->arena, sizeof(*copy));

			*copy = *from;
			copy->next = all[t].first;
			all[t].first = copy;
		}
	}
}

/*
 * Walks all threads, again and again until no access cuts a location that an earlier access has
 * taken as a whole.
 */
static void find_paths(struct searching *s, struct paths *paths, const struct turns *turns)
{
	struct paths all[TEST_THREADS];

	do {
		test_cells(s->test);
		for (unsigned t = 0; t < s->test->nr_threads; t++)
			paths[t] = paths_of(s->test, t, turns);
		join_paths(s, paths, all);
		if (!s->test->recut)
			size_check(s->test, all);
	} while (s->test->recut);
	size_must_have_meaning(s, all);
	test_cells(s->test);
}

static bool any_cut(const struct searching *s, const struct paths *paths)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		if (paths[t].cut)
			return true;
	return false;
}

static bool any_idle(const struct searching *s, const struct paths *paths)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		if (paths[t].idle)
			return true;
	return false;
}

static bool may_flag(const struct searching *s)
{
	for (unsigned i = 0; i < s->rules->nr_axioms; i++)
		if (s->rules->axiom[i].flag && !(s->outcome->flags >> i & 1))
			return true;
	return false;
}

static void search_flagged(struct searching *s, unsigned unroll)
{
	struct turns turns = { .unroll = unroll, .kept = TURNS_OF_A_FLAG };
	struct paths paths[TEST_THREADS];

	find_paths(s, paths, &turns);
	s->flagging = true;
	search_paths(s, paths);
	s->flagging = false;
}

static bool any_stuck(const struct searching *s, const struct paths *paths)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		if (paths[t].stuck)
			return true;
	return false;
}

static void search_stuck(struct searching *s, const struct paths *paths)
{
	struct paths all[TEST_THREADS];

	if (!any_stuck(s, paths))
		return;
	join_paths(s, paths, all);
	s->sticking = true;
	search_paths(s, all);
	s->sticking = false;
	s->awaited = 0;
	s->stop = s->outcome->timeout;
}

/*
 * Searches with few turns first. What these show is the answer if the time is over before the
 * search with more turns has ended. States that are known stay.
 */
void search_turns(struct searching *s, struct paths *paths)
{
	struct turns turns = { .all = !leaves_out(s) };
	struct outcome *outcome = s->outcome;

	for (;; turns.unroll++) {
		find_paths(s, paths, &turns);
		outcome->bounded = any_cut(s, paths);
		search_paths(s, paths);
		if (s->stop)
			return;
		outcome->whole = true;
		if (!outcome->bounded || turns.unroll == s->limits->unroll)
			break;
	}
	if (any_idle(s, paths) && may_flag(s))
		search_flagged(s, turns.unroll);
	if (!s->stop)
		search_stuck(s, paths);
}
