/* SPDX-License-Identifier: MIT */
#include "program/sites.h"
#include "graph/graph.h"
#include "report/report.h"

static const char *const kinds[] = { "init", "load", "store", "fence", "rmw" };

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
