/* SPDX-License-Identifier: MIT */
/*
 * Functions of <string.h>: what they read and write are accesses of the program. The value itself is
 * the library's affair.
 */
#include <string.h>

#include "program/bounds.h"
#include "program/caller.h"
#include "program/heap.h"
#include "program/ops.h"
#include "program/shadow.h"

/* A byte that a function looks at must be there, and have a value. */
static void look_at(const char *at, uintptr_t pc)
{
	check_bounds((uintptr_t)at, 1, pc);
	if (memory_in_arena((uintptr_t)at))
		heap_check_written((uintptr_t)at, 1, pc);
}

size_t string_read(const char *s, size_t most, uintptr_t pc)
{
	size_t size = 0;

	if (!most)
		return 0;
	if (self == MAX_THREADS)
		return most < SIZE_MAX ? strnlen(s, most) : strlen(s) + 1;
	settle();
	while (size < most) {
		look_at(s + size, pc);
		if (!s[size++])
			break;
	}
	plain_range((uintptr_t)s, size, false, pc);
	return size;
}

/* All of them, until the first that decides. */
static void bytes_read(const void *mem, size_t size, uintptr_t pc)
{
	if (self == MAX_THREADS)
		return;
	settle();
	for (size_t i = 0; i < size; i++)
		look_at((const char *)mem + i, pc);
	plain_range((uintptr_t)mem, size, false, pc);
}

#pragma GCC visibility push(default)

size_t __wrap_strlen(const char *s);
size_t __wrap_strlen(const char *s)
{
	return string_read(s, SIZE_MAX, PC) - 1;
}

size_t __wrap_strnlen(const char *s, size_t most);
size_t __wrap_strnlen(const char *s, size_t most)
{
	string_read(s, most, PC);
	return strnlen(s, most);
}

char *__wrap_strcpy(char *to, const char *from);
char *__wrap_strcpy(char *to, const char *from)
{
	plain_range((uintptr_t)to, string_read(from, SIZE_MAX, PC), true, PC);
	return strcpy(to, from);
}

char *__wrap_strncpy(char *to, const char *from, size_t size);
char *__wrap_strncpy(char *to, const char *from, size_t size)
{
	string_read(from, size, PC);
	plain_range((uintptr_t)to, size, true, PC);
	return strncpy(to, from, size);
}

char *__wrap_strcat(char *to, const char *from);
char *__wrap_strcat(char *to, const char *from)
{
	size_t length = string_read(to, SIZE_MAX, PC) - 1;

	plain_range((uintptr_t)to + length, string_read(from, SIZE_MAX, PC), true, PC);
	return strcat(to, from);
}

char *__wrap_strncat(char *to, const char *from, size_t most);
char *__wrap_strncat(char *to, const char *from, size_t most)
{
	size_t length = string_read(to, SIZE_MAX, PC) - 1;

	string_read(from, most, PC);
	plain_range((uintptr_t)to + length, strnlen(from, most) + 1, true, PC);
	return strncat(to, from, most);
}

int __wrap_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b)
{
	string_read(a, SIZE_MAX, PC);
	string_read(b, SIZE_MAX, PC);
	return strcmp(a, b);
}

int __wrap_strncmp(const char *a, const char *b, size_t most);
int __wrap_strncmp(const char *a, const char *b, size_t most)
{
	string_read(a, most, PC);
	string_read(b, most, PC);
	return strncmp(a, b, most);
}

char *__wrap_strchr(const char *s, int c);
char *__wrap_strchr(const char *s, int c)
{
	string_read(s, SIZE_MAX, PC);
	return strchr(s, c);
}

char *__wrap_strrchr(const char *s, int c);
char *__wrap_strrchr(const char *s, int c)
{
	string_read(s, SIZE_MAX, PC);
	return strrchr(s, c);
}

char *__wrap_strstr(const char *s, const char *part);
char *__wrap_strstr(const char *s, const char *part)
{
	string_read(s, SIZE_MAX, PC);
	string_read(part, SIZE_MAX, PC);
	return strstr(s, part);
}

int __wrap_memcmp(const void *a, const void *b, size_t size);
int __wrap_memcmp(const void *a, const void *b, size_t size)
{
	bytes_read(a, size, PC);
	bytes_read(b, size, PC);
	return memcmp(a, b, size);
}

void *__wrap_memchr(const void *mem, int c, size_t size);
void *__wrap_memchr(const void *mem, int c, size_t size)
{
	bytes_read(mem, size, PC);
	return memchr(mem, c, size);
}
