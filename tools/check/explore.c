/* SPDX-License-Identifier: MIT */
/*
 * Exploration: every execution graph that the model allows, each once.
 *
 * The algorithm is TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal
 * Dynamic Partial Order Reduction, POPL 2022). Threads add their events one at a time, always the
 * first thread that can. A read takes the newest write; the other writes that it may read are noted
 * as alternatives, and so are the other places in co of a write. A write that is added may also be
 * what an earlier read should have read: then the graph is cut back to that read and what the write
 * itself depends on, and goes on from there (a revisit), but only if everything that is cut away was
 * as it would be added anew, reading and standing last in co: so each graph is reached in one way.
 *
 * A revisit needs the old graph afterwards for the other alternatives, so it works on a copy: the
 * stack of frames. Each frame has the alternatives of its own graph, newest last. Taking one cuts
 * the graph back to the event that it is about.
 *
 * A read-modify-write is a read and a write that follow each other; two may not read one write. A
 * second one that does so is only noted (read_candidates()), and taken up by changing the first
 * one's read so that it reads the second one's write.
 *
 * The other two ways, for scenarios too large: random sampling, and a bound on preemptions, which
 * explores schedules one by one without any reduction. Both only go forward.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum item_type { ALT_READ, ALT_WRITE, ALT_CHOICE, ALT_REVISIT, ALT_CONTEND, ALT_THREAD };

struct item {
	uint8_t type;
	uint16_t event, to, also;	/* @also: the read that was changed so that it reads @event */
};

struct frame {
	struct item *items;
	unsigned nr, room;
	struct event *kept;	/* reads that could only contend, and so are not in the graph */
	unsigned nr_kept, room_kept;
	struct graph graph;
};

struct graph *graph;

static struct frame **frames;
static unsigned nr_frames, made_frames;

static struct frame *push_frame(void)
{
	if (nr_frames == made_frames) {
		frames = realloc(frames, (made_frames + 1) * sizeof(*frames));
		frames[made_frames++] = calloc(1, sizeof(**frames));
	}
	frames[nr_frames]->nr = frames[nr_frames]->nr_kept = 0;
	return frames[nr_frames++];
}

static void note_with(struct frame *frame, enum item_type type, unsigned event, unsigned to,
		      unsigned also)
{
	if (frame->nr == frame->room) {
		frame->room = frame->room ? 2 * frame->room : 64;
		frame->items = realloc(frame->items, frame->room * sizeof(*frame->items));
	}
	frame->items[frame->nr++] = (struct item){
		(uint8_t)type, (uint16_t)event, (uint16_t)to, (uint16_t)also
	};
}

static void note(struct frame *frame, enum item_type type, unsigned event, unsigned to)
{
	note_with(frame, type, event, to, 0);
}

static struct frame *top(void)
{
	return frames[nr_frames - 1];
}

bool forward_only(void)
{
	return options.random || options.preemption_bound || replaying();
}

/* ---- revisits */

/*
 * Whether @e would be added just so, once everything is there that is older than it or in the
 * prefix of @a: as or from the last write in co.
 */
static bool is_newest(const struct graph *g, const struct event *e, const struct event *a)
{
	unsigned number = number_of(g, e), last = e->kind == E_READ ? e->rf : number;

	if (e->kind == E_CHOICE)
		return e->value == 0;
	if (!is_access(e))
		return true;
	if (e->kind == E_READ && last > number && !vector_has(&a->prefix, &g->event[last]))
		return false;
	for (unsigned w = co_next_of(g, last, e->location); w; w = g->event[w].co_next)
		if (w != number_of(g, a) &&
		    (w < number || vector_has(&a->prefix, &g->event[w])))
			return false;
	if (e->kind == E_READ)
		return true;
	for (unsigned i = g->head[e->location].last; i; i = g->event[i].loc_prev)
		if (i < number && g->event[i].kind == E_READ && g->event[i].rf == number)
			return false;
	return true;
}

static bool may_revisit(const struct graph *g, const struct event *r, const struct event *a)
{
	unsigned first = number_of(g, r), end = number_of(g, a);

	if (!is_newest(g, r, a))
		return false;
	for (unsigned i = first + 1; i < end; i++)
		if (!vector_has(&a->prefix, &g->event[i]) && !is_newest(g, &g->event[i], a))
			return false;
	return true;
}

static void note_revisits(struct graph *g, const struct event *a)
{
	for (unsigned i = g->head[a->location].last; i; i = g->event[i].loc_prev) {
		const struct event *r = &g->event[i];

		if (r->kind == E_READ && !vector_has(&a->prefix, r) && may_revisit(g, r, a))
			note(top(), ALT_REVISIT, number_of(g, a), i);
	}
}

