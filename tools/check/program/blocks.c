/* SPDX-License-Identifier: MIT */
/*
 * Functions of <string.h> and <strings.h> on memory of a known size, as a table (library.h).
 * Compilers call memcpy(), memmove() and memset(), too: these are in tsan.c, with the other
 * functions that compilers call.
 */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "program/library.h"

/* For functions that copy bytes. */
#define COPY(to, from, size) plain_copy(to, from, size, PC)

#pragma GCC visibility push(default)

/* ---- functions that only read: all bytes, or the bytes up to the one that is sought */

FUNCTION(int, memcmp, (const void *a, const void *b, size_t size), (a, b, size),
	 BYTES(a, size); BYTES(b, size))
FUNCTION(int, bcmp, (const void *a, const void *b, size_t size), (a, b, size),
	 BYTES(a, size); BYTES(b, size))
FUNCTION(void *, memchr, (const void *mem, int c, size_t size), (mem, c, size),
	 bytes_until(mem, c, size, PC))
FUNCTION(void *, rawmemchr, (const void *mem, int c), (mem, c), bytes_until(mem, c, SIZE_MAX, PC))
FUNCTION(void *, memrchr, (const void *mem, int c, size_t size), (mem, c, size), BYTES(mem, size))
FUNCTION(void *, memmem, (const void *mem, size_t size, const void *part, size_t part_size),
	 (mem, size, part, part_size), BYTES(mem, size); BYTES(part, part_size))

/* ---- functions that also write */

FUNCTION(void *, mempcpy, (void *to, const void *from, size_t size), (to, from, size),
	 COPY(to, from, size))
FUNCTION(void, bcopy, (const void *from, void *to, size_t size), (from, to, size),
	 COPY(to, from, size))
FUNCTION(void *, memccpy, (void *to, const void *from, int c, size_t size), (to, from, c, size),
	 COPY(to, from, bytes_until(from, c, size, PC)))
FUNCTION(void, bzero, (void *to, size_t size), (to, size), WRITES(to, size))
FUNCTION(void, explicit_bzero, (void *to, size_t size), (to, size), WRITES(to, size))
FUNCTION(void, swab, (const void *from, void *to, ssize_t size), (from, to, size),
	 if (size > 1) { BYTES(from, size & ~1l); WRITES(to, size & ~1l); })
FUNCTION(void *, memfrob, (void *mem, size_t size), (mem, size),
	 BYTES(mem, size); WRITES(mem, size))
