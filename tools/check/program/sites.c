/* SPDX-License-Identifier: MIT */
/*
 * Call sites: which accesses of the source were executed with which order, weakening some of them
 * (mutation).
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define MAX_SITES 8192

/* In the order in which they were met; those of one scenario follow each other. */
static struct { uintptr_t pc; const char *scenario; uint8_t order, kind; } sites[MAX_SITES];
static unsigned nr_sites, first_of_scenario;

static uintptr_t weakened[64];
static unsigned nr_weakened, weakened_to;

static const char *const kinds[] = { "init", "load", "store", "fence", "rmw" };

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
	if (options.sites)
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
	exit(2);
}

/* PC[,PC...]:ORDER */
void site_weaken(const char *spec)
{
	char *at;

	do {
		if (nr_weakened == sizeof(weakened) / sizeof(weakened[0])) {
			fprintf(stderr, "--weaken: too many sites\n");
			exit(2);
		}
		weakened[nr_weakened++] = strtoul(spec, &at, 16);
		spec = at + 1;
	} while (*at == ',');
	if (*at != ':') {
		fprintf(stderr, "--weaken: PC[,PC...]:ORDER is wanted\n");
		exit(2);
	}
	weakened_to = order_of(spec);
}

void sites_next_scenario(void)
{
	first_of_scenario = nr_sites;
}

void sites_print(void)
{
	static struct place where[MAX_SITES];
	static uintptr_t pc[MAX_SITES];

	for (unsigned i = 0; i < nr_sites; i++)
		pc[i] = sites[i].pc;
	places_of(pc, nr_sites, where);
	for (unsigned i = 0; i < nr_sites; i++)
		printf("# site %s %s %s %s %#lx %s\n", where[i].line, where[i].function,
		       kinds[sites[i].kind], order_name(sites[i].order), pc[i], sites[i].scenario);
}
