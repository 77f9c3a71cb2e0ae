/* SPDX-License-Identifier: MIT */
/*
 * A random sample of executions. Threads have random priorities, lowered at a few random points:
 * PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
 * Guarantees of Finding Bugs, ASPLOS 2010). The write that a read reads, the position of a write
 * in co and every choice are random, too.
 */
#include "explore/alternatives.h"

/* ---- random numbers */

static unsigned long random_state;

static unsigned random_below(unsigned n)
{
	/* xorshift64* (Vigna) */
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (unsigned)((random_state * 0x2545f4914f6cdd1dul >> 33) % n);
}

/* ---- the next thread */

#define PCT_DEPTH	3
#define PCT_LENGTH	64	/* how many events an execution has: a guess */

static int priority[MAX_THREADS];
static unsigned change_at[PCT_DEPTH];
static int lowest;

static void next_priorities(void)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		priority[t] = (int)random_below(1000000) + 1;
	for (unsigned i = 0; i < PCT_DEPTH; i++)
		change_at[i] = 1 + random_below(PCT_LENGTH);
	lowest = 0;
}

static unsigned sample_pick(unsigned current, uint32_t runnable)
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

/* ---- the form of an event */

/* Tries candidates at random until the model allows one. The model always allows the newest. */
static void sample(struct event *e, const uint16_t *candidates, unsigned nr,
		   bool (*try)(struct graph *g, struct item item))
{
	unsigned first = random_below(2) ? 0 : random_below(nr);

	for (unsigned i = 0; i < nr; i++) {
		unsigned k = (first + i) % nr;
		struct item item = { .event = (uint16_t)number_of(graph, e), .to = candidates[k] };

		if (try(graph, item))
			return;
	}
	try(graph, (struct item){ .event = (uint16_t)number_of(graph, e), .to = candidates[0] });
}

static void sample_read(struct event *e, const uint16_t *candidates, unsigned nr)
{
	sample(e, candidates, nr, take_read);
}

static void sample_write(struct event *e, const uint16_t *candidates, unsigned nr)
{
	if (nr > 1)
		sample(e, candidates, nr, take_write);
}

/* In most samples a thread that may stop makes some progress first. */
#define STOPS_ONE_IN 24

static unsigned sample_choice(const struct event *e)
{
	if (e->flags & F_STOP)
		return random_below(STOPS_ONE_IN) == 0;
	return random_below((unsigned)e->expected);
}

static void sample_other_choice(struct event *e)
{
	struct item item = { .event = (uint16_t)number_of(graph, e),
			     .to = (uint16_t)sample_choice(e) };

	if (!take_choice(graph, item))
		e->value = 0;
}

static void sample_begin(void)
{
	random_state = search.seed * 0x9e3779b97f4a7c15ul + 1;
	next_priorities();
}

static bool sample_next(void)
{
	if (result.executions + result.blocked + result.faulty >= search.samples)
		return false;
	graph_clear(graph, search.locations);
	next_priorities();
	return true;
}

const struct strategy strategy_sample = {
	.counted = " sampled", .extent = " in this sample",
	.begin = sample_begin, .next = sample_next, .pick = sample_pick,
	.read = sample_read, .write = sample_write, .choice = sample_other_choice,
};
