/* SPDX-License-Identifier: MIT */
/* A test as a table, a column for each thread: the common part of the instruction sets. */
#ifndef NAP_LITMUS_GENERATE_COLUMNS_H
#define NAP_LITMUS_GENERATE_COLUMNS_H

#include "generate/cycle.h"

#define COLUMN_LINES	(6 * CYCLE_EDGES)

struct column {
	unsigned thread, nr, labels;
	char line[COLUMN_LINES][40];
	unsigned registers;		/* how many were given away so far */
	int address[CYCLE_EDGES];	/* the register with a location's address, or -1 */
	/*
	 * A register that is 0 and depends on a read, and the kind of the dependency that it
	 * serves; or -1.
	 */
	int depends;
	enum edge_kind kind;
};

struct assembly {
	unsigned first, nr;		/* the numbers of usable registers */
	const char *(*register_name)(unsigned reg, char *buffer, size_t room);
	bool has_addresses;		/* registers hold addresses, from the initial state on */
	void (*edge)(struct column *column, const struct cycle *cycle, unsigned edge);
	void (*event)(struct column *column, struct cycle *cycle, unsigned event);
};

__attribute__((format(printf, 2, 3)))
void column_line(struct column *column, const char *format, ...);

unsigned column_register(struct column *column);
unsigned column_address(struct column *column, unsigned location);

/* Uses up the register that depends on a read as @kind, and returns it; or -1. */
int column_depends(struct column *column, enum edge_kind kind);

bool print_columns(FILE *out, struct cycle *cycle, const char *text,
		   const struct assembly *assembly);

/* load_store.c: formats with registers as %u, in the order that each comment says. */
struct load_store {
	const char *zero;		/* to, from, from: makes a 0 that depends on from */
	const char *branch;		/* on; label */
	const char *sum;		/* to, base, zero (%d) */
	const char *constant;		/* to; value */
	const char *plus;		/* to, from; value */
	void (*load)(struct column *c, const struct event *event, unsigned base);
	void (*store)(struct column *c, const struct event *event, unsigned value, unsigned base);
	void (*exclusives)(struct column *c, const struct event *read, const struct event *write,
			   unsigned value, unsigned base);
	void (*one_instruction)(struct column *c, struct event *read, const struct event *write,
				const char *what, unsigned base);
};
void load_store_edge(struct column *c, const struct cycle *cycle, unsigned e);
void load_store_event(struct column *c, struct cycle *cycle, unsigned e);
unsigned load_store_constant(struct column *c, const struct load_store *how, unsigned value);

#endif /* NAP_LITMUS_GENERATE_COLUMNS_H */
