/* SPDX-License-Identifier: MIT */
/* Unions and structs of C: which members they have, and where. */
#ifndef NAP_LITMUS_C_RECORD_H
#define NAP_LITMUS_C_RECORD_H

#include "read/c.h"

#define C_RECORDS	16
#define C_MEMBERS	24

struct c_member {
	const char *name;
	unsigned offset, nr;		/* @nr: of an array's elements; else 0 */
	struct c_type type;
};

struct c_record {
	const char *name;		/* NULL: it has none */
	bool overlaps;			/* a union */
	unsigned size, align, nr;
	struct c_member member[C_MEMBERS];
};

/* The unions and structs that a test has defined so far. */
struct c_records {
	unsigned nr;
	struct c_record record[C_RECORDS];
};

/*
 * Reads a union or struct, "union name { ... }", or the name of a defined one. False: there is
 * neither.
 */
bool c_record_type(struct lexer *lexer, struct c_type *type);
/* Returns the member of @type, a union or struct. Fails at @at: there is none of this name. */
const struct c_member *c_member(struct lexer *lexer, const char *at, struct c_type type,
				const char *name);

#endif /* NAP_LITMUS_C_RECORD_H */
