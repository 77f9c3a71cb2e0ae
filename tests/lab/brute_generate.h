/* SPDX-License-Identifier: MIT */
/* The parts of random programs, and what is known while a program is made. */
#ifndef NAP_TESTS_LAB_BRUTE_GENERATE_H
#define NAP_TESTS_LAB_BRUTE_GENERATE_H

#include "brute.h"

/* The features of a dialect; lists of orders end with -1. */
struct dialect {
	int regs, max_branch;
	bool addr, data_xor, exclusive, or_op, cas, new_value;
	int load[5], store[5], modify[6], fence[8];
};

struct maker {
	struct program *p;
	struct random *random;
	const struct dialect *d;
	int thread, accesses;
	unsigned modifies;	/* how many accesses are read-modify-writes, in percent */
	unsigned fences;	/* how often there is a fence between two accesses, in percent */
	bool through_address;	/* the next access depends on a read by its address alone */
	unsigned often;		/* by how much dependencies are more frequent than usual */
	unsigned loaded;	/* registers whose values were loaded, a bit each */
	int last_loaded, stores[MAX_LOCS];
};

enum want { ANY, READ, WRITE };

extern const struct dialect dialects[MODELS];

/* brute_section.c */
void add_rcu(struct program *p, struct random *random);

void unit(struct maker *m, int loc, enum want want);

#endif
