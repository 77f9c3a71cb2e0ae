/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fatal.h"
#include "graph/graph.h"
#include "program/scenario.h"
#include "program/sites.h"

struct site sites[MAX_SITES];
unsigned nr_sites;
bool sites_wanted;

static unsigned first_of_scenario;

static uintptr_t weakened[64];
static unsigned nr_weakened, weakened_to;

static void note_site(uintptr_t pc, unsigned order, unsigned kind)
{
	for (unsigned i = first_of_scenario; i < nr_sites; i++)
		if (sites[i].pc == pc)
			return;
	if (nr_sites == MAX_SITES)
		fatal("too many sites");
	sites[nr_sites].pc = pc;
	sites[nr_sites].scenario = scenario->name;
	sites[nr_sites].order = (uint8_t)order;
	sites[nr_sites++].kind = (uint8_t)kind;
}

unsigned site_order(uintptr_t pc, unsigned order, unsigned kind)
{
	if (sites_wanted)
		note_site(pc, order, kind);
	for (unsigned i = 0; i < nr_weakened; i++)
		if (weakened[i] == pc)
			return weakened_to;
	return order;
}

static unsigned order_of(const char *name)
{
	static const unsigned orders[] = { O_RELAXED, O_ACQUIRE, O_RELEASE, O_ACQ_REL, O_SEQ_CST };

	for (unsigned i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (!strcmp(name, order_name(orders[i])))
			return orders[i];
	fprintf(stderr, "--weaken: %s is no order\n", name);
	leave(2);
}

/* @spec is PC[,PC...]:ORDER. */
void site_weaken(const char *spec)
{
	char *at;

	do {
		if (nr_weakened == sizeof(weakened) / sizeof(weakened[0])) {
			fprintf(stderr, "--weaken: too many sites\n");
			leave(2);
		}
		weakened[nr_weakened++] = strtoul(spec, &at, 16);
		spec = at + 1;
	} while (*at == ',');
	if (*at != ':') {
		fprintf(stderr, "--weaken: PC[,PC...]:ORDER is wanted\n");
		leave(2);
	}
	weakened_to = order_of(spec);
}

void sites_next_scenario(void)
{
	first_of_scenario = nr_sites;
}
