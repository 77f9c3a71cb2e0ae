/* SPDX-License-Identifier: MIT */
/*
 * Load buffering: a load reads a value that is written only because of a later store of the load's
 * own thread. No model here allows load buffering, and ARM and RISC-V do. So candidates are listed,
 * from the executions that the models here allow:
 *
 *	thread 1	L: load x, relaxed
 *			S: store y, relaxed	nothing between L and S orders them
 *	thread 2	reads S, and because of that (porf) does
 *			W: store x		L does not happen before W
 *
 * If neither an address, the data nor a branch makes S depend on L, a machine may do S first, and
 * then L may read W. The checker sees no dependencies: the reader has to argue each pair.
 */
#include <string.h>

#include "explore/search.h"
#include "graph/fatal.h"
#include "report/report.h"

#define MAX_PAIRS 4096

static struct { uintptr_t load, store, back; } pairs[MAX_PAIRS];
static unsigned nr_pairs;

static void note_pair(uintptr_t load, uintptr_t store, uintptr_t back)
{
	for (unsigned i = 0; i < nr_pairs; i++)
		if (pairs[i].load == load && pairs[i].store == store)
			return;
	if (nr_pairs == MAX_PAIRS)
		fatal("too many pairs");
	pairs[nr_pairs].load = load;
	pairs[nr_pairs].store = store;
	pairs[nr_pairs++].back = back;
}

static bool is_open_store(const struct graph *g, const struct event *e)
{
	return e->kind == E_WRITE && !(e->order & (O_RELEASE | O_PLAIN)) &&
	       !(e->flags & F_KERNEL) && g->locations[e->location].size;
}

/* Pairs loads of @back's location in @thread with later stores of the thread that lead to @back. */
static void pairs_with(struct graph *g, const struct event *back, unsigned thread)
{
	const struct event *open[MAX_EVENTS];
	unsigned nr_open = 0, ordered = (unsigned)vector_get(&back->clock, thread);

	for (unsigned i = (unsigned)vector_get(&back->prefix, thread); i > ordered; i--) {
		const struct event *e = &g->event[g->event_of[thread][i - 1]];

		if (e->kind == E_FENCE && e->order)
			nr_open = 0;
		else if (is_open_store(g, e))
			open[nr_open++] = e;
		else if (e->kind == E_READ && e->location == back->location &&
			 !(e->order & O_ACQUIRE) && !(e->flags & F_KERNEL))
			for (unsigned k = 0; k < nr_open; k++)
				if (open[k]->location != e->location)
					note_pair(e->pc, open[k]->pc, back->pc);
	}
}

void pairs_of_graph(void)
{
	struct graph *g = graph;

	for (unsigned i = 1; i < g->n; i++)
		for (unsigned t = 0; t < MAX_THREADS; t++)
			if (g->event[i].kind == E_WRITE && t != g->event[i].thread &&
			    g->locations[g->event[i].location].size)
				pairs_with(g, &g->event[i], t);
}

void pairs_print(void)
{
	static struct place where[3 * MAX_PAIRS];
	static uintptr_t pc[3 * MAX_PAIRS];

	for (unsigned i = 0; i < nr_pairs; i++)
		memcpy(&pc[3 * i], &pairs[i], sizeof(pairs[i]));
	places_of(pc, 3 * nr_pairs, where);
	for (unsigned i = 0; i < nr_pairs; i++)
		printf("# pair %s %s -> %s %s (back: %s %s)\n", where[3 * i].line,
		       where[3 * i].function, where[3 * i + 1].line, where[3 * i + 1].function,
		       where[3 * i + 2].line, where[3 * i + 2].function);
}
