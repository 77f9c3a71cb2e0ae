/* SPDX-License-Identifier: MIT */
/*
 * Reads a topology file: a line has a key and its value, and a time has its unit. "#" begins a
 * comment. Each key that has no default is given once.
 */
#include "machine/topology.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct topology machine;

static const struct key {
	const char *name;
	size_t offset;
	bool is_time, optional;
	uint64_t least, most;		/* the bounds of a number */
} keys[] = {
#define NUMBER(name, least, most) \
	{ #name, offsetof(struct topology, name), false, false, least, most }
#define TIME(name) { #name, offsetof(struct topology, name), true, false, 0, 0 }
	NUMBER(cpus, 1, MAX_CPUS), NUMBER(cluster, 1, MAX_CPUS), NUMBER(node, 1, MAX_CPUS),
	{ "columns", offsetof(struct topology, columns), false, true, 1, MAX_CPUS },
	{ "hop", offsetof(struct topology, hop), true, true, 0, 0 },
	{ "link", offsetof(struct topology, link), true, true, 0, 0 },
	TIME(op), TIME(block), TIME(l1), TIME(l2), TIME(in_cluster), TIME(in_node), TIME(remote),
	TIME(memory), TIME(serve), TIME(hold), TIME(locked), NUMBER(buffer, 1, 64), TIME(relax),
	TIME(clock), TIME(syscall), TIME(context_switch), TIME(wake), TIME(wakeup), TIME(clone),
	TIME(start), TIME(yield), TIME(membarrier), TIME(ipi), TIME(interrupted), TIME(quantum),
	TIME(migrate), TIME(eventfd), TIME(epoll), TIME(alarm),
#undef TIME
#undef NUMBER
};
#define NR_KEYS		(sizeof(keys) / sizeof(keys[0]))

struct reader {
	const char *path;
	unsigned line;
	unsigned given[NR_KEYS];	/* the line that gives the key; 0: none yet */
	unsigned name_line, slow_line;
	char *why;
	size_t size;
};

__attribute__((format(printf, 3, 4)))
static bool refuse(struct reader *r, unsigned line, const char *format, ...)
{
	va_list args;
	int n = line ? snprintf(r->why, r->size, "%s:%u: ", r->path, line) :
		snprintf(r->why, r->size, "%s: ", r->path);

	if (n < 0 || (size_t)n >= r->size)
		return false;
	va_start(args, format);
	vsnprintf(r->why + n, r->size - (size_t)n, format, args);
	va_end(args);
	return false;
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 10);
	return !*end && !errno;
}

/* Reads "1.5" and "ns" as picoseconds. */
static bool duration(const char *text, const char *unit, uint64_t *value)
{
	double scale = !strcmp(unit, "ns") ? 1e3 : !strcmp(unit, "us") ? 1e6 :
		       !strcmp(unit, "ms") ? 1e9 : 0;
	char *end;
	double v;

	if (!scale || !isdigit((unsigned char)*text))
		return false;
	v = strtod(text, &end);
	if (*end || v * scale > 1e12)
		return false;
	*value = (uint64_t)(v * scale + 0.5);
	return true;
}

static bool read_slow(struct reader *r, struct topology *t, char **word, unsigned n)
{
	if (r->slow_line)
		return refuse(r, r->line, "slow is given twice, first in line %u", r->slow_line);
	r->slow_line = r->line;
	if (n != 4 || !number(word[1], &t->slow_from) || !number(word[2], &t->slow_to) ||
	    !number(word[3], &t->slow_percent) || t->slow_from > t->slow_to ||
	    !t->slow_percent || t->slow_percent > 100)
		return refuse(r, r->line, "slow takes the first CPU, the last, "
			      "and a speed of 1 to 100 percent");
	t->slow_to++;
	return true;
}

static bool read_key(struct reader *r, struct topology *t, char **word, unsigned n)
{
	unsigned k = 0;
	uint64_t *value;

	while (k < NR_KEYS && strcmp(keys[k].name, word[0]))
		k++;
	if (k == NR_KEYS)
		return refuse(r, r->line, "there is no key %s", word[0]);
	if (r->given[k])
		return refuse(r, r->line, "%s is given twice, first in line %u", word[0],
			      r->given[k]);
	r->given[k] = r->line;
	value = (uint64_t *)((char *)t + keys[k].offset);
	if (keys[k].is_time) {
		if (n != 3 || !duration(word[1], word[2], value))
			return refuse(r, r->line,
				      "%s takes a time of at most 1 s, as 2.5 ns, us or ms",
				      word[0]);
		return true;
	}
	if (n != 2 || !number(word[1], value) || *value < keys[k].least || *value > keys[k].most)
		return refuse(r, r->line, "%s takes a number from %llu to %llu", word[0],
			      (unsigned long long)keys[k].least, (unsigned long long)keys[k].most);
	return true;
}

