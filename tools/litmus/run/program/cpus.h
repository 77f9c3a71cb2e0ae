/* SPDX-License-Identifier: MIT */
/*
 * The CPUs, in the orders in which neighbours run a test together: near each other (threads of one
 * core, then cores of one cache), on cores of their own, or far (caches and packages apart). Where
 * Linux says nothing of a CPU, it is a core of its own in one package.
 */
#ifndef LAB_CPUS_H
#define LAB_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "how.h"

#define MOST_ORDERS	3

struct cpu {
	int number;
	int thread, core, cache, package;	/* @thread: of its core, from 0 */
	int in_cache, in_package;		/* of the core, of the cache: from 0 */
};

struct cpus {
	unsigned nr, nr_orders;
	struct cpu cpu[CPU_SETSIZE];
	const char *name[MOST_ORDERS];
	int order[MOST_ORDERS][CPU_SETSIZE];
};

/* Returns the first number in a file of @cpu's in sysfs, or @missing. */
static int cpus_read(const char *sys, int cpu, const char *file, int missing)
{
	char path[300];
	FILE *in;
	int number;

	snprintf(path, sizeof(path), "%.200s/devices/system/cpu/cpu%d/%s", sys, cpu, file);
	in = fopen(path, "re");
	if (!in)
		return missing;
	if (fscanf(in, "%d", &number) != 1)
		number = missing;
	fclose(in);
	return number;
}

static void cpus_describe(struct cpu *cpu, const char *sys)
{
	int n = cpu->number;

	cpu->core = cpus_read(sys, n, "topology/thread_siblings_list", n);
	cpu->package = cpus_read(sys, n, "topology/physical_package_id", 0);
	cpu->cache = cpus_read(sys, n, "cache/index3/shared_cpu_list",
			       cpus_read(sys, n, "topology/cluster_cpus_list", cpu->package));
}

/* Returns the first thread of the CPU's core. */
static struct cpu *cpus_first(struct cpus *cpus, const struct cpu *cpu)
{
	struct cpu *first = cpus->cpu;

	while (first->core != cpu->core)
		first++;
	return first;
}

/* Numbers threads within cores, cores within caches, and caches within packages. */
static void cpus_rank(struct cpus *cpus)
{
	for (unsigned i = 0; i < cpus->nr; i++) {
		struct cpu *cpu = &cpus->cpu[i], *first = cpus_first(cpus, cpu);

		for (unsigned j = 0; j < i; j++) {
			const struct cpu *other = &cpus->cpu[j];

			cpu->thread += other->core == cpu->core;
			cpu->in_cache += other->cache == cpu->cache && !other->thread;
			cpu->in_package += other->package == cpu->package && !other->in_cache &&
				!other->thread && other->cache != cpu->cache;
		}
		cpu->in_cache = first->in_cache;
		cpu->in_package = first->in_package;
	}
}

static long long cpus_key(const struct cpu *cpu, int affinity)
{
	int key[5] = { cpu->package, cpu->cache, cpu->core, cpu->thread, cpu->number };
	long long all = 0;

	if (affinity == CORES)
		memcpy(key, (int [4]) { cpu->thread, cpu->package, cpu->cache, cpu->core },
		       4 * sizeof(*key));
	else if (affinity == FAR)
		memcpy(key, (int [4]) { cpu->thread, cpu->in_cache, cpu->in_package, cpu->package },
		       4 * sizeof(*key));
	for (unsigned i = 0; i < 5; i++)
		all = all << 12 | (key[i] & 4095);
	return all;
}

static int cpus_affinity;

static int cpus_compare(const void *a, const void *b)
{
	long long x = cpus_key(a, cpus_affinity), y = cpus_key(b, cpus_affinity);

	return x < y ? -1 : x > y;
}

/* Adds an order, unless it is there already. */
static void cpus_add_order(struct cpus *cpus, int affinity)
{
	static const char *const names[] = { "near", "cores", "far" };
	struct cpu sorted[CPU_SETSIZE];
	int *order = cpus->order[cpus->nr_orders];

	memcpy(sorted, cpus->cpu, sizeof(sorted));
	cpus_affinity = affinity;
	qsort(sorted, cpus->nr, sizeof(*sorted), cpus_compare);
	for (unsigned i = 0; i < cpus->nr; i++)
		order[i] = sorted[i].number;
	for (unsigned i = 0; i < cpus->nr_orders; i++)
		if (!memcmp(cpus->order[i], order, cpus->nr * sizeof(*order)))
			return;
	cpus->name[cpus->nr_orders++] = names[affinity];
}

/*
 * Takes the CPUs that the process may use, or the listed ones. False: the process may not use them.
 */
static bool cpus_find(struct cpus *cpus, const struct how *how, const char *sys)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	for (unsigned i = 0; i < how->nr_cpus; i++) {
		if (!CPU_ISSET(how->cpu[i], &set))
			return false;
		cpus->order[0][cpus->nr++] = how->cpu[i];
	}
	if (how->affinity == LISTED) {
		cpus->name[cpus->nr_orders++] = "listed";
		return true;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus->cpu[cpus->nr++].number = cpu;
	for (unsigned i = 0; i < cpus->nr; i++)
		cpus_describe(&cpus->cpu[i], sys);
	cpus_rank(cpus);
	for (int affinity = NEAR; affinity <= FAR; affinity++)
		if (how->affinity == ANY || how->affinity == affinity ||
		    (how->affinity == UNPINNED && affinity == NEAR))
			cpus_add_order(cpus, affinity);
	return cpus->nr > 0;
}

#endif /* LAB_CPUS_H */
