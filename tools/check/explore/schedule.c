/* SPDX-License-Identifier: MIT */
/*
 * Who is next: the first thread that can, where schedules do not matter; as the search over
 * schedules or a sample's priorities have it, where they do.
 */
#include "explore/explore.h"

/* ---- random numbers */

static unsigned long random_state;

unsigned random_below(unsigned n)
{
	/* xorshift64* (Vigna) */
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (unsigned)((random_state * 0x2545f4914f6cdd1dul >> 33) % n);
}

/* ---- every schedule, with a bound on preemptions */

static int forced_thread = -1;

void schedule_force(int thread)
{
	forced_thread = thread;
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

bool take_preemption(void)
{
	bool was = preempting;

	preempting = false;
	return was;
}

/* ---- samples */

/*
 * PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
 * Guarantees of Finding Bugs, ASPLOS 2010): random priorities, lowered at a few random moments.
 */
#define PCT_DEPTH	3
#define PCT_LENGTH	64	/* of an execution: a guess */

static int priority[MAX_THREADS];
static unsigned change_at[PCT_DEPTH];
static int lowest;

void schedule_next_sample(void)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		priority[t] = (int)random_below(1000000) + 1;
	for (unsigned i = 0; i < PCT_DEPTH; i++)
		change_at[i] = 1 + random_below(PCT_LENGTH);
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

/* ---- all of them */

void schedule_begin(void)
{
	forced_thread = -1;
	random_state = options.seed * 0x9e3779b97f4a7c15ul + 1;
	schedule_next_sample();
}

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
