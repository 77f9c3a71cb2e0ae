/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/outcome.h"
#include "program/threads.h"
#include "program/turns.h"

bool outcomes_wanted;

/* What each thread has printed in this execution; the last entry is for outside of threads. */
static struct print {
	char *text;
	size_t size, room;
} prints[MAX_THREADS + 1];

static int status;
static bool has_status;

void outcome_begin(void)
{
	has_status = false;
	for (unsigned t = 0; t <= MAX_THREADS; t++)
		prints[t].size = 0;
}

void outcome_status(int of)
{
	status = of & 0xff;
	has_status = true;
}

void outcome_prints(const void *text, size_t size)
{
	struct print *print = &prints[self];

	if (!outcomes_wanted || !size)
		return;
	/* No state of the thread shows what it has printed: to awaits.c this is not one call. */
	calls_of_checker += 2;
	if (size > print->room - print->size) {
		print->room = 2 * (print->size + size);
		print->text = realloc(print->text, print->room);
	}
	memcpy(print->text + print->size, text, size);
	print->size += size;
}

void outcome_prints_line(const char *text)
{
	outcome_prints(text, strlen(text));
	outcome_prints("\n", 1);
}

/* Writes as in C's source, except that what is not ASCII stays. */
static void write_quoted(FILE *out, const struct print *print)
{
	fputc('"', out);
	for (size_t i = 0; i < print->size; i++) {
		unsigned char c = (unsigned char)print->text[i];

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		else if (iscntrl(c))
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

char *outcome_text(void)
{
	const char *between = "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (has_status) {
		fprintf(out, "status %d", status);
		between = "; ";
	}
	for (unsigned t = 0; t <= MAX_THREADS; t++) {
		if (!prints[t].size)
			continue;
		fprintf(out, "%s%s prints ", between, t < MAX_THREADS ? thread_name(t) : "the end");
		write_quoted(out, &prints[t]);
		between = "; ";
	}
	if (!*between)
		fputs("nothing", out);
	fclose(out);
	return text;
}
