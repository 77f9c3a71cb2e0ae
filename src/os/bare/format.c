/* SPDX-License-Identifier: MIT */
/* The part of printf() that names and messages need. */
#include <string.h>

#include "os/bare/bare.h"

struct out {
	char *at, *end;		/* @end is the place of the final 0 */
};

static void put(struct out *out, char c)
{
	if (out->at < out->end)
		*out->at++ = c;
}

static void put_string(struct out *out, const char *str)
{
	while (*str)
		put(out, *str++);
}

static void put_number(struct out *out, uint64_t n, unsigned int base)
{
	char digits[20];
	int len = 0;

	do {
		digits[len++] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	while (len)
		put(out, digits[--len]);
}

void nap__format_args(char *to, size_t size, const char *fmt, va_list args)
{
	struct out out = { to, to + size - 1 };

	for (; *fmt; fmt++) {
		if (*fmt != '%') {
			put(&out, *fmt);
			continue;
		}
		switch (*++fmt) {
		case 's':
			put_string(&out, va_arg(args, const char *));
			break;
		case 'u':
			put_number(&out, va_arg(args, unsigned int), 10);
			break;
		case 'p':
			put_string(&out, "0x");
			put_number(&out, (uintptr_t)va_arg(args, void *), 16);
			break;
		}
	}
	*out.at = '\0';
}

void nap__format(char *to, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	nap__format_args(to, size, fmt, args);
	va_end(args);
}
