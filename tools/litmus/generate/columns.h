/* SPDX-License-Identifier: MIT */
/* A test as a table, a column for each thread: what the instruction sets share. */
#ifndef NAP_LITMUS_GENERATE_COLUMNS_H
#define NAP_LITMUS_GENERATE_COLUMNS_H

#include "generate/cycle.h"

#define COLUMN_LINES	(6 * CYCLE_EDGES)

struct column {
	unsigned thread, nr, labels;
	char line[COLUMN_LINES][40];
	unsigned registers;		/* given away so far, of what there are */
	int address[CYCLE_EDGES];	/* a location's register; -1: has none yet */
	/* A register that is 0 and depends on a read; and what is to depend on it. -1: none. */
	int depends;
	enum edge_kind kind;
};

struct assembly {
	unsigned first, nr;		/* which registers can be used */
	const char *(*register_name)(unsigned reg, char *buffer, size_t room);
	bool has_addresses;		/* that registers hold, from the initial state */
	void (*edge)(struct column *column, const struct cycle *cycle, unsigned edge);
	void (*event)(struct column *column, struct cycle *cycle, unsigned event);
};

__attribute__((format(printf, 2, 3)))
void column_line(struct column *column, const char *format, ...);

unsigned column_register(struct column *column);
unsigned column_address(struct column *column, unsigned location);

/* The register that depends on a read as @kind, for one use; -1: none does. */
int column_depends(struct column *column, enum edge_kind kind);

bool print_columns(FILE *out, struct cycle *cycle, const char *text,
		   const struct assembly *assembly);

#endif /* NAP_LITMUS_GENERATE_COLUMNS_H */
