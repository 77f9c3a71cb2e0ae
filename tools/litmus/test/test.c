/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "test/test.h"

/*
 * Addresses of locations. They are so far apart that no index leads from one location to another.
 * They are no likely numbers of a test: a state would show such a number as the location's name.
 * They fit 31 bits.
 */
#define ADDRESS_OF(i) (0x5a3c0040ull + ((uint64_t)(i) << 20))

int test_find_location(const struct test *test, const char *name)
{
	for (unsigned i = 0; i < test->nr_locations; i++)
		if (!strcmp(test->location[i].name, name))
			return (int)i;
	return -1;
}

int test_location_at(const struct test *test, uint64_t address)
{
	for (unsigned i = 0; i < test->nr_locations; i++)
		if (test->location[i].address == address)
			return (int)i;
	return -1;
}

int test_location_around(const struct test *test, uint64_t address)
{
	for (unsigned i = 0; i < test->nr_locations; i++) {
		unsigned size = test->location[i].size ? test->location[i].size : 8;

		if (address - test->location[i].address - 1 < size - 1)
			return (int)i;
	}
	return -1;
}

static struct location *new_location(struct test *test, const char *name, unsigned size)
{
	struct location *location = &test->location[test->nr_locations];

	if (test->nr_locations == TEST_LOCATIONS)
		text_fail(test->text, test->text->begin, "more than %d locations", TEST_LOCATIONS);
	*location = (struct location) { .size = size, .thread = -1 };
	location->name = arena_text(test->arena, name, strlen(name));
	location->address = ADDRESS_OF(test->nr_locations);
	test->nr_locations++;
	return location;
}

unsigned test_location(struct test *test, const char *name, unsigned size)
{
	int found = test_find_location(test, name);

	if (found < 0)
		return (unsigned)(new_location(test, name, size) - test->location);
	if (!test->location[found].size)
		test->location[found].size = size;
	return (unsigned)found;
}

unsigned test_array(struct test *test, const char *name, unsigned nr, unsigned size)
{
	unsigned first = test->nr_locations;
	char element[80];

	for (unsigned i = 0; i < nr; i++) {
		snprintf(element, sizeof(element), "%s[%u]", name, i);
		new_location(test, element, size)->address = ADDRESS_OF(first) + i * (uint64_t)size;
		test->location[first + i].declared = size;
	}
	return first;
}

int test_find_register(const struct test *test, unsigned thread, const char *name)
{
	const struct thread *t = &test->thread[thread];

	for (unsigned i = 0; i < t->nr_registers; i++)
		if (t->reg[i].name && !strcmp(t->reg[i].name, name))
			return (int)i;
	return -1;
}

unsigned test_temporary(struct test *test, unsigned thread)
{
	struct thread *t = &test->thread[thread];

	if (t->nr_registers == TEST_REGISTERS)
		text_fail(test->text, test->text->begin, "thread %u uses more than %d registers",
			  thread, TEST_REGISTERS);
	return t->nr_registers++;
}

unsigned test_register(struct test *test, unsigned thread, const char *name)
{
	int found = test_find_register(test, thread, name);
	unsigned reg;

	if (found >= 0)
		return (unsigned)found;
	reg = test_temporary(test, thread);
	test->thread[thread].reg[reg].name = arena_text(test->arena, name, strlen(name));
	return reg;
}

struct instruction *test_add(struct test *test, unsigned thread, enum op op, const char *at)
{
	struct thread *t = &test->thread[thread];
	struct instruction *instruction;

	if (t->nr == t->room) {
		struct instruction *old = t->code;

		t->room = t->room ? 2 * t->room : 16;
		t->code = arena_alloc(test->arena, t->room * sizeof(*t->code));
		if (t->nr)
			memcpy(t->code, old, t->nr * sizeof(*t->code));
	}
	instruction = &t->code[t->nr++];
	*instruction = (struct instruction) { .op = op, .size = 4, .dst = -1, .high = -1,
					      .stored = -1, .at = at };
	return instruction;
}

void test_row(struct test *test, unsigned thread, const char *begin, const char *end)
{
	struct thread *t = &test->thread[thread];

	if (t->nr_rows == t->room_rows) {
		const char **old = t->row;

		t->room_rows = t->room_rows ? 2 * t->room_rows : 16;
		t->row = arena_alloc(test->arena, t->room_rows * sizeof(*t->row));
		if (t->nr_rows)
			memcpy(t->row, old, t->nr_rows * sizeof(*t->row));
	}
	t->row[t->nr_rows++] = arena_text(test->arena, begin, (size_t)(end - begin));
}

unsigned test_observe(struct test *test, struct observed what)
{
	for (unsigned i = 0; i < test->nr_observed; i++)
		if (test->observed[i].thread == what.thread &&
		    test->observed[i].number == what.number) {
			test->observed[i].hidden &= test->hiding;
			return i;
		}
	if (test->nr_observed == TEST_OBSERVED)
		text_fail(test->text, test->text->begin, "a state of more than %d parts",
			  TEST_OBSERVED);
	what.hidden = test->hiding;
	test->observed[test->nr_observed] = what;
	return test->nr_observed++;
}
