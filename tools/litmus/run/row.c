/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/assembly.h"
#include "run/plan.h"

static bool in_row_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static const char *row_word_end(const char *p, const char *end)
{
	while (p < end && in_row_word(*p))
		p++;
	return p;
}

static bool is_label(const struct plan *plan, unsigned thread, const char *begin, const char *end)
{
	const struct reading *reading = plan->test->thread[thread].reading;

	for (unsigned i = 0; reading && i < reading->nr_labels; i++) {
		const char *name = reading->label[i].name;

		if (name && strlen(name) == (size_t)(end - begin) &&
		    !memcmp(name, begin, (size_t)(end - begin)))
			return true;
	}
	return false;
}

/* Writes a word. All threads are in one file, and two may have a label L0. */
static void put_word(FILE *out, const struct plan *plan, unsigned thread, const char *begin,
		     const char *end)
{
	static const char both[] = ".aq.rl";	/* as herd writes .aqrl */
	size_t length = (size_t)(end - begin), suffix = strlen(both);

	if (is_label(plan, thread, begin, end))
		fprintf(out, ".Llab%u_%.*s", TEST_THREADS * plan->layout + thread, (int)length,
			begin);
	else if (length > suffix && !memcmp(end - suffix, both, suffix))
		fprintf(out, "%.*s.aqrl", (int)(length - suffix), begin);
	else
		fprintf(out, "%.*s", (int)length, begin);
}

void put_text(FILE *out, const struct plan *plan, unsigned thread, const char *begin,
	      const char *end)
{
	for (const char *p = begin; p < end;) {
		const char *behind = row_word_end(p, end);

		if (behind > p) {
			put_word(out, plan, thread, p, behind);
			p = behind;
			continue;
		}
		if (*p == '"' || *p == '\\')
			putc('\\', out);
		if (*p == '%')
			putc('%', out);
		putc(*p++, out);
	}
}

const char *put_labels(FILE *out, const struct plan *plan, unsigned thread, const char *row)
{
	const char *end = row + strlen(row), *behind;

	for (;;) {
		row += strspn(row, " \t");
		behind = row_word_end(row, end);
		if (behind == row || *behind != ':')
			return row;
		put_word(out, plan, thread, row, behind);
		fputs(": ", out);
		row = behind + 1;
	}
}
