/* SPDX-License-Identifier: MIT */
/*
 * Loops that wait. A thread that waits for a value may read old values first: one, or two, or any
 * of the writes so far in their order. All these executions come to the same state if an iteration
 * that was in vain leaves nothing behind. So a thread goes no further once an iteration turns out
 * to have been needless: without this iteration the same thread would be in the same state now.
 *
 * An iteration can be needless only if it has read and done nothing else. Then the graph without
 * its reads is allowed, too, and the search visits that graph. What the iteration has left in the
 * thread's own variables does not matter if it is not used again, which is seen when the thread
 * goes on. Mostly the search visits the graph without the iteration earlier than the graph with it,
 * because a read takes newer writes first, and older reads are revisited first. During that visit a
 * table notes for each history of the thread in which state its next operation began. A history is
 * a hash of what the thread has read, each write with the history of its writer. The history
 * decides what the thread does next. If the noted state is the state here, and the same was written
 * on the way, the iteration was needless.
 *
 * An iteration that reads what the iteration before has read is not called needless. Otherwise a
 * thread that waits for ever would not be found: turns.c.
 */
#include <string.h>

#include "graph/mix.h"
#include "program/awaits.h"
#include "program/locations.h"
#include "program/retries.h"
#include "program/turns.h"

uint64_t await_states;
unsigned long calls_of_checker;

static uint64_t history[MAX_EVENTS];	/* the thread's history after each event */

/* A thread as it would be without one of its iterations. */
struct follower {
	struct await_mark mark;
	unsigned turn;			/* events of the iteration */
};

#define FOLLOWERS 8
#define WROTE_SIZE 64
static struct path {
	struct await_mark now;
	unsigned noted;			/* for how many more operations futures are noted */
	/* since the thread's last event, or since it began its last operation: */
	unsigned long calls, writes;	/* calls_of_checker and writes_elsewhere when that was */
	unsigned nr_wrote;
	struct await_wrote wrote[AWAIT_WROTE];
	unsigned nr_followers;
	struct follower follower[FOLLOWERS];
} paths[MAX_THREADS + 1];

void awaits_search(void)
{
	await_table.searches++;	/* the program may be another: histories begin with this number */
}

void awaits_begin(void)
{
	history[0] = mix(1, await_table.searches);
	await_states = 0;
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		paths[t].now = (struct await_mark){ 0 };
		paths[t].nr_followers = paths[t].noted = 0;
	}
	retries_begin();
}

/* ---- histories */

uint64_t await_longer(uint64_t past, const struct event *e, unsigned rf)
{
	past = mix(mix(past, e->pc), (uint64_t)e->order << 16 | e->fail_order << 8 | e->kind);
	if (e->kind == E_READ)
		return mix(mix(mix(mix(past, locations[e->location].address), e->operand),
			       e->expected), history[rf]);
	if (e->kind == E_WRITE)
		past = mix(past, locations[e->location].address);
	/* A plain write's value is known later, and counts among what is written on the way. */
	return e->order & O_PLAIN ? past : mix(past, e->value);
}

static uint64_t longer(uint64_t past, const struct event *e)
{
	return await_longer(past, e, e->rf);
}

uint64_t await_history(unsigned n)
{
	return n ? history[graph->event_of[self][n - 1]] :
		   mix(history[graph->creator[self]], self + 1);
}

static void begin_part(struct path *path)
{
	path->calls = calls_of_checker;
	path->writes = writes_elsewhere;
	path->nr_wrote = 0;
}

void await_executed(const struct event *e)
{
	history[number_of(graph, e)] = longer(await_history(threads[self].done), e);
	paths[self].now.since = 0;
	begin_part(&paths[self]);
}

struct await_mark await_here(void)
{
	struct await_mark mark = paths[self].now;

	mark.done = threads[self].done;
	mark.history = await_history(mark.done);
	return mark;
}

/* ---- what a thread has written on the way from one operation to the next */

void await_wrote(uintptr_t address, size_t size)
{
	struct path *path = &paths[self];

	if (path->nr_wrote < AWAIT_WROTE && size <= WROTE_SIZE) {
		path->wrote[path->nr_wrote].address = address;
		path->wrote[path->nr_wrote++].size = size;
	}
}

/* Returns a hash of what the thread has written, or 0 if not all of this is known. */
static uint64_t written(const struct path *path)
{
	uint64_t hash = 1;

	if (writes_elsewhere - path->writes != path->nr_wrote)
		return 0;
	for (unsigned i = 0; i < path->nr_wrote; i++) {
		const uint8_t *byte = (const uint8_t *)path->wrote[i].address;

		hash = mix(hash, path->wrote[i].address);
		for (size_t k = 0; k < path->wrote[i].size; k++)
			hash = mix(hash, byte[k]);
	}
	return hash;
}

