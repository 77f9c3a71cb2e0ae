/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/text.h"

#define LONGEST (16u << 20)

static bool cannot(struct text *text, const char *path, const char *why)
{
	snprintf(text->message, sizeof(text->message), "%s: %s", path, why);
	return false;
}

/* Reads the file. Its size is not known before: it may be a pipe. */
static bool read_all(struct text *text, const char *path, FILE *file)
{
	char *buffer = NULL;
	size_t room = 4096, length = 0, n;

	for (;;) {
		char *wider = arena_alloc(text->arena, room + 1);

		if (length)
			memcpy(wider, buffer, length);
		buffer = wider;
		n = fread(buffer + length, 1, room - length, file);
		length += n;
		if (length < room)
			break;
		if (room >= LONGEST)
			return cannot(text, path, "longer than 16 MiB");
		room *= 4;
	}
	if (ferror(file))
		return cannot(text, path, strerror(errno));
	if (memchr(buffer, 0, length))
		return cannot(text, path, "not a text: it has a byte 0");
	buffer[length] = 0;
	text->begin = buffer;
	text->end = buffer + length;
	return true;
}

bool text_load(struct text *text, const char *path, struct arena *arena)
{
	FILE *file = fopen(path, "re");
	bool ok;

	text->name = arena_text(arena, path, strlen(path));
	text->arena = arena;
	text->message[0] = 0;
	if (!file)
		return cannot(text, path, strerror(errno));
	ok = read_all(text, path, file);
	fclose(file);
	return ok;
}

unsigned text_line(const struct text *text, const char *at)
{
	unsigned line = 1;

	for (const char *p = text->begin; p < at; p++)
		line += *p == '\n';
	return line;
}

unsigned text_column(const struct text *text, const char *at)
{
	const char *p = at;

	while (p > text->begin && p[-1] != '\n')
		p--;
	return (unsigned)(at - p) + 1;
}

bool is_word(const char *begin, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(begin, word, length);
}

void text_first_error(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	char next[300];

	snprintf(line, size, "it failed, and said nothing");
	for (bool first = true; file && fgets(next, sizeof(next), file); first = false) {
		if (first || strstr(next, "rror:"))
			snprintf(line, size, "%.*s", (int)strcspn(next, "\n"), next);
		if (strstr(next, "rror:"))
			break;
	}
	if (file)
		fclose(file);
}

void text_fail(struct text *text, const char *at, const char *format, ...)
{
	va_list arguments;
	int n;

	n = snprintf(text->message, sizeof(text->message), "%s:%u:%u: ", text->name,
		     text_line(text, at), text_column(text, at));
	if (n < 0 || (size_t)n >= sizeof(text->message))
		n = 0;
	va_start(arguments, format);
	vsnprintf(text->message + n, sizeof(text->message) - (size_t)n, format, arguments);
	va_end(arguments);
	text_leave(text);
}
