/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "show/show.h"

const char *event_letter(const struct test *test, unsigned event, char *buffer)
{
	unsigned number = event - test->nr_cells;

	if (event < test->nr_cells)
		sprintf(buffer, "init %.40s", test->cell[event].name);
	else if (number < 26)
		sprintf(buffer, "%c", 'a' + (char)number);
	else
		sprintf(buffer, "%c%u", 'a' + (char)(number % 26), number / 26);
	return buffer;
}

void print_source(FILE *out, const struct test *test, const char *at)
{
	size_t length = strcspn(at, "\n;|");

	while (length && isspace((unsigned char)at[length - 1]))
		length--;
	fprintf(out, "  %.*s  (line %u)", (int)length, at, text_line(test->text, at));
}

void print_event(FILE *out, const struct test *test, const struct execution *x, unsigned event)
{
	const struct path_event *e = &x->event[event];
	char letter[64], value[96];

	fprintf(out, "%s: ", event_letter(test, event, letter));
	if (x->thread[event] >= 0)
		fprintf(out, "P%d ", x->thread[event]);
	if (e->kind == EVENT_FENCE)
		fputs(fence_name(e->tags), out);
	else
		fprintf(out, "%c %s = %s", e->kind == EVENT_READ ? 'R' : 'W',
			test->cell[e->cell].name,
			value_text(test, x->value[event], e->size, value, sizeof(value)));
	if (e->from && e->from->at)
		print_source(out, test, e->from->at);
}