/* In a new frame: @a is read by @r. Where @a stands is left as alternatives. */
static void revisit(struct graph *old, unsigned a, unsigned r)
{
	struct frame *frame = push_frame();
	struct graph *g = &frame->graph;
	uint16_t places[MAX_EVENTS];
	struct event *read, *write;
	const struct event *pred;
	unsigned nr, floor;

	a = graph_copy_for(old, g, r, a);
	read = &g->event[r];
	write = &g->event[a];
	read->rf = (uint16_t)a;
	graph_compute(g, read);
	pred = pred_of(g, read);
	/* What @r has seen must not be newer than what it reads now. */
	floor = coherence_floor(g, read->location,
				pred ? &pred->clock : &g->event[g->creator[read->thread]].clock);
	if (!kernel_allows(g, read))
		return;
	graph_co_unlink(g, write);
	write->pos = 0;		/* it has seen itself */
	if (write->flags & F_EXCL) {
		unsigned place = pred_of(g, write)->rf;

		graph_co_insert(g, write, place);
		if (g->event[place].pos >= floor && !co_closed(g, a, write->location))
			note_with(frame, ALT_WRITE, a, place, r);
		return;
	}
	nr = write_candidates(g, write, floor, places);
	graph_co_insert(g, write, g->head[write->location].co_last);
	while (nr)
		note_with(frame, ALT_WRITE, a, places[--nr], r);
}

/*
 * The read-modify-write whose read @e has just been given a write that another has read already:
 * it writes, and the other reads that instead.
 */
static void contend(struct graph *g, struct event *e)
{
	unsigned next = co_next_of(g, e->rf, e->location);
	const struct event *other = pred_of(g, &g->event[next]);
	struct event *write = graph_append(g, e->thread, E_WRITE);

	write->location = e->location;
	write->order = e->order & (O_RELEASE | O_SC);
	write->flags = F_EXCL | (e->flags & F_KERNEL);
	write->pc = e->pc;
	write->value = rmw_value(e->rmw, e->value, e->operand, locations[e->location].size);
	graph_compute(g, write);
	graph_list_access(g, write);
	graph_co_insert(g, write, g->head[e->location].co_last);
	/* Or an older read does, and the other comes after that. */
	for (unsigned i = write->loc_prev; i; i = g->event[i].loc_prev)
		if (i <= number_of(g, other) && g->event[i].kind == E_READ &&
		    !vector_has(&write->prefix, &g->event[i]) &&
		    may_revisit(g, &g->event[i], write))
			revisit(g, number_of(g, write), i);
}

/*
 * All that the read @e, which is about to be dropped, may read has been read by other
 * read-modify-writes: its thread cannot go on in this graph, but it may contend.
 */
void dropped_read(const struct event *e, const uint16_t *candidates, unsigned nr)
{
	struct frame *frame = top();

	if (forward_only())
		return;
	if (frame->nr_kept == frame->room_kept) {
		frame->room_kept = frame->room_kept ? 2 * frame->room_kept : 16;
		frame->kept = realloc(frame->kept, frame->room_kept * sizeof(*frame->kept));
	}
	for (unsigned i = 0; i < nr; i++)
		note_with(frame, ALT_CONTEND, number_of(graph, e) - 1, candidates[i],
			  frame->nr_kept);
	frame->kept[frame->nr_kept++] = *e;
}

/* ---- alternatives */

static bool take_read(struct graph *g, struct item item)
{
	struct event *e = &g->event[item.event];

	e->rf = item.to;
	graph_compute(g, e);
	if ((e->flags & F_EXCL) && co_closed(g, e->rf, e->location)) {
		if (axioms_hold(g, item.event, 0))
			contend(g, e);
		return false;
	}
	return axioms_hold(g, item.event, 0);
}

static void take_contend(struct frame *frame, struct item item)
{
	struct graph *g = &frame->graph;
	const struct event *kept = &frame->kept[item.also];
	struct event *e = graph_append(g, kept->thread, E_READ);
	uint16_t index = e->index;

	*e = *kept;
	e->index = index;
	e->rf = item.to;
	graph_compute(g, e);
	graph_list_access(g, e);
	if ((e->flags & F_EXCL) && co_closed(g, e->rf, e->location) &&
	    axioms_hold(g, number_of(g, e), 0))
		contend(g, e);
}

static bool take_write(struct graph *g, struct item item)
{
	struct event *e = &g->event[item.event];

	graph_co_unlink(g, e);
	graph_co_insert(g, e, item.to);
	return axioms_hold(g, item.event, item.also);
}

