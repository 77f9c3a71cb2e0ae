/* SPDX-License-Identifier: MIT */
#include "machine/fields.h"

#include <string.h>

#include "machine/symbols.h"

#define MAX_FIELDS	8192u
#define MAX_RANGES	8192u
#define NOT_NAMED	0u

struct field fields[MAX_FIELDS] = { { .type = "memory without a name" } };
unsigned nr_fields = 1;
struct site sites[MAX_SITES];

static struct range {
	uintptr_t base, size;
	const struct layout *layout;
	unsigned first;			/* its first field's number */
} ranges[MAX_RANGES];
static unsigned nr_ranges;

static const struct layout *layout_of(const char *type)
{
	for (unsigned i = 0; i < nr_layouts; i++)
		if (!strcmp(layouts[i].type, type))
			return &layouts[i];
	return NULL;
}

/* Returns the number of the type's first field. Objects of one type share their fields. */
static unsigned fields_of(const char *type, const struct layout *layout)
{
	unsigned nr = layout ? layout->nr : 1, first = nr_fields;

	for (unsigned i = 1; i < nr_fields; i++)
		if (!strcmp(fields[i].type, type))
			return i;
	if (nr_fields + nr > MAX_FIELDS)
		return NOT_NAMED;
	for (unsigned i = 0; i < nr; i++)
		fields[nr_fields++] = (struct field){
			.type = type, .name = layout ? layout->field[i].name : NULL,
		};
	return first;
}

void fields_name(const void *base, uintptr_t size, const char *type)
{
	const struct layout *layout = layout_of(type);
	unsigned at = nr_ranges;

	if (nr_ranges == MAX_RANGES)
		return;
	if (layout && size % layout->size)
		layout = NULL;
	while (at && ranges[at - 1].base > (uintptr_t)base)
		at--;
	if (at && ranges[at - 1].base == (uintptr_t)base)
		at--;
	else
		memmove(&ranges[at + 1], &ranges[at], (nr_ranges++ - at) * sizeof(ranges[0]));
	ranges[at] = (struct range){ (uintptr_t)base, size, layout, fields_of(type, layout) };
}

static unsigned field_in(const struct range *range, uintptr_t address)
{
	const struct layout *layout = range->layout;
	uint32_t offset, low = 0, high;

	if (!layout || range->first == NOT_NAMED)
		return range->first;
	offset = (uint32_t)((address - range->base) % layout->size);
	for (high = layout->nr; high - low > 1; ) {
		uint32_t middle = (low + high) / 2;

		if (layout->field[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return range->first + low;
}

static unsigned variable(uintptr_t address)
{
	const char *name = symbol_at(address);

	return name ? fields_of(name, NULL) : NOT_NAMED;
}

static unsigned field_at(uintptr_t address)
{
	unsigned low = 0, high = nr_ranges;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (ranges[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && address - ranges[low - 1].base < ranges[low - 1].size)
		return field_in(&ranges[low - 1], address);
	return variable(address);
}

static void count_site(unsigned field, uintptr_t pc, unsigned cpu, enum access access, uint64_t ps)
{
	unsigned at = (unsigned)((pc * 31 + field * 7919 + access) % MAX_SITES);

	for (unsigned tries = 0; tries < MAX_SITES; tries++, at = (at + 1) % MAX_SITES) {
		struct site *site = &sites[at];

		if (!site->pc)
			*site = (struct site){ .pc = pc, .field = field, .access = access };
		if (site->pc != pc || site->field != field || site->access != access)
			continue;
		site->moved++;
		site->waited += ps;
		site->cpus[cpu / 64] |= (uint64_t)1 << cpu % 64;
		return;
	}
}

void fields_count(uintptr_t address, uintptr_t pc, unsigned cpu, enum access access, uint64_t ps,
		  const struct moved *moved)
{
	unsigned number = field_at(address);
	struct field *field = &fields[number];

	field->moved[moved->far]++;
	field->waited += ps;
	field->queued += moved->queued;
	if (moved->far == FAR_MEMORY)
		return;
	field->by_access[access]++;
	field->cpus[cpu / 64] |= (uint64_t)1 << cpu % 64;
	count_site(number, pc, cpu, access, ps);
}

uint64_t field_transfers(const struct field *field)
{
	return field->moved[FAR_CLUSTER] + field->moved[FAR_NODE] + field->moved[FAR_REMOTE];
}

unsigned cpus_in(const uint64_t *set)
{
	unsigned n = 0;

	for (unsigned w = 0; w < MAX_CPUS / 64; w++)
		n += (unsigned)__builtin_popcountll(set[w]);
	return n;
}

void fields_forget(void)
{
	for (unsigned i = 0; i < nr_fields; i++)
		fields[i] = (struct field){ .type = fields[i].type, .name = fields[i].name };
	memset(sites, 0, sizeof(sites));
}
