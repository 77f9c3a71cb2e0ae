/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <time.h>

#include "search/search.h"

#define STEPS_A_LOOK 256

double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool search_is_over(struct searching *s)
{
	if (!s->stop && s->deadline > 0 && !(++s->steps % STEPS_A_LOOK) &&
	    cpu_seconds() > s->deadline)
		s->stop = s->outcome->timeout = true;
	return s->stop;
}

static void put_event(struct searching *s, const struct path_event *event, int thread)
{
	struct execution *x = &s->x;
	struct facts *facts = &x->facts;
	event_set bit = 1ull << x->n;

	if (x->n == MATRIX_EVENTS)
		text_fail(s->test->text, event->from ? event->from->at : s->test->text->begin,
			  "an execution of more than %d events, initial writes and fences counted; "
			  "--unroll bounds a loop's turns", MATRIX_EVENTS);
	x->event[x->n] = *event;
	x->thread[x->n] = thread;
	x->rf[x->n] = -1;
	facts->set[BASE_ALL] |= bit;
	if (event->kind == EVENT_READ)
		facts->set[BASE_R] |= bit;
	else if (event->kind == EVENT_WRITE)
		facts->set[BASE_W] |= bit;
	else
		facts->set[BASE_F] |= bit;
	if (thread < 0)
		facts->set[BASE_IW] |= bit;
	if (event->kind == EVENT_WRITE)
		s->writes[event->cell] |= bit;
	if (event->kind != EVENT_FENCE)
		s->accesses[event->cell] |= bit;
	if (thread >= 0)
		s->of_thread[thread] |= bit;
	for (uint64_t tags = event->tags; tags; tags &= tags - 1)
		facts->tag[set_first(tags)] |= bit;
	x->n++;
}

static uint64_t initial_of(const struct test *test, const struct cell *cell)
{
	return cell->offset < 8 ? test->location[cell->location].initial >> 8 * cell->offset : 0;
}

static void put_initial(struct searching *s)
{
	struct path_event event = { .kind = EVENT_WRITE, .rmw = -1 };

	for (unsigned i = 0; i < s->test->nr_cells; i++) {
		const struct cell *cell = &s->test->cell[i];

		event.cell = i;
		event.location = cell->location;
		event.size = cell->size ? cell->size : 8;
		s->x.value[s->x.n] = extended(initial_of(s->test, cell), event.size, false);
		put_event(s, &event, -1);
	}
}

static void add_lasts(struct searching *s, const struct location *location)
{
	for (unsigned i = 0; i < location->nr_cells; i++)
		s->last[s->nr_lasts++] = location->first_cell + i;
}

static void find_shown(struct searching *s)
{
	const struct test *test = s->test;

	s->shown = s->awaited;
	s->nr_lasts = 0;
	for (unsigned i = 0; i < test->nr_observed && !s->sticking; i++) {
		const struct observed *what = &test->observed[i];

		if (what->thread < 0)
			add_lasts(s, &test->location[what->number]);
		else
			s->shown |= s->path[what->thread]->reg[what->number]->needs <<
				s->base[what->thread];
	}
}

/* Finds the reads of turns that are repeated for ever: these have to read the last writes. */
static void find_awaited(struct searching *s)
{
	s->awaited = 0;
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		for (unsigned i = s->path[t]->turn; s->path[t]->stuck && i < s->path[t]->nr; i++)
			if (s->path[t]->event[i].kind == EVENT_READ)
				s->awaited |= 1ull << (s->base[t] + i);
}

static void order_reads(struct searching *s)
{
	event_set reads = s->x.facts.set[BASE_R];

	s->nr_reads = 0;
	for (event_set rest = reads & s->shown; rest; rest &= rest - 1)
		s->read[s->nr_reads++] = set_first(rest);
	for (event_set rest = reads & ~s->shown; rest; rest &= rest - 1)
		s->read[s->nr_reads++] = set_first(rest);
}

static void find_flags(struct searching *s)
{
	const struct rules *rules = s->rules;

	s->flags = 0;
	for (unsigned i = 0; i < rules->nr_axioms; i++)
		if (rules->axiom[i].flag && evaluation_may(s->evaluation, rules->axiom[i].node))
			s->flags |= 1ull << i;
}

/* Builds the events of the chosen path of each thread, and their relations. */
static void build(struct searching *s)
{
	memset(&s->x.facts, 0, sizeof(s->x.facts));
	memset(s->writes, 0, sizeof(s->writes));
	memset(s->accesses, 0, sizeof(s->accesses));
	memset(s->of_thread, 0, sizeof(s->of_thread));
	s->x.n = 0;
	put_initial(s);
	for (unsigned t = 0; t < s->test->nr_threads; t++) {
		s->base[t] = s->x.n;
		for (unsigned i = 0; i < s->path[t]->nr; i++)
			put_event(s, &s->path[t]->event[i], (int)t);
	}
	s->x.facts.n = s->x.n;
	s->x.facts.set[BASE_M] = s->x.facts.set[BASE_R] | s->x.facts.set[BASE_W];
	find_awaited(s);
	find_shown(s);
	order_reads(s);
	search_relate(s);
	evaluation_changed(s->evaluation, 0);
	find_flags(s);
	if (!s->flagging || search_flags(s))
		search_rf(s);
}

static bool has_stuck(const struct searching *s)
{
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		if (s->path[t]->stuck)
			return true;
	return false;
}

static void choose_paths(struct searching *s, const struct paths *paths, unsigned thread)
{
	if (thread == s->test->nr_threads) {
		if (!s->sticking || has_stuck(s))
			build(s);
		return;
	}
	for (const struct path *path = paths[thread].first; path && !s->stop; path = path->next) {
		if (s->sticking && path->astray)
			continue;
		s->path[thread] = path;
		choose_paths(s, paths, thread + 1);
	}
}

void search_paths(struct searching *s, const struct paths *paths)
{
	choose_paths(s, paths, 0);
}

/*
 * If no allowed execution satisfies the question, finds a forbidden execution that does. It breaks
 * as few axioms as possible, and later axioms rather than earlier ones.
 */
static void find_forbidden(struct searching *s, const struct paths *paths)
{
	s->forbidden = true;
	s->coherent = false;
	while (s->axioms-- > 0 && !s->stop)
		choose_paths(s, paths, 0);
}

static bool asks_why(const struct searching *s)
{
	return s->limits->why && s->test->prop && s->outcome->verdict == VERDICT_NEVER;
}

struct outcome search(struct test *test, const struct rules *rules, const struct limits *limits)
{
	struct searching *s = arena_alloc(test->arena, sizeof(*s));
	struct outcome outcome = { 0 };
	struct paths paths[TEST_THREADS];

	s->test = test;
	s->rules = rules;
	s->limits = limits;
	s->outcome = &outcome;
	s->axioms = rules->nr_axioms;
	s->coherent = rules->coherent;
	if (limits->seconds > 0)
		s->deadline = cpu_seconds() + limits->seconds;
	s->evaluation = evaluation_new(rules, &s->x.facts, test->arena);
	search_turns(s, paths);
	state_finish(s);
	if (asks_why(s))
		find_forbidden(s, paths);
	return outcome;
}
