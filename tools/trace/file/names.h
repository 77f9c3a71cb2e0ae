/* SPDX-License-Identifier: MIT */
/*
 * Names of functions, by their addresses. The program may have ended. So the trace has the
 * program's map of memory, and the symbols come from the files of its modules. addr2line, where it
 * is installed, knows the lines, and names of C++ as they are written.
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
	bool carries;			/* a function of nap's own, which calls the program's */
};

struct names {
	struct name *name;
	size_t nr;
	uint32_t *slots;		/* index + 1, hashed by address */
	size_t nr_slots;
};

/* Returns the index of the name of @address, which is added if it is new. */
uint32_t names_index(struct names *names, uint64_t address);

/* Returns the index of the name of @address; UINT32_MAX if there is none. */
uint32_t names_find(const struct names *names, uint64_t address);

/* Fills in what the files say. @exe: another path of the executable, or NULL if there is none. */
void names_resolve(struct names *names, const struct raw *raw, const char *exe);
void names_free(struct names *names);

#endif /* TRACE_NAMES_H */
