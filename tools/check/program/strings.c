/* SPDX-License-Identifier: MIT */
/*
 * Functions of <string.h> and <strings.h> on strings, as a table (library.h). The library
 * computes their results.
 */
#include <string.h>
#include <strings.h>

#include "program/bounds.h"
#include "program/heap.h"
#include "program/library.h"
#include "program/ops.h"

/* Reads a byte, which must exist and have a value. */
static void look_at(const char *at, uintptr_t pc)
{
	check_bounds((uintptr_t)at, 1, pc);
	if (memory_in_arena((uintptr_t)at))
		heap_check_written((uintptr_t)at, 1, pc);
}

/* Counts the bytes up to @c. Checks them, except outside of threads. */
static size_t count_until(const char *mem, int c, size_t most)
{
	const char *found = most < SIZE_MAX ? memchr(mem, c, most) : rawmemchr(mem, c);

	return found ? (size_t)(found - mem) + 1 : most;
}

size_t bytes_until(const void *mem, int c, size_t most, uintptr_t pc)
{
	const char *s = mem;
	size_t size = 0;

	if (!most)
		return 0;
	if (self == MAX_THREADS)
		return count_until(s, c, most);
	settle();
	while (size < most) {
		look_at(s + size, pc);
		if (s[size++] == (char)c)
			break;
	}
	plain_range((uintptr_t)s, size, false, pc);
	return size;
}

size_t string_read(const char *s, size_t most, uintptr_t pc)
{
	return bytes_until(s, 0, most, pc);
}

void bytes_read(const void *mem, size_t size, uintptr_t pc)
{
	if (self == MAX_THREADS)
		return;
	settle();
	for (size_t i = 0; i < size; i++)
		look_at((const char *)mem + i, pc);
	plain_range((uintptr_t)mem, size, false, pc);
}

typedef int compare_fn(const char *a, const char *b, size_t n);

/* Reads both strings up to the first bytes that decide. The bytes after those need not exist. */
static void compared_read(const char *a, const char *b, size_t most, compare_fn *compare,
			  uintptr_t pc)
{
	size_t n = 0;

	if (self == MAX_THREADS)
		return;
	settle();
	while (n < most) {
		look_at(a + n, pc);
		look_at(b + n, pc);
		n++;
		if (!a[n - 1] || compare(a + n - 1, b + n - 1, 1))
			break;
	}
	plain_range((uintptr_t)a, n, false, pc);
	plain_range((uintptr_t)b, n, false, pc);
}

/* Writes a string of @most bytes at most, and its end, after the string in @to. */
static void append_access(const char *to, const char *from, size_t most, uintptr_t pc)
{
	size_t length = string_read(to, SIZE_MAX, pc) - 1;
	size_t size = string_read(from, most, pc);

	if (!size || from[size - 1])
		size++;
	plain_range((uintptr_t)to + length, size, true, pc);
}

/* Returns @size, or @room if that is less. */
static size_t at_most(size_t size, size_t room)
{
	return size < room ? size : room;
}

#pragma GCC visibility push(default)

/* ---- functions that only read */

FUNCTION(size_t, strlen, (const char *s), (s), STRING(s))
FUNCTION(size_t, strnlen, (const char *s, size_t most), (s, most), string_read(s, most, PC))
FUNCTION(int, strcmp, (const char *a, const char *b), (a, b), STRING(a); STRING(b))
FUNCTION(int, strcasecmp, (const char *a, const char *b), (a, b), STRING(a); STRING(b))
FUNCTION(int, strcoll, (const char *a, const char *b), (a, b), STRING(a); STRING(b))
FUNCTION(int, strverscmp, (const char *a, const char *b), (a, b), STRING(a); STRING(b))
FUNCTION(int, strncmp, (const char *a, const char *b, size_t most), (a, b, most),
	 compared_read(a, b, most, strncmp, PC))
FUNCTION(int, strncasecmp, (const char *a, const char *b, size_t most), (a, b, most),
	 compared_read(a, b, most, strncasecmp, PC))
FUNCTION(char *, strchr, (const char *s, int c), (s, c), STRING(s))
FUNCTION(char *, strchrnul, (const char *s, int c), (s, c), STRING(s))
FUNCTION(char *, strrchr, (const char *s, int c), (s, c), STRING(s))
FUNCTION(char *, index, (const char *s, int c), (s, c), STRING(s))
FUNCTION(char *, rindex, (const char *s, int c), (s, c), STRING(s))
FUNCTION(char *, strstr, (const char *s, const char *part), (s, part), STRING(s); STRING(part))
FUNCTION(char *, strcasestr, (const char *s, const char *part), (s, part), STRING(s); STRING(part))
FUNCTION(size_t, strspn, (const char *s, const char *set), (s, set), STRING(s); STRING(set))
FUNCTION(size_t, strcspn, (const char *s, const char *set), (s, set), STRING(s); STRING(set))
FUNCTION(char *, strpbrk, (const char *s, const char *set), (s, set), STRING(s); STRING(set))

/* ---- functions that also write */

FUNCTION(char *, strcpy, (char *to, const char *from), (to, from), WRITES(to, STRING(from)))
FUNCTION(char *, stpcpy, (char *to, const char *from), (to, from), WRITES(to, STRING(from)))
FUNCTION(char *, strncpy, (char *to, const char *from, size_t size), (to, from, size),
	 string_read(from, size, PC); WRITES(to, size))
FUNCTION(char *, stpncpy, (char *to, const char *from, size_t size), (to, from, size),
	 string_read(from, size, PC); WRITES(to, size))
FUNCTION(char *, strcat, (char *to, const char *from), (to, from),
	 append_access(to, from, SIZE_MAX, PC))
FUNCTION(char *, strncat, (char *to, const char *from, size_t most), (to, from, most),
	 append_access(to, from, most, PC))
FUNCTION(size_t, strxfrm, (char *to, const char *from, size_t size), (to, from, size),
	 STRING(from); WRITES(to, at_most(strxfrm(NULL, from, 0) + 1, size)))
FUNCTION(char *, strerror_r, (int err, char *to, size_t size), (err, to, size), WRITES(to, size))

/* strerror_r(), as POSIX has it */
int __xpg_strerror_r(int err, char *to, size_t size);
FUNCTION(int, __xpg_strerror_r, (int err, char *to, size_t size), (err, to, size), WRITES(to, size))
