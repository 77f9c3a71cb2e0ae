/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "program/awaits.h"
#include "program/freed.h"
#include "program/knowledge.h"
#include "program/locations.h"
#include "program/siblings_learnt.h"

/* Writes the loops that wait, and the states that were noted. */
static void write_awaits(FILE *out)
{
	const struct await_table *t = &await_table;

	fprintf(out, "waits %u %lu\n", t->nr_loops, t->searches);
	for (unsigned i = 0; i < t->nr_loops; i++)
		fprintf(out, "%lx\n", t->loop[i]);
	for (unsigned i = 0; awaits_known && i < AWAIT_FUTURES; i++)
		if (t->future[i].history)
			fprintf(out, "%u %lx %lx %lx\n", i, t->future[i].history,
				t->future[i].state, t->future[i].writes);
}

static bool read_awaits(FILE *in)
{
	struct await_table *t = &await_table;
	struct await_future f;
	unsigned i;

	memset(t, 0, sizeof(*t));
	if (fscanf(in, "waits %u %lu\n", &t->nr_loops, &t->searches) != 2 ||
	    t->nr_loops > AWAIT_LOOPS)
		return false;
	awaits_known = t->nr_loops;
	for (i = 0; i < t->nr_loops; i++)
		if (fscanf(in, "%lx\n", &t->loop[i]) != 1)
			return false;
	while (fscanf(in, "%u %lx %lx %lx\n", &i, &f.history, &f.state, &f.writes) == 4) {
		if (i >= AWAIT_FUTURES)
			return false;
		t->future[i] = f;
	}
	return true;
}

void knowledge_write(FILE *out)
{
	fprintf(out, "reuse %u\n", reuse_wanted);
	locations_write(out);
	siblings_write(out);
	write_awaits(out);
}

bool knowledge_read(FILE *in)
{
	unsigned reuse;

	if (fscanf(in, "reuse %u\n", &reuse) != 1)
		return false;
	reuse_wanted |= reuse;
	return locations_read(in) && siblings_read(in) && read_awaits(in);
}

unsigned long knowledge_states(void)
{
	return awaits_known ? await_states : 0;
}
