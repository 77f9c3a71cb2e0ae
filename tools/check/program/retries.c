/* SPDX-License-Identifier: MIT */
/*
 * Loops that try a compare-exchange until it succeeds. Such a loop reads a word, and a failed
 * compare-exchange reads the word anew:
 *
 *	old = load(x);				reads w0
 *	while (!cmpxchg(x, &old, new))		fails, because it reads w1
 *		;
 *
 * The thread comes to the next turn as if the load had read w1 and no compare-exchange had failed.
 * That graph is allowed, too. Between the load and the failure the thread has only read, so nothing
 * depends on these reads except the thread itself. The reads that are left out, and the one that is
 * earlier now, can only have ordered more: the failure orders at least as much as the load. So each
 * continuation of the graph with the failure is one of the graph without it, and faults stay. The
 * search visits the graph without the failure, mostly first (awaits.c says why), and notes in which
 * state the thread was. If this is the state here, and all that was written in the turn was written
 * again, the failure was needless.
 *
 * N threads that do this once have N! executions then. Otherwise each failure is explored after
 * each value that the load can read.
 */
#include "program/retries.h"
#include "program/locations.h"

/* What a thread has written before the operation that it began after @done events. */
#define PARTS 8
struct part {
	unsigned done;
	bool known;		/* the writes are all that there are */
	unsigned nr;
	struct await_wrote wrote[AWAIT_WROTE];
};
static struct part parts[MAX_THREADS][PARTS];

static struct part *part_at(unsigned done)
{
	return &parts[self][done % PARTS];
}

void retries_begin(void)
{
	for (unsigned t = 0; t < nr_threads; t++)
		for (unsigned i = 0; i < PARTS; i++)
			parts[t][i].known = false;
}

void retries_note(const struct await_wrote *wrote, unsigned nr, bool all)
{
	struct part *part = part_at(threads[self].done);
	/* A second operation without an event between the two, such as a yield. */
	bool again = part->known && part->done == threads[self].done;

	part->done = threads[self].done;
	part->known = all && !again;
	part->nr = nr;
	for (unsigned i = 0; i < nr; i++)
		part->wrote[i] = wrote[i];
}

static const struct event *own_event(unsigned n)
{
	return &graph->event[graph->event_of[self][n - 1]];
}

static bool only_reads(const struct event *e)
{
	return e->kind == E_READ && !(e->flags & (F_KERNEL | F_EXCL | F_MUTEX)) &&
	       (e->rmw == RMW_NONE || e->rmw == RMW_CAS);
}

static unsigned order_of(const struct event *read)
{
	return (read->rmw == RMW_CAS ? read->fail_order : read->order) & (O_ACQUIRE | O_SC);
}

/*
 * If the thread's last event is a compare-exchange that has failed, returns which of its events has
 * read the word before that, and only reads came in between. Otherwise 0.
 */
static unsigned read_before(void)
{
	unsigned n = threads[self].done;
	const struct event *failed = n ? own_event(n) : NULL;

	if (!failed || failed->rmw != RMW_CAS || !only_reads(failed))
		return 0;
	while (--n && only_reads(own_event(n)))
		if (own_event(n)->location == failed->location)
			return n;
	return 0;
}

/*
 * Whether the compare-exchange @failed has read something else than @read, and orders at least as
 * much. (If @read could not have failed with what @failed has read, no thread was met there.)
 */
static bool stands_for(const struct event *failed, const struct event *read)
{
	return read->rf != failed->rf && !(order_of(read) & ~order_of(failed));
}

static bool has_written(const struct part *part, const struct await_wrote *what)
{
	for (unsigned i = 0; i < part->nr; i++)
		if (part->wrote[i].address == what->address && part->wrote[i].size == what->size)
			return true;
	return false;
}

/* Whether all that was written since the event @from was written again since the last event. */
static bool wrote_again(unsigned from)
{
	const struct part *now = part_at(threads[self].done);

	for (unsigned n = from; n < threads[self].done; n++) {
		const struct part *part = part_at(n);

		if (!part->known || part->done != n)
			return false;
		for (unsigned i = 0; i < part->nr; i++)
			if (!has_written(now, &part->wrote[i]))
				return false;
	}
	return now->known;
}

bool retry_is_needless(uintptr_t pc, unsigned since, uint64_t state, uint64_t writes)
{
	unsigned n = read_before();
	const struct event *failed;

	/* The loop's turn has begun where the next one begins. */
	if (!n || own_event(n + 1)->pc != pc)
		return false;
	failed = own_event(threads[self].done);
	if (!stands_for(failed, own_event(n)) || !wrote_again(n))
		return false;
	await_loop_at(pc);
	return await_could_be(await_longer(await_history(n - 1), own_event(n), failed->rf), since,
			      state, writes);
}
