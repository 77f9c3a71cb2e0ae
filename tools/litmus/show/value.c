/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/show.h"

static int name_length(const char *name)
{
	size_t length = strlen(name);

	return (int)(length > 3 && !strcmp(name + length - 3, "[0]") ? length - 3 : length);
}

const char *value_text(const struct test *test, uint64_t value, unsigned size, char *buffer,
		       size_t room)
{
	int location = value ? test_location_at(test, value) : -1;

	if (location >= 0)	/* of an array's first element: the array's name */
		snprintf(buffer, room, "%.*s", name_length(test->location[location].name),
			 test->location[location].name);
	else
		snprintf(buffer, room, "%" PRId64, (int64_t)extended(value, size, size > 2));
	return buffer;
}

const char *observed_text(const struct test *test, const struct observed *what, char *buffer,
			  size_t room)
{
	/*
	 * "x[1]" has its brackets already; the slot where a compiled thread stores a register is
	 * shown as that register.
	 */
	if (what->thread < 0 && (test->location[what->number].thread >= 0 ||
				 strchr(test->location[what->number].name, '[')))
		snprintf(buffer, room, "%s", test->location[what->number].name);
	else if (what->thread < 0)
		snprintf(buffer, room, "[%s]", test->location[what->number].name);
	else
		snprintf(buffer, room, "%d:%s", what->thread,
			 test->thread[what->thread].reg[what->number].name);
	return buffer;
}

static const struct test *sorted;

static const char *shown_name(const struct observed *what)
{
	return what->thread < 0 ? sorted->location[what->number].name :
		sorted->thread[what->thread].reg[what->number].name;
}

/* Sorts threads first, then memory; r2 before r10. */
static int in_order(const void *a, const void *b)
{
	const struct observed *x = &sorted->observed[*(const unsigned *)a];
	const struct observed *y = &sorted->observed[*(const unsigned *)b];
	size_t lx, ly;

	if (x->thread != y->thread)
		return (unsigned)x->thread < (unsigned)y->thread ? -1 : 1;
	lx = strlen(shown_name(x));
	ly = strlen(shown_name(y));
	if (x->thread >= 0 && lx != ly)
		return lx < ly ? -1 : 1;
	return strcmp(shown_name(x), shown_name(y));
}

unsigned observed_size(const struct test *test, const struct observed *what)
{
	if (what->thread < 0 && test->location[what->number].size)
		return test->location[what->number].size;
	return 8;
}

void print_state(FILE *out, const struct test *test, const uint64_t *value)
{
	unsigned order[TEST_OBSERVED], nr = 0;
	char name[96], text[96];

	for (unsigned i = 0; i < test->nr_observed; i++)
		if (!test->observed[i].hidden)
			order[nr++] = i;
	sorted = test;
	qsort(order, nr, sizeof(*order), in_order);
	for (unsigned i = 0; i < nr; i++) {
		const struct observed *what = &test->observed[order[i]];

		fprintf(out, "%s%s=%s;", i ? " " : "",
			observed_text(test, what, name, sizeof(name)),
			value_text(test, value[order[i]], observed_size(test, what), text,
				   sizeof(text)));
	}
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = { "Always", "Sometimes", "Never", "Undecided" };

	return names[verdict];
}
