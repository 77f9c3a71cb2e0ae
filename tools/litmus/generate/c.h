/* SPDX-License-Identifier: MIT */
/* A test as functions: the common part of the kernel's C and C11. */
#ifndef NAP_LITMUS_GENERATE_C_H
#define NAP_LITMUS_GENERATE_C_H

#include "generate/cycle.h"

/* How a dialect writes accesses. @place: a pointer, "x" or "x + (r0 & 128)"; @value: to write. */
struct c_words {
	const char *pointer;		/* "int *" */
	void (*load)(FILE *out, const struct event *event, const char *place);
	void (*store)(FILE *out, const struct event *event, const char *place, const char *value);
	/* @read, and the write after it */
	void (*rmw)(FILE *out, const struct event *read, const char *place, const char *what);
};

bool print_c(FILE *out, struct cycle *cycle, const char *text, const struct c_words *words);

#endif /* NAP_LITMUS_GENERATE_C_H */