static unsigned count_flag(const struct graph *g, unsigned flag)
{
	unsigned n = 0;

	for (unsigned i = 1; i < g->n; i++)
		n += g->event[i].kind == E_CHOICE && (g->event[i].flags & flag) &&
		     g->event[i].value;
	return n;
}

static bool take_choice(struct graph *g, struct item item)
{
	g->event[item.event].value = item.to;
	return count_flag(g, F_FAILURE) <= scenario->spawn_failures &&
	       count_flag(g, F_SPURIOUS) <= scenario->spurious;
}

static int forced_thread = -1;

static bool take(struct frame *frame, struct item item)
{
	struct graph *g = &frame->graph;

	graph_cut(g, item.event);
	forced_thread = -1;
	switch (item.type) {
	case ALT_READ:
		return take_read(g, item);
	case ALT_WRITE:
		return take_write(g, item);
	case ALT_CHOICE:
		return take_choice(g, item);
	case ALT_THREAD:
		forced_thread = item.to;
		return true;
	case ALT_REVISIT:
		revisit(g, item.event, item.to);
		return false;
	case ALT_CONTEND:
		take_contend(frame, item);
		return false;
	}
	return false;
}

/* The next graph to run, in the top frame; false: that was all. */
static bool next_graph(void)
{
	while (nr_frames) {
		struct frame *frame = top();

		if (!frame->nr) {
			nr_frames--;
			continue;
		}
		if (take(frame, frame->items[--frame->nr])) {
			graph = &top()->graph;
			return true;
		}
	}
	return false;
}

/* ---- what was added, and by whom */

static unsigned long random_state;

static unsigned random_below(unsigned n)
{
	/* xorshift64* (Vigna) */
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (unsigned)((random_state * 0x2545f4914f6cdd1dul >> 33) % n);
}

/* One of them that the axioms allow, by trying; in forward-only modes. The newest always is. */
static void sample(struct event *e, const uint16_t *candidates, unsigned nr,
		   bool (*try)(struct graph *g, struct item item))
{
	unsigned first = random_below(2) ? 0 : random_below(nr);

	for (unsigned i = 0; i < nr; i++) {
		unsigned k = (first + i) % nr;
		struct item item = { 0, (uint16_t)number_of(graph, e), candidates[k], 0 };

		if (try(graph, item))
			return;
	}
	try(graph, (struct item){ 0, (uint16_t)number_of(graph, e), candidates[0], 0 });
}

void added_read(struct event *e, const uint16_t *candidates, unsigned nr)
{
	unsigned number = number_of(graph, e);

	if (replaying()) {
		take_read(graph, (struct item){ 0, (uint16_t)number,
						(uint16_t)replay_read(e, candidates, nr), 0 });
		return;
	}
	if (options.random) {
		sample(e, candidates, nr, take_read);
		return;
	}
	while (nr > 1)
		note(top(), ALT_READ, number, candidates[--nr]);
}

void added_write(struct event *e, const uint16_t *candidates, unsigned nr)
{
	unsigned number = number_of(graph, e);

	if (replaying()) {
		take_write(graph, (struct item){ 0, (uint16_t)number,
						 (uint16_t)replay_write(e, candidates, nr), 0 });
		return;
	}
	if (options.random) {
		if (nr > 1)
			sample(e, candidates, nr, take_write);
		return;
	}
	if (!forward_only())
		note_revisits(graph, e);
	while (nr > 1)
		note(top(), ALT_WRITE, number, candidates[--nr]);
}

void added_choice(struct event *e)
{
	unsigned number = number_of(graph, e);

	if (replaying()) {
		e->value = replay_choice(e);
	} else if (options.random) {
		struct item item = { 0, (uint16_t)number,
				     (uint16_t)random_below((unsigned)e->expected), 0 };

		if (!take_choice(graph, item))
			e->value = 0;
	} else {
		for (unsigned i = (unsigned)e->expected; --i > 0; )
			note(top(), ALT_CHOICE, number, i);
	}
}

/* ---- who is next */

/* A thread in the middle of a read-modify-write, or -1. */
int half_done(const struct graph *g)
{
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		const struct event *e = last_of((struct graph *)g, t);

		if (e && e->kind == E_READ && (e->flags & F_EXCL))
			return (int)t;
	}
	return -1;
}

static unsigned preemptions_used(const struct graph *g)
{
	unsigned n = 0;

	for (unsigned i = 1; i < g->n; i++)
		n += !!(g->event[i].flags & F_PREEMPTS);
	return n;
}

static bool preempting;		/* what is added next begins after a preemption */

