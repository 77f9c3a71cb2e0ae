/* SPDX-License-Identifier: MIT */
/*
 * Call sites: which accesses of the source were executed with which order, and weakening some of
 * them (mutation).
 */
#ifndef NAP_CHECK_SITES_H
#define NAP_CHECK_SITES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

#define MAX_SITES 8192

/* In the order in which they were met; those of one scenario follow each other. */
struct site {
	uintptr_t pc;
	const char *scenario;
	uint8_t order, kind;
};
extern struct site sites[MAX_SITES];
extern unsigned nr_sites;
extern bool sites_wanted;	/* they are noted */

/* The order that an access at @pc has under the mutation. */
unsigned site_order(uintptr_t pc, unsigned order, unsigned kind);

/* PC[,PC...]:ORDER, of --weaken; what is wrong with it ends the program: exit 2. */
void site_weaken(const char *spec);
void sites_next_scenario(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SITES_H */
