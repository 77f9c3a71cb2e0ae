/* SPDX-License-Identifier: MIT */
/*
 * Memory that functions of the C library allocate.
 *
 * options --leaks
 *
 * verdict strndup: found: use of freed memory: heap
 * verdict asprintf: found: use of freed memory: heap
 * verdict asprintf_to: found: use of freed memory: heap
 * verdict reallocarray: found: use of freed memory: heap
 * verdict posix_memalign: found: use of freed memory: heap
 * verdict freed: no fault
 * verdict no_room: found: out of bounds: 4 bytes at 0 of the 3 of heap
 * verdict left: found: leak: 
 */
#define _GNU_SOURCE
#include <nap/check.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after_free.h"

static char *text;

static void make_text(void)
{
	text = malloc(64);
	strcpy(text, "abc");
}

static char *copy;

AFTER_FREE(strndup, strndup(text, 2));
AFTER_FREE(asprintf, asprintf(&copy, "%s", text));
AFTER_FREE(asprintf_to, asprintf((char **)(void *)text, "x"));
AFTER_FREE(reallocarray, reallocarray(text, 2, 2) != NULL);
AFTER_FREE(posix_memalign, posix_memalign((void **)(void *)text, 8, 8));

/* The allocated text is the program's, which must free it. */
static void free_all(void *arg)
{
	(void)arg;
	copy = strndup("hello", 3);
	CHECK(!strcmp(copy, "hel"));
	free(copy);
	CHECK(asprintf(&copy, "%d %s", 5, "five") == 6 && !strcmp(copy, "5 five"));
	free(copy);
	copy = reallocarray(NULL, 2, 3);
	copy[5] = 'x';
	copy = reallocarray(copy, 2, 4);
	CHECK(copy[5] == 'x' && malloc_usable_size(copy) == 8);
	free(copy);
	copy = memalign(32, 4);
	CHECK((uintptr_t)copy % 32 == 0);
	free(copy);
	copy = NULL;
}

CHECK_SCENARIO(freed, .threads = { { free_all } });

static void copy_too_much(void *arg)
{
	(void)arg;
	strcpy(strndup("hello", 2), "hel");
}

CHECK_SCENARIO(no_room, .threads = { { copy_too_much } });

static void leave(void *arg)
{
	(void)arg;
	CHECK(strndup("hello", 2) != NULL);
}

CHECK_SCENARIO(left, .threads = { { leave } });
