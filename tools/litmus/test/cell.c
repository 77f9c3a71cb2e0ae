/* SPDX-License-Identifier: MIT */
/*
 * Cells. A location is cut where an access begins or ends inside of it, and nowhere else. So each
 * access is one whole cell or several. These may be of two elements of an array.
 */
#include <stdio.h>
#include <string.h>

#include "test/test.h"

static void add_cell(struct test *test, unsigned location, unsigned offset, unsigned size)
{
	const struct location *at = &test->location[location];
	struct cell *cell = &test->cell[test->nr_cells];
	char name[100];

	if (test->nr_cells == TEST_CELLS)
		text_fail(test->text, test->text->begin, "more than %d locations and parts of them",
			  TEST_CELLS);
	*cell = (struct cell) { .location = location, .offset = offset, .size = size,
				.name = at->name };
	if (at->cuts) {
		snprintf(name, sizeof(name), "%.80s+%u", at->name, offset);
		cell->name = arena_text(test->arena, name, strlen(name));
	}
	test->nr_cells++;
}

void test_cells(struct test *test)
{
	test->nr_cells = 0;
	test->recut = false;
	for (unsigned i = 0; i < test->nr_locations; i++) {
		struct location *location = &test->location[i];
		unsigned begin = 0;

		location->first_cell = test->nr_cells;
		for (unsigned end = 1; end < location->size; end++)
			if (location->cuts >> end & 1) {
				add_cell(test, i, begin, end - begin);
				begin = end;
			}
		add_cell(test, i, begin, location->size - begin);
		location->nr_cells = test->nr_cells - location->first_cell;
	}
}

uint64_t cell_address(const struct test *test, unsigned cell)
{
	return test->location[test->cell[cell].location].address + test->cell[cell].offset;
}

int cell_at(const struct test *test, uint64_t address)
{
	for (unsigned i = 0; i < test->nr_cells; i++)
		if (cell_address(test, i) == address)
			return (int)i;
	return -1;
}

bool test_is_whole(const struct test *test, const struct location *location)
{
	return test_is_c(test) && !location->split;
}

void test_split(struct test *test, unsigned location)
{
	struct location *split = &test->location[location];

	split->split = true;
	if (!split->declared)
		split->declared = split->size;
}

void cell_split(struct test *test, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < test->nr_locations; i++) {
		struct location *location = &test->location[i];
		bool apart = address - location->address >= location->size &&
			location->address - address >= size;

		if (!location->size || apart || location->split ||
		    (location->address == address && location->size == size))
			continue;
		test_split(test, i);
		test->recut = true;
	}
}

/*
 * Whether one event stands for each access there, whatever its size: the sizes are not known yet.
 */
static bool is_loose(const struct test *test, const struct cell *cell)
{
	const struct location *location = &test->location[cell->location];

	return test_is_c(test) ? !location->split : !location->cuts && !location->declared;
}

unsigned cell_span(const struct test *test, unsigned first, unsigned size)
{
	unsigned have = 0, nr = 0;

	if (is_loose(test, &test->cell[first]))
		return 1;
	while (have < size && first + nr < test->nr_cells) {
		if (cell_address(test, first + nr) != cell_address(test, first) + have)
			return 0;
		have += test->cell[first + nr++].size;
	}
	return have == size ? nr : 0;
}

/* Returns the location that has the byte at this address, or could grow to have it; or NULL. */
static struct location *location_with(struct test *test, uint64_t address)
{
	for (unsigned i = 0; i < test->nr_locations; i++) {
		struct location *location = &test->location[i];
		unsigned size = location->declared ? location->declared : TEST_BYTES;

		if (address - location->address < size)
			return location;
	}
	return NULL;
}

/* Makes @address the beginning of a cell, if it is within a location. */
static void cut_before(struct test *test, uint64_t address)
{
	struct location *location = location_with(test, address);
	uint64_t offset = location ? address - location->address : 0;

	if (offset && offset < location->size && !(location->cuts >> offset & 1)) {
		location->cuts |= 1u << offset;
		test->recut = true;
	}
}

bool cell_cut(struct test *test, uint64_t address, unsigned size)
{
	struct location *location;

	for (unsigned i = 0; i < size; i++)
		if (!location_with(test, address + i))
			return false;
	location = location_with(test, address + size - 1);
	if (location->address + location->size < address + size) {
		if (location->size)	/* what was whole until now ends here */
			location->cuts |= 1u << location->size;
		location->size = (unsigned)(address + size - location->address);
		test->recut = true;
	}
	cut_before(test, address);
	cut_before(test, address + size);
	return true;
}
