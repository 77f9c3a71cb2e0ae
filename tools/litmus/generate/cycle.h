/* SPDX-License-Identifier: MIT */
/* A cycle on its way from words to a test: what the files of generate/ work on. */
#ifndef NAP_LITMUS_GENERATE_CYCLE_H
#define NAP_LITMUS_GENERATE_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "test/test.h"

#define CYCLE_EDGES	24
#define CYCLE_EVENTS	(2 * CYCLE_EDGES)	/* and those of threads that only watch */

enum edge_kind { EDGE_RF, EDGE_FR, EDGE_CO, EDGE_PO, EDGE_FENCE, EDGE_ADDR, EDGE_DATA, EDGE_CTRL,
		 EDGE_CTRL_FENCE, EDGE_RMW };

enum order { ORDER_UNSAID, ORDER_PLAIN, ORDER_ACQUIRE, ORDER_ACQUIRE_PC, ORDER_RELEASE, ORDER_SC };

/* What an edge is called: as an instruction, and in a test's name. */
struct spelling {
	const char *edge, *text, *name;
};

struct order_name {
	const char *word;
	enum order order;
};

struct edge {
	const char *word;
	int length;
	unsigned position;		/* in the cycle as it was given, from 1 */
	enum edge_kind kind;
	bool external, same;
	bool from_write, to_write;
	enum order from, to;
	const char *name;
	const struct spelling *spelling;	/* of a fence, of a read-modify-write */
};

struct event {
	bool write;
	enum order order;
	unsigned thread, location, value;
	unsigned reg;			/* a read's; a store-exclusive's status: 0 if it succeeded */
	bool has_status;
};

struct cycle {
	const struct language *language;
	unsigned nr;			/* edges and events; edge[i] is from event[i] to the next */
	unsigned nr_events;		/* with the watchers' */
	struct edge edge[CYCLE_EVENTS];
	struct event event[CYCLE_EVENTS];
	unsigned nr_threads, nr_locations;
	unsigned writes[CYCLE_EDGES];	/* of a location */
	char *message;
	size_t size;
	char name[160];
};

struct load_store;

/* A dialect: what it has, and how a cycle is written in it. The lists end in zeros. */
struct language {
	const char *title;
	const struct spelling *fences, *rmws;	/* the first fence is the full one */
	const struct order_name *orders;
	const char *control_fence;		/* what makes a control dependency order reads, too */
	bool has_dependencies;
	/* Why it has no read-modify-write with these orders; NULL: it has one. */
	const char *(*refuse)(const struct spelling *rmw, enum order read, enum order write);
	bool (*print)(FILE *out, struct cycle *cycle, const char *text);
	const struct load_store *load_store;	/* of such a machine (columns.h) */
};
extern const struct language language_kernel, language_c11, language_aarch64, language_riscv,
	language_x86;

/* edge.c: fills in @edge from @edge->word; @edge->from and to are the orders of its suffix. */
bool edge_read(struct cycle *cycle, struct edge *edge);
/* Whether the word is the name of an order. */
bool order_read(const struct language *language, const char *word, int length, enum order *order);

/* cycle.c: the edges, rotated to where a thread begins; checked. */
bool cycle_read(struct cycle *cycle, const char *text);
/* Sets the message; always false. @edge NULL: it is about the whole cycle. */
__attribute__((format(printf, 3, 4)))
bool cycle_refuse(struct cycle *cycle, const struct edge *edge, const char *why, ...);

/* place.c: threads, locations, values. */
bool cycle_place(struct cycle *cycle);

/* watch.c: adds threads that see the writes of a location in order, where nothing else shows it. */
bool cycle_watch(struct cycle *cycle);

/* name.c: fills in @cycle->name. */
void cycle_name(struct cycle *cycle);

/* Which edge leads to it within its thread; NULL: it is a thread's first. */
static inline const struct edge *edge_before(const struct cycle *cycle, unsigned event)
{
	if (!event || cycle->event[event - 1].thread != cycle->event[event].thread)
		return NULL;
	return &cycle->edge[event - 1];
}

/* The write of a read-modify-write; its read is the event before. */
static inline bool is_rmw_write(const struct cycle *cycle, unsigned event)
{
	const struct edge *before = edge_before(cycle, event);

	return before && before->kind == EDGE_RMW;
}

static inline bool is_rmw_read(const struct cycle *cycle, unsigned event)
{
	return event + 1 < cycle->nr_events && is_rmw_write(cycle, event + 1);
}

static inline char location_name(unsigned location)
{
	return "xyzabcdefghijklmnopqrstuvw"[location];
}

/* question.c: "exists (...)" */
void print_question(FILE *out, const struct cycle *cycle,
		    const char *(*register_name)(unsigned reg, char *buffer, size_t room));

#endif /* NAP_LITMUS_GENERATE_CYCLE_H */
