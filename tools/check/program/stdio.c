/* SPDX-License-Identifier: MIT */
/*
 * <stdio.h>: the strings that are printed are read. Nothing comes of output, which would be that of
 * every execution.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program/caller.h"
#include "program/ops.h"
#include "program/shadow.h"

/* The strings that a format asks for are read. Of %n and widths in wide forms nothing is known. */
static void format_read(const char *format, va_list args, uintptr_t pc)
{
	string_read(format, SIZE_MAX, pc);
	for (const char *f = format; (f = strchr(f, '%')); ) {
		int wide = 0;

		for (f++; *f && strchr("-+ #0123456789.*hlLqjzt", *f); f++) {
			if (*f == '*')
				(void)va_arg(args, int);
			wide += *f == 'l' || *f == 'q' || *f == 'j' || *f == 'z' || *f == 't' || *f == 'L';
		}
		switch (*f) {
		case 0:
			return;
		case '%':
			f++;
			break;
		case 's': {
			const char *s = va_arg(args, const char *);

			if (s && !wide)
				string_read(s, SIZE_MAX, pc);
			break;
		}
		case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
			if (f[-1] == 'L')
				(void)va_arg(args, long double);
			else
				(void)va_arg(args, double);
			break;
		case 'p': case 'n':
			(void)va_arg(args, void *);
			break;
		default:
			if (wide)
				(void)va_arg(args, long);
			else
				(void)va_arg(args, int);
		}
	}
}

static int print(char *to, size_t size, const char *format, va_list args, uintptr_t pc)
{
	va_list again;

	va_copy(again, args);
	format_read(format, again, pc);
	va_end(again);
	return vsnprintf(to, size, format, args);
}

/* Declares @args, and @length: how long it is, or would be. */
#define PRINT(to, size, format)					\
	va_list args;						\
	int length;						\
								\
	va_start(args, format);					\
	length = print(to, size, format, args, PC);		\
	va_end(args)

#pragma GCC visibility push(default)

int __wrap_printf(const char *format, ...);
int __wrap_printf(const char *format, ...)
{
	PRINT(NULL, 0, format);
	return length;
}

int __wrap_fprintf(FILE *out, const char *format, ...);
int __wrap_fprintf(FILE *out, const char *format, ...)
{
	PRINT(NULL, 0, format);
	(void)out;
	return length;
}

int __wrap_snprintf(char *to, size_t size, const char *format, ...);
int __wrap_snprintf(char *to, size_t size, const char *format, ...)
{
	PRINT(to, size, format);
	if (size)
		plain_range((uintptr_t)to, (size_t)length < size ? (size_t)length + 1 : size, true, PC);
	return length;
}

/* As long as it is, it must fit: what would not is a fault before it is written. */
int __wrap_sprintf(char *to, const char *format, ...);
int __wrap_sprintf(char *to, const char *format, ...)
{
	PRINT(NULL, 0, format);
	plain_range((uintptr_t)to, (size_t)length + 1, true, PC);
	va_start(args, format);
	vsprintf(to, format, args);
	va_end(args);
	return length;
}

int __wrap_puts(const char *s);
int __wrap_puts(const char *s)
{
	return (int)string_read(s, SIZE_MAX, PC);
}

int __wrap_fputs(const char *s, FILE *out);
int __wrap_fputs(const char *s, FILE *out)
{
	(void)out;
	return (int)string_read(s, SIZE_MAX, PC);
}

int __wrap_putchar(int c);
int __wrap_putchar(int c)
{
	return c;
}

int __wrap_fflush(FILE *out);
int __wrap_fflush(FILE *out)
{
	(void)out;
	return 0;
}

void __wrap_perror(const char *s);
void __wrap_perror(const char *s)
{
	string_read(s, SIZE_MAX, PC);
}
