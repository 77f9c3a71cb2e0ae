/* SPDX-License-Identifier: MIT */
/*
 * What the addresses of functions are called. The program may have ended: the trace has its
 * map of memory, and the files of the modules have the symbols. addr2line, where it is installed,
 * knows the lines, and names of C++ as they are written.
 */
#ifndef TRACE_NAMES_H
#define TRACE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raw;

struct name {
	uint64_t address;
	char *function;			/* never NULL: the address itself, if nothing is known */
	char *file;			/* NULL: not known */
	unsigned line;
};

struct names {
	struct name *name;
	size_t nr;
	uint32_t *slots;		/* hashed by address: index + 1 */
	size_t nr_slots;
};

/* The index of the name of @address, which is added if it is new. */
uint32_t names_index(struct names *names, uint64_t address);

/* The index of the name of @address; UINT32_MAX: there is none. */
uint32_t names_find(const struct names *names, uint64_t address);

/* Fills in what the files say. @exe: another path of the executable, or NULL. */
void names_resolve(struct names *names, const struct raw *raw, const char *exe);
void names_free(struct names *names);

#endif /* TRACE_NAMES_H */
