/* SPDX-License-Identifier: MIT */
#ifndef NAP_SIM_OPTIONS_H
#define NAP_SIM_OPTIONS_H

#include "program/work.h"

#define MAX_CHOICES	32u

struct options {
	const struct sim_work *works[MAX_CHOICES];
	const struct sim_pool *pools[MAX_CHOICES];
	unsigned nr_works, nr_pools;
	uint64_t cpus[MAX_CHOICES];
	unsigned nr_cpus;		/* 0: all */
	uint64_t workers, producers, loops, tasks, grain_ns, seed;	/* 0 workers: one a CPU */
	const char *machine, *why, *svg;
	bool json, lists, helps, has_tasks, has_grain;
};

/* Reads the arguments, and the machine. False: the reason has been printed to stderr. */
bool options_read(struct options *options, int argc, char **argv);

#endif /* NAP_SIM_OPTIONS_H */
