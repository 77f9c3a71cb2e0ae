/* SPDX-License-Identifier: MIT */
/* The formats of printf(3): which arguments they take, and what these point to. */
#include <stddef.h>
#include <string.h>
#include <wchar.h>

#include "program/library.h"

/* The part of a conversion between % and the letter. */
struct conversion {
	bool wide;		/* an argument of 8 bytes, or a string of wide characters */
	bool long_double;
	bool has_precision;
	int precision;
	unsigned size;		/* of the argument of %n */
};

static void read_length(struct conversion *c, const char *f)
{
	c->wide |= strchr("lqjztZL", *f) != NULL;
	c->long_double |= *f == 'L';
	if (*f == 'h')
		c->size = c->size == sizeof(short) ? 1 : sizeof(short);
	else
		c->size = 8;
}

/* Reads flags, width, precision and length. Returns the position of the letter. */
static const char *read_conversion(struct conversion *c, const char *f, va_list *args)
{
	*c = (struct conversion){ .size = sizeof(int) };
	for (; *f && strchr("-+ #'I0123456789.*hlLqjztZ", *f); f++) {
		int n = *f == '*' ? va_arg(*args, int) : *f - '0';

		if (*f == '.') {
			c->has_precision = true;
			c->precision = 0;
		} else if (*f == '*' && c->has_precision) {
			c->has_precision = n >= 0;
			c->precision = n;
		} else if (n >= 0 && n <= 9 && *f != '*') {
			c->precision = 10 * c->precision + n;
		} else if (strchr("hlLqjztZ", *f)) {
			read_length(c, f);
		}
	}
	return f;
}

static void argument_read(const struct conversion *c, const void *s, uintptr_t pc)
{
	size_t most = c->has_precision ? (size_t)c->precision : SIZE_MAX;

	if (s && !c->wide)
		string_read(s, most, pc);
	else if (s && !c->has_precision)
		plain_range((uintptr_t)s, (wcslen(s) + 1) * sizeof(wchar_t), false, pc);
}

static void take_argument(const struct conversion *c, char letter, va_list *args, uintptr_t pc)
{
	switch (letter) {
	case '%': case 'm':
		break;
	case 's':
		argument_read(c, va_arg(*args, const void *), pc);
		break;
	case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
		if (c->long_double)
			(void)va_arg(*args, long double);
		else
			(void)va_arg(*args, double);
		break;
	case 'n':
		plain_range((uintptr_t)va_arg(*args, void *), c->size, true, pc);
		break;
	case 'p':
		(void)va_arg(*args, void *);
		break;
	case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': case 'c':
		if (c->wide)
			(void)va_arg(*args, long);
		else
			(void)va_arg(*args, int);
		break;
	default:
		give_up("a format of printf() that is not known: numbered arguments, say");
	}
}

void format_read(const char *format, va_list args, uintptr_t pc)
{
	struct conversion c;
	va_list left;

	string_read(format, SIZE_MAX, pc);
	va_copy(left, args);
	for (const char *f = format; (f = strchr(f, '%')); ) {
		f = read_conversion(&c, f + 1, &left);
		if (!*f)
			break;
		take_argument(&c, *f++, &left, pc);
	}
	va_end(left);
}
