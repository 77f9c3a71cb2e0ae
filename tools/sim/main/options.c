/* SPDX-License-Identifier: MIT */
#include "main/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SIM_MACHINES
#define SIM_MACHINES	"tools/sim/topology"
#endif

enum { O_MACHINE = 256, O_CPUS, O_POOL, O_WORKERS, O_PRODUCERS, O_LOOPS, O_TASKS, O_GRAIN, O_SEED,
       O_JSON, O_SVG, O_WHY, O_LIST, O_HELP };

static const struct option long_options[] = {
	{ "machine", required_argument, NULL, O_MACHINE },
	{ "cpus", required_argument, NULL, O_CPUS }, { "pool", required_argument, NULL, O_POOL },
	{ "workers", required_argument, NULL, O_WORKERS },
	{ "producers", required_argument, NULL, O_PRODUCERS },
	{ "tasks", required_argument, NULL, O_TASKS },
	{ "grain", required_argument, NULL, O_GRAIN }, { "seed", required_argument, NULL, O_SEED },
	{ "json", no_argument, NULL, O_JSON }, { "svg", required_argument, NULL, O_SVG },
	{ "loops", required_argument, NULL, O_LOOPS }, { "why", required_argument, NULL, O_WHY },
	{ "list", no_argument, NULL, O_LIST }, { "help", no_argument, NULL, O_HELP }, { 0 },
};

static bool number(const char *name, const char *text, uint64_t least, uint64_t most,
		   uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && !errno && *value >= least && *value <= most)
		return true;
	fprintf(stderr, "nap-sim: --%s=%s: a number from %llu to %llu is wanted\n", name, text,
		(unsigned long long)least, (unsigned long long)most);
	return false;
}

static bool add_pool(struct options *o, const char *name)
{
	const struct sim_pool *pool = sim_pools;

	while (pool && strcmp(pool->name, name))
		pool = pool->next;
	if (!pool || o->nr_pools == MAX_CHOICES) {
		fprintf(stderr, "nap-sim: --pool=%s: there is no such pool; --list has them\n",
			name);
		return false;
	}
	o->pools[o->nr_pools++] = pool;
	return true;
}

static bool add_cpus(struct options *o, const char *text)
{
	if (o->nr_cpus == MAX_CHOICES) {
		fprintf(stderr, "nap-sim: --cpus: more than %u numbers\n", MAX_CHOICES);
		return false;
	}
	return number("cpus", text, 1, MAX_CPUS, &o->cpus[o->nr_cpus++]);
}

static bool add_work(struct options *o, const char *name)
{
	const struct sim_work *work = sim_works;

	while (work && strcmp(work->name, name))
		work = work->next;
	if (!work || o->nr_works == MAX_CHOICES) {
		fprintf(stderr, "nap-sim: %s: there is no such work; --list has them\n", name);
		return false;
	}
	o->works[o->nr_works++] = work;
	return true;
}

/* Calls @add for each word of a list with commas. */
static bool each(struct options *o, char *list, bool (*add)(struct options *o, const char *word))
{
	char *rest;

	if (!*list)
		return add(o, list);
	for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		if (!add(o, word))
			return false;
	return true;
}

static bool take(struct options *o, int option, char *value)
{
	switch (option) {
	case O_MACHINE: o->machine = value; return true;
	case O_WHY: o->why = value; return true;
	case O_SVG: o->svg = value; return true;
	case O_JSON: o->json = true; return true;
	case O_LIST: o->lists = true; return true;
	case O_HELP: o->helps = true; return true;
	case O_CPUS: return each(o, value, add_cpus);
	case O_POOL: return each(o, value, add_pool);
	case O_WORKERS: return number("workers", value, 1, MAX_CPUS, &o->workers);
	case O_PRODUCERS: return number("producers", value, 1, MAX_CPUS, &o->producers);
	case O_LOOPS: return number("loops", value, 1, 8, &o->loops);
	case O_TASKS: return o->has_tasks = number("tasks", value, 1, 10000000, &o->tasks);
	case O_GRAIN: return o->has_grain = number("grain", value, 0, 1000000000, &o->grain_ns);
	case O_SEED: return number("seed", value, 0, UINT64_MAX, &o->seed);
	}
	return false;	/* getopt has said why */
}

/* A name without a slash is one of the tree's machines. */
static bool read_machine(struct options *o)
{
	char path[512], why[600];

	if (strchr(o->machine, '/'))
		snprintf(path, sizeof(path), "%s", o->machine);
	else
		snprintf(path, sizeof(path), "%s/%s.topology", SIM_MACHINES, o->machine);
	if (topology_read(&machine, path, why, sizeof(why)))
		return true;
	fprintf(stderr, "nap-sim: %s\n", why);
	return false;
}

static bool is_possible(const struct options *o)
{
	for (unsigned i = 0; i < o->nr_cpus; i++)
		if (o->cpus[i] > machine.cpus) {
			fprintf(stderr, "nap-sim: --cpus=%llu: machine %s has %llu\n",
				(unsigned long long)o->cpus[i], machine.name,
				(unsigned long long)machine.cpus);
			return false;
		}
	for (unsigned w = 0; w < o->nr_works; w++)
		for (unsigned p = 0; p < o->nr_pools; p++)
			if (o->works[w]->nap_only && !o->pools[p]->is_nap) {
				fprintf(stderr,
					"nap-sim: %s: pool %s has not what this work uses, "
					"only nap has\n",
					o->works[w]->name, o->pools[p]->name);
				return false;
			}
	if (o->nr_works)
		return true;
	fprintf(stderr, "nap-sim: which work? --list has them, --help says the rest\n");
	return false;
}

bool options_read(struct options *o, int argc, char **argv)
{
	int option;

	*o = (struct options){ .machine = "server64", .producers = 1, .loops = 1 };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (!take(o, option, optarg))
			return false;
	if (o->lists || o->helps)
		return true;
	for (int i = optind; i < argc; i++)
		if (!add_work(o, argv[i]))
			return false;
	if (!o->nr_pools && sim_pools && !add_pool(o, "nap"))
		return false;
	return read_machine(o) && is_possible(o);
}