/* ---- followers */

/* Whether @e can be the follower's event, too. */
static bool is_common(const struct event *e)
{
	if (e->kind == E_CHOICE)
		return e->flags & F_STOP;
	return e->kind != E_CREATE && !(e->flags & F_KERNEL);
}

/* Takes the follower to where the thread is. Returns whether it can come there. */
static bool catch_up(struct follower *f)
{
	for (; f->mark.done < threads[self].done; f->mark.done++) {
		const struct event *e = &graph->event[graph->event_of[self][f->mark.done]];

		if (!is_common(e))
			return false;
		f->mark.history = longer(f->mark.history, e);
		f->mark.since = 0;
	}
	f->mark.since++;
	return true;
}

static enum await_found compare(struct follower *f, uint64_t state, uint64_t writes)
{
	if (!catch_up(f))
		return UNKNOWN;
	/* The thread itself has had this history: it has read again what the iteration has read. */
	if (f->mark.history == await_history(threads[self].done - f->turn))
		return DIFFERS;
	return await_look_up(&f->mark, state, writes);
}

/* Whether one of the followers is in the same state. Drops followers of which nothing is known. */
static bool one_is_same(struct path *path, uint64_t state, uint64_t writes)
{
	unsigned kept = 0;
	bool same = false;

	for (unsigned i = 0; i < path->nr_followers; i++) {
		enum await_found found = compare(&path->follower[i], state, writes);

		same |= found == IS_SAME;
		if (found == DIFFERS)
			path->follower[kept++] = path->follower[i];
	}
	path->nr_followers = kept;
	return same;
}

static void add_follower(struct follower follower)
{
	struct path *path = &paths[self];

	if (path->nr_followers == FOLLOWERS)
		memmove(path->follower, path->follower + 1,
			--path->nr_followers * sizeof(path->follower[0]));
	path->follower[path->nr_followers++] = follower;
}

bool await_could_be(uint64_t past, unsigned since, uint64_t state, uint64_t writes)
{
	struct await_mark mark = { .history = past, .done = threads[self].done, .since = since };
	enum await_found found = await_look_up(&mark, state, writes);

	if (found == DIFFERS)
		add_follower((struct follower){ mark, 0 });
	return found == IS_SAME;
}

static void note_future(uint64_t state, uint64_t writes)
{
	struct await_mark here = await_here();

	await_note(&here, state, writes);
}

#define NOTED 16

void await_arrives(uintptr_t pc, uint64_t state)
{
	struct path *path = &paths[self];
	bool is_new = threads[self].done == graph->count[self], same = false;
	/* A call that is no operation may have changed anything. */
	uint64_t writes = calls_of_checker - path->calls <= 1 ? written(path) : 0;

	await_states = mix(await_states, state);
	path->now.since++;
	path->now.unclear += !writes;
	if (awaits_known && search.strategy->reduces) {
		if (await_is_loop(pc))
			path->noted = NOTED;
		if (path->noted && path->noted-- && is_new && writes)
			note_future(state, writes);
		if (!writes)
			path->nr_followers = 0;
		same = one_is_same(path, state, writes);
	}
	retries_note(path->wrote, path->nr_wrote, writes);
	if (search.strategy->reduces && !(search.without & WITHOUT_RETRIES) && writes)
		same |= retry_is_needless(pc, path->now.since, state, writes);
	begin_part(path);
	if (same && is_new)
		thread_stops(T_PRUNED);
}

/* Whether the events since @was have read and done nothing else. */
static bool only_read(const struct await_mark *was)
{
	unsigned reads = 0;

	for (unsigned i = was->done; i < threads[self].done; i++) {
		const struct event *e = &graph->event[graph->event_of[self][i]];

		if (e->kind == E_READ && !(e->flags & (F_KERNEL | F_EXCL)))
			reads++;
		else if (e->kind != E_FENCE && !(e->kind == E_CHOICE && (e->flags & F_STOP)))
			return false;
	}
	return reads;
}

void await_again(uintptr_t pc, const struct await_mark *was)
{
	struct path *path = &paths[self];

	if (was->unclear != path->now.unclear || !only_read(was))
		return;
	await_loop_at(pc);
	if (!search.strategy->reduces)
		return;
	add_follower((struct follower){
		{ was->history, threads[self].done, was->since, 0 },
		threads[self].done - was->done,
	});
}
