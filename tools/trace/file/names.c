/* SPDX-License-Identifier: MIT */
#include "file/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/elf_symbols.h"
#include "file/lines.h"
#include "file/memory.h"
#include "file/raw.h"

/* A line of the memory map: where a file was mapped, from @offset on. */
struct mapping {
	uint64_t begin, end, offset;
	char *path;
};

struct map {
	struct mapping *mapping;
	size_t nr;
};

static uint32_t *slot_of(const struct names *names, uint64_t address)
{
	size_t i = (size_t)((address * 0x9e3779b97f4a7c15u) >> 32) & (names->nr_slots - 1);

	while (names->slots[i] && names->name[names->slots[i] - 1].address != address)
		i = (i + 1) & (names->nr_slots - 1);
	return &names->slots[i];
}

static void more_slots(struct names *names)
{
	free(names->slots);
	names->nr_slots = names->nr_slots ? 2 * names->nr_slots : 64;
	names->slots = resize(NULL, names->nr_slots, sizeof(*names->slots));
	memset(names->slots, 0, names->nr_slots * sizeof(*names->slots));
	for (size_t i = 0; i < names->nr; i++)
		*slot_of(names, names->name[i].address) = (uint32_t)i + 1;
}

uint32_t names_index(struct names *names, uint64_t address)
{
	uint32_t *slot;

	if (2 * names->nr >= names->nr_slots)
		more_slots(names);
	slot = slot_of(names, address);
	if (!*slot) {
		names->name = grow(names->name, names->nr, sizeof(*names->name));
		names->name[names->nr++] = (struct name){ .address = address };
		*slot = (uint32_t)names->nr;
	}
	return *slot - 1;
}

uint32_t names_find(const struct names *names, uint64_t address)
{
	return names->nr_slots ? *slot_of(names, address) - 1 : UINT32_MAX;
}

/* Keeps executable mappings only, because functions are in these. */
static void read_mapping(struct map *map, const char *line)
{
	unsigned long long begin, end, offset;
	char executes;
	int path = 0;

	if (sscanf(line, "%llx-%llx %*c%*c%c%*c %llx %*s %*s %n", &begin, &end, &executes, &offset,
		   &path) != 4 ||
	    executes != 'x' || !path || line[path] != '/')
		return;
	map->mapping = grow(map->mapping, map->nr, sizeof(*map->mapping));
	map->mapping[map->nr++] = (struct mapping){ begin, end, offset, strdup(line + path) };
}

static void read_map(struct map *map, const struct raw *raw)
{
	char *text = strndup(raw->maps.bytes, raw->maps.length),
	     *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		read_mapping(map, line);
	free(text);
}

/* Returns where a file is now: the executable may have moved since it ran. */
static const char *path_of(const struct mapping *mapping, const struct raw *raw, const char *exe)
{
	size_t length = strlen(mapping->path);

	if (exe && length == raw->exe.length && !memcmp(mapping->path, raw->exe.bytes, length))
		return exe;
	return mapping->path;
}

static bool is_in(const struct mapping *mapping, uint64_t address)
{
	return address >= mapping->begin && address < mapping->end;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/*
 * Names the functions in @mapping. The symbol table has a name where addr2line finds no debug
 * information.
 */
static void name_in(struct names *names, const struct mapping *mapping, const char *path)
{
	struct line_asked *asked = resize(NULL, names->nr, sizeof(*asked));
	struct elf elf;
	size_t nr = 0;

	if (elf_open(&elf, path)) {
		for (size_t i = 0; i < names->nr; i++)
			if (is_in(mapping, names->name[i].address))
				asked[nr++] = (struct line_asked){
					.address = elf_address(&elf, names->name[i].address -
									     mapping->begin +
									     mapping->offset)
				};
		if (nr)
			lines_ask(path, asked, nr);
		nr = 0;
		for (size_t i = 0; i < names->nr; i++) {
			struct name *name = &names->name[i];

			if (!is_in(mapping, name->address))
				continue;
			name->function = asked[nr].function ? asked[nr].function :
				copy(elf_symbol(&elf, asked[nr].address));
			name->file = asked[nr].file;
			name->line = asked[nr].line;
			nr++;
		}
		elf_close(&elf);
	}
	free(asked);
}

/* Names a function that no file names, by its place in a module or by its address. */
static char *by_number(const struct map *map, uint64_t address)
{
	char text[64];

	for (size_t i = 0; i < map->nr; i++) {
		const struct mapping *mapping = &map->mapping[i];

		if (!is_in(mapping, address))
			continue;
		snprintf(text, sizeof(text), "%.40s+0x%llx", basename(mapping->path),
			 (unsigned long long)(address - mapping->begin + mapping->offset));
		return strdup(text);
	}
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	return strdup(text);
}

void names_resolve(struct names *names, const struct raw *raw, const char *exe)
{
	struct map map = { NULL, 0 };

	read_map(&map, raw);
	for (size_t i = 0; i < map.nr; i++)
		name_in(names, &map.mapping[i], path_of(&map.mapping[i], raw, exe));
	for (size_t i = 0; i < names->nr; i++)
		if (!names->name[i].function)
			names->name[i].function = by_number(&map, names->name[i].address);
	for (size_t i = 0; i < map.nr; i++)
		free(map.mapping[i].path);
	free(map.mapping);
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		free(names->name[i].function);
		free(names->name[i].file);
	}
	free(names->name);
	free(names->slots);
}
