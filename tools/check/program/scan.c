/* SPDX-License-Identifier: MIT */
/*
 * sscanf() reads the string and the format, and writes the objects that its arguments point to.
 * How many objects it writes is known when it has returned.
 */
#include <stdio.h>
#include <string.h>

#include "program/library.h"

/* A conversion after %, and how many bytes it writes; 0: as many as a string has. */
struct scanned {
	bool is_assigned;
	char letter;
	size_t size;
};

/* Returns the end of a set, whose first character may be ]. */
static const char *behind_set(const char *f)
{
	f += *f == '^';
	f += *f == ']';
	f = strchr(f, ']');
	return f ? f + 1 : "";
}

/* Returns the size after one more letter of a length. */
static size_t longer(char length, size_t size)
{
	if (length == 'h')
		return size == sizeof(short) ? 1 : sizeof(short);
	return length == 'L' ? sizeof(long double) : sizeof(long);
}

static size_t size_of(char letter, size_t length, size_t width)
{
	if (strchr("s[", letter))
		return 0;
	if (letter == 'c')
		return width ? width : 1;
	if (letter == 'p')
		return sizeof(void *);
	if (strchr("diouxXn", letter))
		return length ? length : sizeof(int);
	if (strchr("aAeEfFgG", letter))
		return length ? length : sizeof(float);
	give_up("a format of sscanf() that is not known: one that allocates, say");
}

static const char *scan_conversion(struct scanned *c, const char *f)
{
	size_t length = 0, width = 0;

	*c = (struct scanned){ .is_assigned = true };
	for (; *f && strchr("*'I0123456789hlLqjztZ", *f); f++) {
		if (*f == '*')
			c->is_assigned = false;
		else if (*f >= '0' && *f <= '9')
			width = 10 * width + (size_t)(*f - '0');
		else if (*f != '\'' && *f != 'I')
			length = longer(*f, length);
	}
	c->letter = *f;
	if (!*f)
		return f;
	c->is_assigned &= *f != '%';
	if (*f != '%')
		c->size = size_of(*f, length, width);
	if (length == sizeof(long) && strchr("sc[", *f))
		give_up("wide characters in sscanf()");
	return *f == '[' ? behind_set(f + 1) : f + 1;
}

/* Notes the writes of the first @n conversions, and of a %n after them, which is not counted. */
static void conversions_written(const char *format, int n, va_list args, uintptr_t pc)
{
	struct scanned c;

	for (const char *f = format; (f = strchr(f, '%')); ) {
		char *to;

		f = scan_conversion(&c, f + 1);
		if (!c.letter || !c.is_assigned)
			continue;
		if (c.letter != 'n' && !n--)
			break;
		to = va_arg(args, char *);
		plain_range((uintptr_t)to, c.size ? c.size : strlen(to) + 1, true, pc);
	}
}

static int scan(const char *s, const char *format, va_list args, uintptr_t pc)
{
	va_list again;
	int n;

	string_read(s, SIZE_MAX, pc);
	string_read(format, SIZE_MAX, pc);
	va_copy(again, args);
	n = vsscanf(s, format, again);
	va_end(again);
	if (n >= 0)
		conversions_written(format, n, args, pc);
	return n;
}

#pragma GCC visibility push(default)

/* Defines the function also under the names that C99 and C2x have in the C library. */
#define SCANS(name, list_name)							\
int __wrap_##list_name(const char *s, const char *format, va_list args);	\
int __wrap_##list_name(const char *s, const char *format, va_list args)		\
{										\
	return scan(s, format, args, PC);					\
}										\
int __wrap_##name(const char *s, const char *format, ...);			\
int __wrap_##name(const char *s, const char *format, ...)			\
{										\
	va_list args;								\
	int n;									\
										\
	va_start(args, format);							\
	n = scan(s, format, args, PC);						\
	va_end(args);								\
	return n;								\
}
SCANS(sscanf, vsscanf)
SCANS(__isoc99_sscanf, __isoc99_vsscanf)
SCANS(__isoc23_sscanf, __isoc23_vsscanf)
