/* SPDX-License-Identifier: MIT */
/*
 * Call sites: the accesses of the source that were executed, with their orders; and mutation,
 * which weakens some of them.
 */
#ifndef NAP_CHECK_SITES_H
#define NAP_CHECK_SITES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define MAX_SITES 8192

/* Sites are in the order in which they were met, so those of one scenario follow each other. */
struct site {
	uintptr_t pc;
	const char *scenario;
	uint8_t order, kind;
};
extern struct site sites[MAX_SITES];
extern unsigned nr_sites;
extern bool sites_wanted;	/* sites are noted */

/* Returns the order that an access at @pc has under the mutation. */
unsigned site_order(uintptr_t pc, unsigned order, unsigned kind);

/* Takes PC[,PC...]:ORDER, of --weaken; a wrong @spec ends the program with status 2. */
void site_weaken(const char *spec);
void sites_next_scenario(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SITES_H */
