/* SPDX-License-Identifier: MIT */
/*
 * Output functions read what they would print, and print nothing.
 *
 * options -Wno-format
 *
 * verdict fputs_unlocked: found: use of freed memory: heap
 * verdict fwrite: found: use of freed memory: heap
 * verdict printf_string: found: use of freed memory: heap
 * verdict printf_wide: found: use of freed memory: heap
 * verdict printf_n: found: use of freed memory: heap
 * verdict dprintf: found: use of freed memory: heap
 * verdict vprintf: found: use of freed memory: heap
 * verdict vsnprintf: found: use of freed memory: heap
 * verdict write: found: use of freed memory: heap
 * verdict to_file: undecided: write[(][)] to a file
 * verdict silent: no fault
 * verdict precise: no fault
 * verdict not_precise: found: out of bounds: 1 bytes at 3 of the 3 of heap
 * verdict numbered: undecided: a format of printf[(][)] that is not known
 */
#define _GNU_SOURCE
#include <nap/check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "after_free.h"

static char *text, room[64];

static void make_text(void)
{
	text = malloc(64);
	strcpy(text, "abc");
}

static int printed(const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vprintf(format, args);
	va_end(args);
	return length;
}

static int kept(const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(room, sizeof(room), format, args);
	va_end(args);
	return length;
}

AFTER_FREE(fputs_unlocked, fputs_unlocked(text, stdout));
AFTER_FREE(fwrite, fwrite(text, 1, 3, stdout));
AFTER_FREE(printf_string, printf("%*d %Lf %m %.*s", 3, 4, 1.0L, 2, text));
AFTER_FREE(printf_wide, printf("%ls", (wchar_t *)(void *)text));
AFTER_FREE(printf_n, printf("%hn", (short *)(void *)text));
AFTER_FREE(dprintf, dprintf(1, "%s", text));
AFTER_FREE(vprintf, printed("%s", text));
AFTER_FREE(vsnprintf, kept("%s", text));
AFTER_FREE(write, write(1, text, 3));

/* If the output were printed, its first line would not be a line of a verdict. */
static void print_all(void *arg)
{
	static const char line[] = "not ok 1 printed rc11: 1 executions, 0 blocked, 0.00 s: found\n";

	(void)arg;
	CHECK(fputc('\n', stdout) == '\n');
	CHECK(putc('\n', stderr) == '\n');
	CHECK(fwrite(line, 1, sizeof(line) - 1, stdout) == sizeof(line) - 1);
	CHECK(printed("%s", line) == sizeof(line) - 1);
	CHECK(dprintf(2, "%s", line) == sizeof(line) - 1);
	CHECK(fputs_unlocked(line, stderr) >= 0);
	CHECK(write(1, line, sizeof(line) - 1) == sizeof(line) - 1);
	CHECK(!setvbuf(stdout, NULL, _IONBF, 0));
}

CHECK_SCENARIO(silent, .threads = { { print_all } });

static void write_file(void *arg)
{
	(void)arg;
	CHECK(write(3, room, 1) == 1);
}

CHECK_SCENARIO(to_file, .threads = { { write_file } });

/* A string needs no end when so much of it is printed. */
static void print_three(void *arg)
{
	char *p = malloc(3);

	memcpy(p, "xyz", 3);
	CHECK(kept("%.3s|%.*s|%-5.2s", p, 2, p, p) == 12);
	CHECK(!strcmp(room, "xyz|xy|xy   "));
	if (arg)
		kept("%5.*s", -1, p);
}

CHECK_SCENARIO(precise, .threads = { { print_three } });
CHECK_SCENARIO(not_precise, .threads = { { print_three, room } });

static void print_numbered(void *arg)
{
	(void)arg;
	kept("%2$d %1$d", 1, 2);
}

CHECK_SCENARIO(numbered, .threads = { { print_numbered } });
