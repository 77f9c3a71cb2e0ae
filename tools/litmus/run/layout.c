/* SPDX-License-Identifier: MIT */
/*
 * Lays out one instance of a test's locations: each location on a cache line of its own, all
 * locations close together, or each on a page of its own. The elements of an array lie side by
 * side.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/plan.h"

#define LINE 64
#define PAGE (4096 + 2 * LINE)	/* places in two pages differ, so that caches have room for both */

/* Whether the location is an array's element after the first. */
static bool goes_on(const struct test *test, unsigned i)
{
	return i && test->location[i].address - test->location[i - 1].address <= 8;
}

/*
 * Returns the bytes of the location: as C declares it or as the test accesses it, whichever is
 * more; 8 if neither is known.
 */
static unsigned size_of(const struct plan *plan, unsigned i)
{
	unsigned size = plan->test->location[i].size, accessed = plan->judged->location[i].size;

	if (size < accessed)
		size = accessed;
	return size ? size : 8;
}

void lay_out(struct plan *plan, enum layout layout)
{
	static const unsigned apart[] = { LINE, 8, PAGE };
	const struct test *test = plan->test;
	unsigned end = 0, unit = apart[layout];

	plan->layout = layout;
	for (unsigned i = 0; i < test->nr_locations; i++) {
		plan->size[i] = size_of(plan, i);
		if (!goes_on(test, i))
			end = (end + unit - 1) / unit * unit;
		plan->offset[i] = end;
		end += plan->size[i];
	}
	plan->stride = end ? (end + LINE - 1) / LINE * LINE : LINE;
}

int location_named(const struct test *test, const char *begin, const char *end)
{
	char name[96];
	int location;

	snprintf(name, sizeof(name), "%.*s", (int)(end - begin < 90 ? end - begin : 90), begin);
	location = test_find_location(test, name);
	if (location >= 0)
		return location;
	strcat(name, "[0]");
	return test_find_location(test, name);
}

void put_value(FILE *out, const struct plan *plan, uint64_t value)
{
	int location = value ? test_location_at(plan->test, value) : -1;

	if (location >= 0)
		fprintf(out, "(uintptr_t)(lab + %u)", plan->offset[location]);
	else
		fprintf(out, "0x%" PRIx64 "ull", value);
}
