/* SPDX-License-Identifier: MIT */
/*
 * sscanf() reads the text, and writes the results.
 *
 * options -Wno-format
 *
 * verdict sscanf_text: found: use of freed memory: heap
 * verdict sscanf_number: found: use of freed memory: heap
 * verdict sscanf_word: found: use of freed memory: heap
 * verdict all: no fault
 * verdict nothing_written: no fault
 * verdict too_long: found: out of bounds: 5 bytes at 0 of the 4 of heap
 * verdict from_memory: undecided: a format of sscanf[(][)] that is not known
 */
#define _GNU_SOURCE
#include <nap/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after_free.h"

static char *text;

static void make_text(void)
{
	text = malloc(4);
	strcpy(text, "abc");
}

static int number;

AFTER_FREE(sscanf_text, sscanf(text, "%d", &number));
AFTER_FREE(sscanf_number, sscanf("7", "%hd", (short *)(void *)text));
AFTER_FREE(sscanf_word, sscanf("7 xy", "%d%*c%s", &number, text));

static void scan_all(void *arg)
{
	char set[4], last;
	long large;
	double half;
	int n;

	(void)arg;
	CHECK(sscanf("1,2 xx]yz! .5%", "%d,%ld %*[^]]]%3[]yz]%c %lf%%%n", &number, &large, set, &last,
		     &half, &n) == 5);
	CHECK(number == 1 && large == 2 && !strcmp(set, "yz") && last == '!' && half == .5 && n == 14);
}

CHECK_SCENARIO(all, .threads = { { scan_all } });

/* sscanf() writes nothing for text that does not match, so two threads may scan at once. */
static void scan_number(void *arg)
{
	(void)arg;
	CHECK(sscanf("x", "%d", &number) == 0);
	CHECK(sscanf("", "%d", &number) == EOF);
}

CHECK_SCENARIO(nothing_written, .threads = { { scan_number }, { scan_number } });

static void scan_too_long(void *arg)
{
	(void)arg;
	sscanf("abcd", "%s", text);
}

CHECK_SCENARIO(too_long, .setup = make_text, .threads = { { scan_too_long } });

static void scan_memory(void *arg)
{
	char *s;

	(void)arg;
	sscanf("abcd", "%ms", &s);
}

CHECK_SCENARIO(from_memory, .threads = { { scan_memory } });
