/* SPDX-License-Identifier: MIT */
/*
 * Names for the simulated memory, and what was paid under each name: for which field of which
 * object, and by which code.
 */
#ifndef NAP_SIM_FIELDS_H
#define NAP_SIM_FIELDS_H

#include "machine/lines.h"

/*
 * A type's fields, in the order of their offsets: build/sim/layouts.inc, from the debug
 * information.
 */
struct layout {
	const char *type;
	uint32_t size, nr;
	const struct layout_field {
		uint32_t offset, size;
		const char *name;
	} *field;
};
extern const struct layout layouts[];
extern const unsigned nr_layouts;

struct field {
	const char *type, *name;	/* @name: NULL if the whole object is one field */
	uint64_t moved[NR_FAR];		/* lines that came, by how far */
	uint64_t by_access[3];		/* the same, by enum access */
	uint64_t waited, queued;	/* ps of waiting; of these, behind other requests */
	uint64_t cpus[MAX_CPUS / 64];	/* CPUs that the lines came to */
};
extern struct field fields[];
extern unsigned nr_fields;

/* One place in the code that accesses one field. */
struct site {
	uintptr_t pc;
	unsigned field;
	enum access access;
	uint64_t moved, waited;
	uint64_t cpus[MAX_CPUS / 64];
};
#define MAX_SITES	16384u
extern struct site sites[MAX_SITES];	/* those without a pc are free */

/*
 * Names @size bytes at @base: as objects of the type @type, one after another, if there is a layout
 * of that type; otherwise as one field of this name. A later name covers an earlier one.
 */
void fields_name(const void *base, uintptr_t size, const char *type);

/*
 * Counts that CPU @cpu has paid @ps for a line that came to it, because of an access to @address.
 */
void fields_count(uintptr_t address, uintptr_t pc, unsigned cpu, enum access access, uint64_t ps,
		  const struct moved *moved);

/* Returns how many lines moved for @field, without first touches of memory. */
uint64_t field_transfers(const struct field *field);

/* How many CPUs are in @set. */
unsigned cpus_in(const uint64_t *set);

/* Forgets all counts; keeps the names. */
void fields_forget(void);

#endif /* NAP_SIM_FIELDS_H */
