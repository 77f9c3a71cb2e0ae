/* SPDX-License-Identifier: MIT */
/*
 * Accesses by functions for numbers, words, sorting and dates.
 *
 * verdict strtol: found: use of freed memory: heap
 * verdict strtol_end: found: use of freed memory: heap
 * verdict strtoull: found: use of freed memory: heap
 * verdict strtod: found: use of freed memory: heap
 * verdict atoi: found: use of freed memory: heap
 * verdict getenv: found: use of freed memory: heap
 * verdict strtok: found: use of freed memory: heap
 * verdict strtok_r: found: use of freed memory: heap
 * verdict strsep: found: use of freed memory: heap
 * verdict sort: found: use of freed memory: heap
 * verdict gmtime: found: use of freed memory: heap
 * verdict localtime_r: found: use of freed memory: heap
 * verdict strftime: found: use of freed memory: heap
 * verdict two_cut: found: data race: write by T[01] and write by T[01] of strtok[(][)]'s place
 * verdict others_words: no fault
 * verdict sorted: no fault
 */
#define _GNU_SOURCE
#include <nap/check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "after_free.h"

static char *text;

static void make_text(void)
{
	text = malloc(64);
	strcpy(text, "abc");
}

static char *place;
static time_t noon = 43200;

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

AFTER_FREE(strtol, strtol(text, NULL, 0));
AFTER_FREE(strtol_end, strtol("1", (char **)(void *)text, 0));
AFTER_FREE(strtoull, strtoull(text, NULL, 0));
AFTER_FREE(strtod, strtod(text, NULL));
AFTER_FREE(atoi, atoi(text));
AFTER_FREE(getenv, getenv(text));
AFTER_FREE(strtok, strtok(text, ","));
AFTER_FREE(strtok_r, strtok_r(text, ",", &place));
AFTER_FREE(strsep, strsep(&text, ","));
AFTER_FREE(sort, (qsort(text, 3, 1, compare), 0));
AFTER_FREE(gmtime, gmtime((time_t *)(void *)text));
AFTER_FREE(localtime_r, localtime_r(&noon, (struct tm *)(void *)text));
AFTER_FREE(strftime, strftime(text, 4, "x", gmtime(&noon)));

/* All threads share the place at which strtok() is. */
static void cut(void *arg)
{
	char words[] = "a b";

	(void)arg;
	CHECK(!strcmp(strtok(words, " "), "a"));
	CHECK(!strcmp(strtok(NULL, " "), "b"));
	CHECK(!strtok(NULL, " "));
}

CHECK_SCENARIO(two_cut, .threads = { { cut }, { cut } });

/* Other threads may change the words that were cut off. */
static char line[] = "a,b,c";
static char *_Atomic word;

static void cut_line(void *arg)
{
	char *s = line;

	(void)arg;
	word = strsep(&s, ",");
	word = strtok_r(s, ",", &s);
	CHECK(!strcmp(strtok_r(NULL, ",", &s), "c"));
}

static void change_word(void *arg)
{
	char *w = word;

	(void)arg;
	if (w)
		*w = 'x';
}

CHECK_SCENARIO(others_words, .threads = { { cut_line }, { change_word } });

static void sort_all(void *arg)
{
	char some[] = "gbfaecdh";

	(void)arg;
	qsort(some, 8, 1, compare);
	CHECK(!strcmp(some, "abcdefgh"));
	CHECK(bsearch("c", some, 8, 1, compare) == some + 2);
}

CHECK_SCENARIO(sorted, .threads = { { sort_all } });
