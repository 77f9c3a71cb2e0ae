/* SPDX-License-Identifier: MIT */
/*
 * <stdio.h>: printed arguments are read. The output is dropped: it would be printed in every
 * execution. --outcomes keeps what each thread prints. The checker models nothing else of streams,
 * and does not look at them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/library.h"
#include "program/outcome.h"

static int print(char *to, size_t size, const char *format, va_list args, uintptr_t pc)
{
	int length;

	format_read(format, args, pc);
	length = vsnprintf(to, size, format, args);
	if (size && length >= 0)
		plain_range((uintptr_t)to, (size_t)length < size ? (size_t)length + 1 : size,
			    true, pc);
	return length;
}

/* Formats a print, and drops the output, except for --outcomes. Returns its length. */
static int drop(const char *format, va_list args, uintptr_t pc)
{
	va_list again;
	char *text = NULL;
	int length;

	va_copy(again, args);
	length = print(NULL, 0, format, args, pc);
	if (outcomes_wanted && length > 0 && vasprintf(&text, format, again) > 0) {
		outcome_prints(text, (size_t)length);
		free(text);
	}
	va_end(again);
	return length;
}

/* Prints to @to. The result has to fit: an overflow is a fault before the write. */
static int print_all(char *to, const char *format, va_list args, uintptr_t pc)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = print(NULL, 0, format, again, pc);
	va_end(again);
	plain_range((uintptr_t)to, (size_t)length + 1, true, pc);
	return vsprintf(to, format, args);
}

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- printf() and the like, with arguments and with a va_list; @how does the work */

#define PRINTS(name, list_name, how, ...)					\
int __wrap_##list_name(__VA_ARGS__, const char *format, va_list args);		\
int __wrap_##list_name(__VA_ARGS__, const char *format, va_list args)		\
{										\
	return how;								\
}										\
int __wrap_##name(__VA_ARGS__, const char *format, ...);			\
int __wrap_##name(__VA_ARGS__, const char *format, ...)				\
{										\
	va_list args;								\
	int length;								\
										\
	va_start(args, format);							\
	length = how;								\
	va_end(args);								\
	return length;								\
}
PRINTS(fprintf, vfprintf, drop(format, args, PC), FILE *out)
PRINTS(dprintf, vdprintf, drop(format, args, PC), int fd)
PRINTS(snprintf, vsnprintf, print(to, size, format, args, PC), char *to, size_t size)
PRINTS(sprintf, vsprintf, print_all(to, format, args, PC), char *to)

int __wrap_vprintf(const char *format, va_list args);
int __wrap_vprintf(const char *format, va_list args)
{
	return drop(format, args, PC);
}

int __wrap_printf(const char *format, ...);
int __wrap_printf(const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = drop(format, args, PC);
	va_end(args);
	return length;
}

/* ---- functions without a format: they read their arguments, print, and return @result */

#define OUTPUT(type, name, parameters, result, prints)	\
type __wrap_##name parameters;				\
type __wrap_##name parameters				\
{							\
	type length = result;				\
							\
	prints;						\
	return length;					\
}
OUTPUT(int, puts, (const char *s), (int)STRING(s), outcome_prints_line(s))
OUTPUT(int, fputs, (const char *s, FILE *out), (int)STRING(s), outcome_prints(s, strlen(s)))
OUTPUT(int, fputs_unlocked, (const char *s, FILE *out), (int)STRING(s),
       outcome_prints(s, strlen(s)))
OUTPUT(size_t, fwrite, (const void *mem, size_t size, size_t n, FILE *out),
       (OBJECTS(mem, size * n), n), outcome_prints(mem, size * n))
OUTPUT(size_t, fwrite_unlocked, (const void *mem, size_t size, size_t n, FILE *out),
       (OBJECTS(mem, size * n), n), outcome_prints(mem, size * n))
OUTPUT(int, putchar, (int c), (unsigned char)c, outcome_prints_char(c))
OUTPUT(int, putchar_unlocked, (int c), (unsigned char)c, outcome_prints_char(c))
OUTPUT(int, putc, (int c, FILE *out), (unsigned char)c, outcome_prints_char(c))
OUTPUT(int, putc_unlocked, (int c, FILE *out), (unsigned char)c, outcome_prints_char(c))
OUTPUT(int, fputc, (int c, FILE *out), (unsigned char)c, outcome_prints_char(c))
OUTPUT(int, fputc_unlocked, (int c, FILE *out), (unsigned char)c, outcome_prints_char(c))

/* ---- functions that print nothing */

#define SILENT(type, name, parameters, result)	\
type __wrap_##name parameters;			\
type __wrap_##name parameters			\
{						\
	return result;				\
}
SILENT(int, fflush, (FILE *out), 0)
SILENT(int, fflush_unlocked, (FILE *out), 0)
SILENT(int, setvbuf, (FILE *out, char *buffer, int mode, size_t size), 0)
SILENT(void, setbuf, (FILE *out, char *buffer), (void)0)
SILENT(void, setlinebuf, (FILE *out), (void)0)
SILENT(void, perror, (const char *s), (void)(s && STRING(s)))
