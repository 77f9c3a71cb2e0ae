/* SPDX-License-Identifier: MIT */
/* A cycle on its way from words to a test: the data of the files in generate/. */
#ifndef NAP_LITMUS_GENERATE_CYCLE_H
#define NAP_LITMUS_GENERATE_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "test/test.h"

#define CYCLE_EDGES	24
#define CYCLE_EVENTS	(2 * CYCLE_EDGES)	/* also those of threads that only watch */

enum edge_kind { EDGE_RF, EDGE_FR, EDGE_CO, EDGE_PO, EDGE_FENCE, EDGE_ADDR, EDGE_DATA, EDGE_CTRL,
		 EDGE_CTRL_FENCE, EDGE_RMW };

enum order { ORDER_UNSAID, ORDER_PLAIN, ORDER_ACQUIRE, ORDER_ACQUIRE_PC, ORDER_RELEASE, ORDER_SC };

/* The names of an edge: its word, its instruction, its part of a test's name. */
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
	unsigned position;		/* the edge's number in the cycle as given, from 1 */
	enum edge_kind kind;
	bool external, same;
	bool from_write, to_write;
	enum order from, to;
	const char *name;
	const struct spelling *spelling;	/* of a fence or a read-modify-write */
};

struct event {
	bool write;
	enum order order;
	unsigned thread, location, value;
	unsigned reg;			/* of a read; a store-exclusive's status: 0 on success */
	bool has_status;
};

struct cycle {
	const struct language *language;
	unsigned nr;			/* edges and events; edge[i] leads from event[i] on */
	unsigned nr_events;		/* also those of watchers */
	struct edge edge[CYCLE_EVENTS];
	struct event event[CYCLE_EVENTS];
	unsigned nr_threads, nr_locations;
	unsigned writes[CYCLE_EDGES];	/* by location */
	char *message;
	size_t size;
	char name[160];
};

struct load_store;

/* A dialect: its fences and operations, and how it writes a cycle. The lists end in zeros. */
struct language {
	const char *title;
	const struct spelling *fences, *rmws;	/* the first fence is the full one */
	const struct order_name *orders;
	const char *control_fence;		/* makes a control dependency order reads, too */
	bool has_dependencies;
	/* Says why the dialect has no read-modify-write with these orders; NULL: it has one. */
	const char *(*refuse)(const struct spelling *rmw, enum order read, enum order write);
	bool (*print)(FILE *out, struct cycle *cycle, const char *text);
	const struct load_store *load_store;	/* for load-store machines (columns.h) */
};
extern const struct language language_kernel, language_c11, language_aarch64, language_riscv,
	language_x86;

/* edge.c: fills in @edge from @edge->word; @edge->from and to get the orders of its suffix. */
bool edge_read(struct cycle *cycle, struct edge *edge);
/* Whether the word is the name of an order; fills in @order. */
bool order_read(const struct language *language, const char *word, int length, enum order *order);

/* cycle.c: reads the edges, rotates them to where a thread begins, and checks them. */
bool cycle_read(struct cycle *cycle, const char *text);
/* Sets the message; always returns false. @edge NULL: the message is about the whole cycle. */
__attribute__((format(printf, 3, 4)))
bool cycle_refuse(struct cycle *cycle, const struct edge *edge, const char *why, ...);

/* place.c: fills in threads, locations and values. */
bool cycle_place(struct cycle *cycle);

/* watch.c: adds threads that see the writes of a location in order, if nothing else shows it. */
bool cycle_watch(struct cycle *cycle);

/* name.c: fills in @cycle->name. */
void cycle_name(struct cycle *cycle);

/* Returns the edge that leads to the event within its thread; NULL: the thread's first event. */
static inline const struct edge *edge_before(const struct cycle *cycle, unsigned event)
{
	if (!event || cycle->event[event - 1].thread != cycle->event[event].thread)
		return NULL;
	return &cycle->edge[event - 1];
}

/* Whether the event is the write of a read-modify-write; the read is the event before it. */
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

/* question.c: prints "exists (...)" */
void print_question(FILE *out, const struct cycle *cycle,
		    const char *(*register_name)(unsigned reg, char *buffer, size_t room));

#endif /* NAP_LITMUS_GENERATE_CYCLE_H */
