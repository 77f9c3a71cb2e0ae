/* SPDX-License-Identifier: MIT */
/*
 * A test's name, as MP+dmb.sy+addr. First comes the family: the directions of the threads'
 * accesses, and how the threads meet. Then comes what each thread does between its accesses, unless
 * that is program order alone.
 */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "generate/cycle.h"

/*
 * The families: for each thread its first and last access (R or W), and the edge to the next thread
 * (r, f or c for Rfe, Fre, Coe). The names are from Alglave, Maranget, Tautschnig: Herding cats,
 * 2014.
 */
static const struct family {
	const char *threads, *name;
} families[] = {
	{ "WWrRRf", "MP" }, { "WWcWRf", "R" }, { "WWrRWc", "S" }, { "WWcWWc", "2+2W" },
	{ "WRfWRf", "SB" }, { "RWrRWr", "LB" },
	{ "WrRWrRRf", "WRC" }, { "WrRRfWRf", "RWC" }, { "WrRWcWWc", "WRW+2W" },
	{ "WrRWcWRf", "WRW+WR" }, { "WrRWrRWc", "WWC" }, { "WrRRfWWc", "WRR+2W" },
	{ "WWrRRfWRf", "W+RWC" }, { "WWrRWrRRf", "ISA2" }, { "WWrRWcWRf", "Z6.0" },
	{ "WWcWWrRWc", "Z6.1" }, { "WWrRWrRWc", "Z6.2" }, { "WWcWWrRRf", "Z6.3" },
	{ "WWcWRfWRf", "Z6.4" }, { "WWcWWcWRf", "Z6.5" },
	{ "WrRRfWrRRf", "IRIW" }, { "WrRWcWrRWc", "IRWIW" }, { "WrRRfWrRWc", "IRRWIW" }, { 0 }
}, of_one_location[] = {
	{ "WrRRf", "CoRR" }, { "WRfWc", "CoWR" }, { "RWcWr", "CoRW" },
	{ "RWrRWr", "CoRW+RW" }, { 0 }
}, repeated[] = {
	{ "WRf", "SB" }, { "RWr", "LB" }, { "WWc", "2W" }, { 0 }
};

struct thread_part {
	char key[4];
	char edges[80];
};

struct parts {
	unsigned nr;
	struct thread_part thread[TEST_THREADS];
};

__attribute__((format(printf, 3, 4)))
static void append(char *to, size_t size, const char *format, ...)
{
	size_t length = strlen(to);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(to + length, size - length, format, arguments);
	va_end(arguments);
}

static char order_letter(enum order order)
{
	switch (order) {
	case ORDER_ACQUIRE: return 'a';
	case ORDER_ACQUIRE_PC: return 'q';
	case ORDER_RELEASE: return 'l';
	case ORDER_SC: return 's';
	default: return 'p';
	}
}

static bool says_same(const struct edge *edge)
{
	return edge->same && edge->kind != EDGE_RF && edge->kind != EDGE_FR &&
	       edge->kind != EDGE_CO && edge->kind != EDGE_RMW;
}

static void append_edge(struct thread_part *part, const struct cycle *cycle, unsigned i)
{
	const struct edge *edge = &cycle->edge[i];
	char from = order_letter(cycle->event[i].order);
	char to = order_letter(cycle->event[(i + 1) % cycle->nr].order);

	append(part->edges, sizeof(part->edges), "%s%s%s", *part->edges ? "-" : "", edge->name,
	       says_same(edge) ? "s" : "");
	if (from != 'p' || to != 'p')
		append(part->edges, sizeof(part->edges), "%c%c", from, to);
}

static void take_parts(struct parts *parts, const struct cycle *cycle)
{
	unsigned first = 0;

	*parts = (struct parts) { .nr = cycle->nr_threads };
	for (unsigned i = 0; i < cycle->nr; i++) {
		struct thread_part *part = &parts->thread[cycle->event[i].thread];

		if (!cycle->edge[i].external) {
			append_edge(part, cycle, i);
			continue;
		}
		append(part->key, sizeof(part->key), "%s%s%c",
		       first == i ? "" : cycle->event[first].write ? "W" : "R",
		       cycle->event[i].write ? "W" : "R", cycle->edge[i].name[0]);
		first = i + 1;
	}
}

/* Whether the threads, from @first on around the cycle, are those of @key. */
static bool family_matches(const struct parts *parts, unsigned first, const char *key)
{
	for (unsigned i = 0; i < parts->nr; i++) {
		const char *thread = parts->thread[(first + i) % parts->nr].key;

		if (strncmp(key, thread, strlen(thread)))
			return false;
		key += strlen(thread);
	}
	return !*key;
}

static bool all_same(const struct parts *parts, bool edges)
{
	for (unsigned i = 1; i < parts->nr; i++)
		if (edges ? strcmp(parts->thread[i].edges, parts->thread[0].edges)
		    : strcmp(parts->thread[i].key, parts->thread[0].key))
			return false;
	return true;
}

/* Returns the family, and in @first the thread that it begins with; or NULL. */
static const struct family *find_family(const struct parts *parts, const struct family *list,
					unsigned *first)
{
	for (; list->name; list++)
		for (*first = 0; *first < parts->nr; ++*first)
			if (family_matches(parts, *first, list->threads))
				return list;
	return NULL;
}

static const struct family *find_repeated(const struct parts *parts)
{
	for (const struct family *f = repeated; f->name && all_same(parts, false); f++)
		if (!strcmp(parts->thread[0].key, f->threads))
			return f;
	return NULL;
}

static void append_family(struct cycle *cycle, const struct parts *parts, unsigned *first)
{
	const struct family *family;

	family = find_family(parts, cycle->nr_locations == 1 ? of_one_location : families, first);
	if (family) {
		append(cycle->name, sizeof(cycle->name), "%s", family->name);
		return;
	}
	*first = 0;
	family = find_repeated(parts);
	if (family) {
		append(cycle->name, sizeof(cycle->name), "%u.%s", parts->nr, family->name);
		return;
	}
	for (unsigned i = 0; i < parts->nr; i++)
		append(cycle->name, sizeof(cycle->name), "%s%.*s", i ? "+" : "",
		       (int)strlen(parts->thread[i].key) - 1, parts->thread[i].key);
}

static bool says_nothing(const struct parts *parts)
{
	for (unsigned i = 0; i < parts->nr; i++) {
		const char *edges = parts->thread[i].edges;

		if (*edges && strcmp(edges, "po") && strcmp(edges, "pos"))
			return false;
	}
	return true;
}

/* Names the threads that do something. If all do the same, they are named once, in the plural. */
static void append_edges(struct cycle *cycle, struct parts *parts, unsigned first)
{
	struct parts named = { 0 };

	for (unsigned i = 0; i < parts->nr; i++)
		if (*parts->thread[(first + i) % parts->nr].edges)
			named.thread[named.nr++] = parts->thread[(first + i) % parts->nr];
	if (named.nr > 1 && all_same(&named, true)) {
		append(cycle->name, sizeof(cycle->name), "+%ss", named.thread[0].edges);
		return;
	}
	for (unsigned i = 0; i < named.nr; i++)
		append(cycle->name, sizeof(cycle->name), "+%s", named.thread[i].edges);
}

void cycle_name(struct cycle *cycle)
{
	struct parts parts;
	unsigned first;

	take_parts(&parts, cycle);
	append_family(cycle, &parts, &first);
	if (!says_nothing(&parts))
		append_edges(cycle, &parts, first);
}