static unsigned pick_by_schedule(unsigned current, uint32_t runnable)
{
	bool goes_on = current < MAX_THREADS && (runnable >> current & 1);
	unsigned first = goes_on ? current : (unsigned)__builtin_ctz(runnable);
	static unsigned decided;	/* the length that the last decision was made at */

	if (forced_thread >= 0) {
		first = (unsigned)forced_thread;
		forced_thread = -1;
		preempting = goes_on && first != current;
		decided = graph->n;
		return first;
	}
	if (decided == graph->n && goes_on)
		return current;
	decided = graph->n;
	preempting = false;
	if (goes_on && preemptions_used(graph) >= options.preemptions)
		return first;
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (t != first && (runnable >> t & 1))
			note(top(), ALT_THREAD, graph->n - 1, t);
	return first;
}

/*
 * PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
 * Guarantees of Finding Bugs, ASPLOS 2010): random priorities, lowered at a few random moments.
 */
#define PCT_DEPTH 3
static int priority[MAX_THREADS];
static unsigned change_at[PCT_DEPTH];
static int lowest;

static void shuffle_priorities(unsigned length)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		priority[t] = (int)random_below(1000000) + 1;
	for (unsigned i = 0; i < PCT_DEPTH; i++)
		change_at[i] = 1 + random_below(length);
	lowest = 0;
}

static unsigned pick_by_priority(unsigned current, uint32_t runnable)
{
	unsigned best = MAX_THREADS;

	for (unsigned i = 0; i < PCT_DEPTH; i++)
		if (graph->n == change_at[i] && current < MAX_THREADS) {
			priority[current] = --lowest;
			change_at[i] = 0;
		}
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if ((runnable >> t & 1) &&
		    (best == MAX_THREADS || priority[t] > priority[best]))
			best = t;
	return best;
}

unsigned pick_thread(unsigned current, uint32_t runnable)
{
	int half = half_done(graph);

	if (half >= 0 && (runnable >> half & 1))
		return (unsigned)half;
	if (replaying())
		return replay_thread(runnable);
	if (options.random)
		return pick_by_priority(current, runnable);
	if (options.preemption_bound)
		return pick_by_schedule(current, runnable);
	return (unsigned)__builtin_ctz(runnable);
}

bool take_preemption(void)
{
	bool was = preempting;

	preempting = false;
	return was;
}

/* ---- all of it */

static bool out_of_bounds(double seconds)
{
	if (options.max_executions && result.executions + result.blocked >= options.max_executions)
		result.why = "the bound on executions";
	else if (options.max_seconds && seconds >= (double)options.max_seconds)
		result.why = "the bound on time";
	return result.why;
}

static void count(bool complete)
{
	if (!complete) {
		result.blocked++;
		return;
	}
	result.executions++;
	if (options.distinct)
		result.distinct += distinct_graph(graph);
}

/* Before the next execution; false: there is none. */
static bool prepare(void)
{
	if (!options.random && !replaying())
		return next_graph();
	if (result.executions + result.blocked >= (replaying() ? 1 : options.random))
		return false;
	graph_clear(graph);
	shuffle_priorities(64);
	return true;
}

static void begin(void)
{
	nr_frames = 0;
	graph = &push_frame()->graph;
	graph_clear(graph);
	forced_thread = -1;
	random_state = options.seed * 0x9e3779b97f4a7c15ul + 1;
	shuffle_priorities(64);
	result = (struct result){ 0 };
	distinct_clear();
}

/*
 * Run on until all is explored, something is found, or a bound is met. What is learnt on the way of
 * the program's memory may make it begin anew.
 */
static void run_all(double start)
{
	do {
		restart = false;
		begin();
		do {
			bool complete = run_graph();

			if (restart || result.outcome == UNDECIDED || fault.found)
				break;
			count(complete);
			if (out_of_bounds((result.executions + result.blocked) % 1024 ? 0 :
					  seconds_now() - start))
				break;
		} while (prepare());
	} while (restart);
}

/*
 * A sample first, whatever it finds: most of what there is to learn of the program's memory is then
 * known, and the search does not begin anew when it has come far.
 */
#define SAMPLE 200

static void learn(void)
{
	const struct options kept = options;

	options.random = SAMPLE;
	options.distinct = options.pairs = false;
	run_all(seconds_now());
	options = kept;
}

void explore(void)
{
	double start = seconds_now();

	if (!replaying())
		learn();
	run_all(start);
	result.seconds = seconds_now() - start;
	if (fault.found)
		result.outcome = FOUND_FAULT;
	else if (result.why)
		result.outcome = UNDECIDED;
}
