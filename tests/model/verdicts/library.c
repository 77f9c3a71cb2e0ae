/* SPDX-License-Identifier: MIT */
/*
 * Accesses by functions on strings and memory, one function a scenario: of freed memory, and of no
 * more bytes than decide the result.
 *
 * verdict strcasecmp: found: use of freed memory: heap
 * verdict strncasecmp: found: use of freed memory: heap
 * verdict strncmp: found: use of freed memory: heap
 * verdict strspn: found: use of freed memory: heap
 * verdict strcspn: found: use of freed memory: heap
 * verdict strpbrk: found: use of freed memory: heap
 * verdict strcoll: found: use of freed memory: heap
 * verdict strverscmp: found: use of freed memory: heap
 * verdict strchrnul: found: use of freed memory: heap
 * verdict index: found: use of freed memory: heap
 * verdict rindex: found: use of freed memory: heap
 * verdict strcasestr: found: use of freed memory: heap
 * verdict stpcpy: found: use of freed memory: heap
 * verdict stpncpy: found: use of freed memory: heap
 * verdict strxfrm: found: use of freed memory: heap
 * verdict strerror_r: found: use of freed memory: heap
 * verdict bcmp: found: use of freed memory: heap
 * verdict rawmemchr: found: use of freed memory: heap
 * verdict memrchr: found: use of freed memory: heap
 * verdict memmem: found: use of freed memory: heap
 * verdict mempcpy: found: use of freed memory: heap
 * verdict memccpy: found: use of freed memory: heap
 * verdict bcopy: found: use of freed memory: heap
 * verdict bzero: found: use of freed memory: heap
 * verdict explicit_bzero: found: use of freed memory: heap
 * verdict swab: found: use of freed memory: heap
 * verdict memfrob: found: use of freed memory: heap
 * verdict found_before_the_end: no fault
 * verdict not_found: found: out of bounds: 1 bytes at 4 of the 4 of heap
 * verdict same_to_the_end: found: out of bounds: 1 bytes at 4 of the 4 of heap
 */
#define _GNU_SOURCE
#include <nap/check.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "after_free.h"

static char *text, room[64];

static void make_text(void)
{
	text = malloc(4);
	strcpy(text, "abc");
}

AFTER_FREE(strcasecmp, strcasecmp(text, "x"));
AFTER_FREE(strncasecmp, strncasecmp(text, "x", 2));
AFTER_FREE(strncmp, strncmp("x", text, 2));
AFTER_FREE(strspn, strspn(text, "x"));
AFTER_FREE(strcspn, strcspn("x", text));
AFTER_FREE(strpbrk, strpbrk(text, "x"));
AFTER_FREE(strcoll, strcoll("x", text));
AFTER_FREE(strverscmp, strverscmp("x", text));
AFTER_FREE(strchrnul, strchrnul(text, 1));
AFTER_FREE(index, index(text, 1));
AFTER_FREE(rindex, rindex(text, 1));
AFTER_FREE(strcasestr, strcasestr(text, "x"));
AFTER_FREE(stpcpy, stpcpy(room, text));
AFTER_FREE(stpncpy, stpncpy(text, "x", 2));
AFTER_FREE(strxfrm, strxfrm(room, text, 9));
AFTER_FREE(strerror_r, strerror_r(1, text, 4));
AFTER_FREE(bcmp, bcmp(text, "x", 2));
AFTER_FREE(rawmemchr, rawmemchr(text, 0));
AFTER_FREE(memrchr, memrchr(text, 1, 3));
AFTER_FREE(memmem, memmem(text, 3, "x", 1));
AFTER_FREE(mempcpy, mempcpy(room, text, 3));
AFTER_FREE(memccpy, memccpy(room, text, 0, 3));
AFTER_FREE(bcopy, (bcopy(text, room, 3), 0));
AFTER_FREE(bzero, (bzero(text, 3), 0));
AFTER_FREE(explicit_bzero, (explicit_bzero(text, 3), 0));
AFTER_FREE(swab, (swab(text, room, 2), 0));
AFTER_FREE(memfrob, memfrob(text, 3));

/* A search byte by byte may be given too large a length, if the byte is found before the end. */
static void find_before_the_end(void *arg)
{
	char *p = malloc(3);

	(void)arg;
	memcpy(p, "xyz", 3);
	CHECK(memchr(p, 'y', 100) == p + 1);
	CHECK(rawmemchr(p, 'z') == p + 2);
	CHECK(memccpy(room, p, 'y', sizeof(room)) == room + 2);
	CHECK(strncmp(p, "xyZ", 100) > 0);
	CHECK(strncasecmp("XYa", p, 100) < 0);
	CHECK(strnlen(p, 3) == 3);
}

CHECK_SCENARIO(found_before_the_end, .threads = { { find_before_the_end } });

static void find_nothing(void *arg)
{
	(void)arg;
	(void)memchr(text, 'z', 100);
}

CHECK_SCENARIO(not_found, .setup = make_text, .threads = { { find_nothing } });

static void compare_to_the_end(void *arg)
{
	(void)arg;
	text[3] = 'd';
	(void)strncmp(text, "abcdefg", 100);
}

CHECK_SCENARIO(same_to_the_end, .setup = make_text, .threads = { { compare_to_the_end } });
