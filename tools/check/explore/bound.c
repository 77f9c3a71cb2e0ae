/* SPDX-License-Identifier: MIT */
/*
 * Runs every schedule that has at most a given number of preemptions, one by one, without any
 * reduction (Musuvathi, Qadeer: Iterative Context Bounding for Systematic Testing of
 * Multithreaded Programs, PLDI 2007).
 */
#include "explore/alternatives.h"

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

static bool preempting;		/* the next event comes after a preemption */

static unsigned pick(unsigned current, uint32_t runnable)
{
	bool goes_on = current < MAX_THREADS && (runnable >> current & 1);
	unsigned first = goes_on ? current : (unsigned)__builtin_ctz(runnable);
	static unsigned decided;	/* the number of events at the last decision */

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
	if (goes_on && preemptions_used(graph) >= search.preemptions)
		return first;
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (t != first && (runnable >> t & 1))
			note(top(), ALT_THREAD, graph->n - 1, t);
	return first;
}

static unsigned flags(void)
{
	bool was = preempting;

	preempting = false;
	return was ? F_PREEMPTS : 0;
}

static void bound_begin(void)
{
	forced_thread = -1;
}

const struct strategy strategy_bound = {
	.counted = " bounded", .extent = " within the bound",
	.begin = bound_begin, .next = next_graph, .pick = pick, .flags = flags,
	.read = note_reads, .write = note_writes, .choice = note_choices,
};