static bool read_line(struct reader *r, struct topology *t, char *text)
{
	char *word[5], *rest;
	unsigned n = 0;

	text[strcspn(text, "#\n")] = 0;
	for (char *w = strtok_r(text, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
		if (n == 5)
			return refuse(r, r->line, "too many words");
		word[n++] = w;
	}
	if (!n)
		return true;
	if (!strcmp(word[0], "slow"))
		return read_slow(r, t, word, n);
	if (strcmp(word[0], "name"))
		return read_key(r, t, word, n);
	if (r->name_line)
		return refuse(r, r->line, "name is given twice, first in line %u", r->name_line);
	r->name_line = r->line;
	if (n != 2 || strlen(word[1]) >= sizeof(t->name))
		return refuse(r, r->line, "name takes one word of at most %zu letters",
			      sizeof(t->name) - 1);
	strcpy(t->name, word[1]);
	return true;
}

static unsigned line_of(struct reader *r, const char *name)
{
	for (unsigned k = 0; k < NR_KEYS; k++)
		if (!strcmp(keys[k].name, name))
			return r->given[k];
	return 0;
}

static bool is_whole(struct reader *r, struct topology *t)
{
	if (!r->name_line)
		return refuse(r, 0, "name is not given");
	for (unsigned k = 0; k < NR_KEYS; k++)
		if (!r->given[k] && !keys[k].optional)
			return refuse(r, 0, "%s is not given", keys[k].name);
	if (t->node % t->cluster)
		return refuse(r, line_of(r, "cluster"), "clusters of %u do not make a node of %u",
			      (unsigned)t->cluster, (unsigned)t->node);
	if (t->cpus % t->node)
		return refuse(r, line_of(r, "node"), "nodes of %u do not make %u CPUs",
			      (unsigned)t->node, (unsigned)t->cpus);
	if (t->columns && (t->node / t->cluster) % t->columns)
		return refuse(r, line_of(r, "columns"), "%u clusters do not fill rows of %u",
			      (unsigned)(t->node / t->cluster), (unsigned)t->columns);
	if (t->slow_to > t->cpus)
		return refuse(r, r->slow_line, "there is no CPU %u", (unsigned)t->slow_to - 1);
	if (!t->quantum)
		return refuse(r, line_of(r, "quantum"), "a quantum of no time never ends");
	return true;
}

bool topology_read(struct topology *t, const char *path, char *why, unsigned long size)
{
	struct reader r = { .path = path, .why = why, .size = size };
	FILE *file = fopen(path, "r");
	char text[256];
	bool good = true;

	memset(t, 0, sizeof(*t));
	if (!file)
		return refuse(&r, 0, "%s", strerror(errno));
	while (good && fgets(text, sizeof(text), file)) {
		r.line++;
		good = strchr(text, '\n') || feof(file) ? read_line(&r, t, text) :
			refuse(&r, r.line, "a line of more than %zu letters", sizeof(text) - 2);
	}
	if (good && ferror(file))
		good = refuse(&r, 0, "%s", strerror(errno));
	fclose(file);
	return good && is_whole(&r, t);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

uint64_t topology_distance(const struct topology *t, unsigned from, unsigned to, enum far *far)
{
	unsigned a = cluster_of(t, from), b = cluster_of(t, to);
	unsigned nodes = node_of(t, from) ^ node_of(t, to);
	uint64_t in_node = t->node / t->cluster;

	*far = FAR_CLUSTER;
	if (a == b)
		return t->in_cluster;
	if (nodes) {
		/* Nodes are linked as the corners of a cube, of as many dimensions as it takes. */
		*far = FAR_REMOTE;
		return t->remote + (uint64_t)(__builtin_popcount(nodes) - 1) * t->link;
	}
	*far = FAR_NODE;
	if (!t->columns)
		return t->in_node;
	a %= in_node;
	b %= in_node;
	return t->in_node + t->hop * (apart(a % t->columns, b % t->columns) +
				      apart(a / t->columns, b / t->columns) - 1);
}
