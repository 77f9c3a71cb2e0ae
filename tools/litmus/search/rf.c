/* SPDX-License-Identifier: MIT */
/*
 * Gives each read a write of its location, one read after the other. A value is computed as soon
 * as its parts are known. Then the decisions of the paths are checked.
 */
#include "search/search.h"

static bool learn_read(struct searching *s, unsigned read)
{
	const struct path_event *event = &s->x.event[read];
	int write = s->x.rf[read];

	if (write < 0 || !(s->known >> write & 1))
		return false;
	s->x.value[read] = extended(s->x.value[write], event->size, event->sign);
	return true;
}

static bool learn_write(struct searching *s, unsigned write)
{
	const struct path_event *event = &s->x.event[write];

	if (s->needs[write] & ~s->known)
		return false;
	s->x.value[write] = extended(expr_value(event->value,
			&s->x.value[s->base[s->x.thread[write]]]), event->size, false);
	return true;
}

static void learn(struct searching *s)
{
	event_set accesses = s->x.facts.set[BASE_M], before;

	do {
		before = s->known;
		for (event_set rest = accesses & ~s->known; rest; rest &= rest - 1) {
			unsigned i = set_first(rest);

			if (s->x.event[i].kind == EVENT_READ ? learn_read(s, i) : learn_write(s, i))
				s->known |= 1ull << i;
		}
	} while (s->known != before);
}

/* Whether each decision that depends only on @fresh and on known reads comes out as on the path. */
static bool decisions_hold(struct searching *s, event_set fresh, bool first)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		for (unsigned i = 0; i < s->path[t]->nr_constraints; i++) {
			const struct constraint *c = &s->path[t]->constraint[i];
			event_set needs = c->expr->needs << s->base[t];

			if (needs & ~s->known || !(needs & fresh || first))
				continue;
			if ((expr_value(c->expr, &s->x.value[s->base[t]]) != 0) != c->holds)
				return false;
		}
	return true;
}

/*
 * Whether no thread left its path. An access at 0 makes the execution impossible, as in herd7. An
 * access at another address that is no location's is not modelled.
 */
static bool stays(struct searching *s, event_set fresh)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++) {
		const struct expr *address = s->path[t]->astray;
		event_set needs = address ? address->needs << s->base[t] : 0;
		uint64_t value;

		if (!address || needs & ~s->known || !(needs & fresh))
			continue;
		value = expr_value(address, &s->x.value[s->base[t]]);
		if (!value || cell_at(s->test, value) >= 0)
			return false;
	}
	return true;
}

/* Fails if a thread has left its path, when all values are known. */
static void must_be_whole(const struct searching *s)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++) {
		const struct path *path = s->path[t];

		if (path->astray)
			path_refuse(s->test, path->strays,
				    expr_value(path->astray, &s->x.value[s->base[t]]));
	}
}

static bool can_read(const struct searching *s, unsigned read, unsigned write)
{
	if (s->x.event[write].kind == EVENT_WRITE && s->x.event[write].rmw >= 0 &&
	    s->x.thread[write] == s->x.thread[read])
		return s->base[s->x.thread[write]] + (unsigned)s->x.event[write].rmw != read;
	return true;
}

static void read_from(struct searching *s, unsigned read, int write)
{
	struct matrix *rf = &s->x.facts.relation[BASE_RF];

	if (s->x.rf[read] >= 0)
		matrix_remove(rf, (unsigned)s->x.rf[read], read);
	s->x.rf[read] = write;
	if (write >= 0)
		matrix_add(rf, (unsigned)write, read);
	evaluation_changed(s->evaluation, ON_RF);
}

/* False: the read has to read the last write, and @write cannot be the last one. */
static bool reads_last(struct searching *s, unsigned read, unsigned write)
{
	if (!(s->awaited >> read & 1))
		return true;
	return order_last(s, s->writes[s->x.event[read].cell], write);
}

static bool goes_astray(const struct searching *s)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		if (s->path[t]->astray)
			return true;
	return false;
}

/* Whether the state's registers are known, and the state is known already or not wanted. */
static bool is_needless(struct searching *s)
{
	uint64_t value[TEST_OBSERVED];

	if (goes_astray(s))
		return false;
	if (s->nr_lasts || s->shown & ~s->known || s->forbidden || s->sticking || search_flags(s))
		return false;
	return !state_of(s, value) || state_known(s, value);
}

static void choose(struct searching *s, unsigned i)
{
	event_set known = s->known;
	struct matrix saved;
	unsigned read;

	if (search_is_over(s) || is_needless(s))
		return;
	if (i == s->nr_reads) {
		/* A value that depends on itself comes out of thin air: no such value is tried. */
		if (s->known == s->x.facts.set[BASE_M]) {
			must_be_whole(s);
			size_recheck(s);
			search_co(s);
		}
		return;
	}
	read = s->read[i];
	order_save(s, &saved);
	for (event_set rest = s->writes[s->x.event[read].cell]; rest && !s->stop;
	     rest &= rest - 1) {
		if (!can_read(s, read, set_first(rest)))
			continue;
		read_from(s, read, (int)set_first(rest));
		learn(s);
		if (decisions_hold(s, s->known & ~known, false) && stays(s, s->known & ~known) &&
		    reads_last(s, read, set_first(rest)) && (!s->coherent || order_forced(s)) &&
		    evaluation_broken(s->evaluation, s->axioms, true) < 0)
			choose(s, i + 1);
		s->known = known;
		if (s->coherent || s->awaited)
			order_restore(s, &saved);
	}
	read_from(s, read, -1);
}

void search_rf(struct searching *s)
{
	s->known = s->x.facts.set[BASE_IW];
	learn(s);
	if (decisions_hold(s, 0, true))
		choose(s, 0);
}
