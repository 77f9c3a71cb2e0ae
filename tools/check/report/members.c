/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/members.h"

/*
 * An entry of the debugging information (a DIE), as far as it says where something is and of which
 * type.
 */
struct entry {
	unsigned long offset, type;	/* where it is in the section; 0: no type */
	uint64_t address, size, at, nr;	/* of a variable; of a type; of a member; of an array */
	unsigned level;
	enum { OTHER, VARIABLE, STRUCTURE, ARRAY, MEMBER, RANGE, SAME } tag;
	char name[48];
};
static struct entry *entries;
static unsigned nr_entries, room;

/* ---- reading what readelf prints */

static const struct { const char *name; int tag; } tags[] = {
	{ "DW_TAG_variable", VARIABLE }, { "DW_TAG_structure_type", STRUCTURE },
	{ "DW_TAG_union_type", STRUCTURE }, { "DW_TAG_class_type", STRUCTURE },
	{ "DW_TAG_array_type", ARRAY }, { "DW_TAG_member", MEMBER },
	{ "DW_TAG_subrange_type", RANGE }, { "DW_TAG_typedef", SAME },
	{ "DW_TAG_const_type", SAME }, { "DW_TAG_volatile_type", SAME },
	{ "DW_TAG_atomic_type", SAME },
};

/* Begins the entry of a line like " <1><2d>: Abbrev Number: 2 (DW_TAG_variable)". */
static bool begin_entry(const char *line)
{
	const char *tag = strstr(line, "(DW_TAG_");
	struct entry e = { .nr = 1 };

	if (!tag || sscanf(line, " <%x><%lx>", &e.level, &e.offset) != 2)
		return false;
	for (unsigned i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (!strncmp(tag + 1, tags[i].name, strlen(tags[i].name)) &&
		    tag[1 + strlen(tags[i].name)] == ')')
			e.tag = tags[i].tag;
	if (nr_entries == room) {
		struct entry *more = realloc(entries, (room = 2 * room + 256) * sizeof(*entries));

		if (!more)
			return false;
		entries = more;
	}
	entries[nr_entries++] = e;
	return true;
}

/* Takes a name, before which its offset in another section may be printed. */
static void take_name(const char *value, struct entry *e)
{
	const char *text = *value == '(' && strstr(value, "): ") ? strstr(value, "): ") + 3 : value;

	snprintf(e->name, sizeof(e->name), "%.*s", (int)strcspn(text, "\t\n"), text);
	while (*e->name && e->name[strlen(e->name) - 1] == ' ')
		e->name[strlen(e->name) - 1] = 0;
}

/* Whether the attribute's name is @name, which blanks and a colon may follow. */
static bool is_called(const char *line, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(line, name, n) && (line[n] == ' ' || line[n] == ':');
}

/* Takes an attribute, of a line like "    <2e>   DW_AT_byte_size   : 8". */
static void take_attribute(const char *line, struct entry *e)
{
	const char *name = strstr(line, "DW_AT_"), *address;
	const char *value = name ? strstr(name, ": ") : NULL;

	if (!value)
		return;
	value += 2 + strspn(value + 2, " ");
	/* newer versions of readelf print the form before the value: "(data1) 8" */
	if (*value == '(' && value[strcspn(value, " )")] == ')')
		value += strcspn(value, ")") + 1;
	value += strspn(value, " ");
	address = strstr(value, "(DW_OP_addr: ");
	if (is_called(name, "DW_AT_name"))
		take_name(value, e);
	else if (is_called(name, "DW_AT_type"))
		e->type = *value == '<' ? strtoul(value + 1, NULL, 16) : 0;
	else if (is_called(name, "DW_AT_byte_size"))
		e->size = strtoul(value, NULL, 0);
	else if (is_called(name, "DW_AT_upper_bound"))
		e->nr = strtoul(value, NULL, 0) + 1;
	else if (is_called(name, "DW_AT_data_member_location"))
		e->at = strtoul(value, NULL, 0);
	else if (is_called(name, "DW_AT_location") && address)
		e->address = strtoul(address + 13, NULL, 16);
	else if (is_called(name, "DW_AT_specification") && *value == '<')
		e->type = strtoul(value + 1, NULL, 16);
}

void members_open(void)
{
	char command[96], line[512];
	FILE *pipe;

	snprintf(command, sizeof(command), "readelf -W --debug-dump=info /proc/%d/exe 2>/dev/null",
		 getpid());
	fflush(NULL);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe))
		if (!begin_entry(line) && nr_entries)
			take_attribute(line, &entries[nr_entries - 1]);
	if (pipe)
		pclose(pipe);
}

void members_close(void)
{
	free(entries);
	entries = NULL;
	nr_entries = room = 0;
}

/* ---- naming */

static const struct entry *entry_at(unsigned long offset)
{
	unsigned low = 0, high = nr_entries;

	while (offset && low < high) {
		unsigned middle = low + (high - low) / 2;

		if (entries[middle].offset == offset)
			return &entries[middle];
		if (entries[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

#define DEEPEST 16	/* types within types */

/* Returns the type without its names and qualifiers. */
static const struct entry *plain_type(unsigned long offset)
{
	const struct entry *e = entry_at(offset);

	for (unsigned i = 0; e && e->tag == SAME && i < DEEPEST; i++)
		e = entry_at(e->type);
	return e;
}

/* Returns the entry behind @e among those directly in @of; the first of these if @e is NULL. */
static const struct entry *next_in(const struct entry *of, const struct entry *e)
{
	for (e = e ? e + 1 : of + 1; e < entries + nr_entries && e->level > of->level; e++)
		if (e->level == of->level + 1)
			return e;
	return NULL;
}

static uint64_t size_of(const struct entry *type, unsigned depth)
{
	uint64_t nr = 1;

	if (!type || depth > DEEPEST || type->tag != ARRAY)
		return type ? type->size : 0;
	for (const struct entry *e = next_in(type, NULL); e; e = next_in(type, e))
		nr *= e->tag == RANGE ? e->nr : 1;
	return nr * size_of(plain_type(type->type), depth + 1);
}

/* Adds the indices of the element at the offset *@at, which becomes the offset in that element. */
static const struct entry *add_indices(const struct entry *array, uint64_t *at, char *out,
				       size_t size)
{
	const struct entry *element = plain_type(array->type);
	uint64_t part = size_of(array, 0), n = 0;

	for (const struct entry *e = next_in(array, NULL); e && part; e = next_in(array, e)) {
		if (e->tag != RANGE || !e->nr)
			continue;
		part /= e->nr;
		if (!part)
			break;
		n += (uint64_t)snprintf(out + n, size - n, "[%lu]", *at / part);
		*at %= part;
		if (n >= size)
			break;
	}
	return element;
}

/* Adds the name of the member at the offset *@at; returns its type, or NULL. */
static const struct entry *add_member(const struct entry *type, uint64_t *at, char *out,
				      size_t size)
{
	for (const struct entry *e = next_in(type, NULL); e; e = next_in(type, e)) {
		const struct entry *of = plain_type(e->type);

		if (e->tag != MEMBER || !of || *at < e->at || *at >= e->at + size_of(of, 0))
			continue;
		if (*e->name == '_')
			return NULL;	/* a member that is a library's own */
		*at -= e->at;
		if (*e->name)
			snprintf(out, size, ".%s", e->name);
		return of;
	}
	return NULL;
}

static void add_path(const struct entry *type, uint64_t at, char *out, size_t size)
{
	for (unsigned depth = 0;
	     type && depth < DEEPEST && (type->tag == ARRAY || type->tag == STRUCTURE); depth++) {
		size_t n = strlen(out);

		type = type->tag == ARRAY ? add_indices(type, &at, out + n, size - n) :
			add_member(type, &at, out + n, size - n);
	}
	if (at)
		snprintf(out + strlen(out), size - strlen(out), "+%#lx", at);
}

bool member_name(uintptr_t address, char *out, size_t size)
{
	for (unsigned i = 0; i < nr_entries; i++) {
		const struct entry *e = &entries[i], *named = e, *type;

		if (e->tag != VARIABLE || !e->address || address < e->address)
			continue;
		if (!*e->name && entry_at(e->type))
			named = entry_at(e->type);	/* declared apart, as in C++ */
		type = plain_type(named->type);
		if (!*named->name || !type || address - e->address >= size_of(type, 0))
			continue;
		snprintf(out, size, "%s", named->name);
		add_path(type, address - e->address, out, size);
		return true;
	}
	return false;
}
