/* SPDX-License-Identifier: MIT */
/* The functions by which programs allocate: the C library's, C++'s operators, check_alloc(). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/heap.h"
#include "program/library.h"
#include "program/ops.h"

#define ALIGNED	64u	/* every object */

static void *aligned(size_t size, size_t align, uintptr_t pc)
{
	if (align > ALIGNED)
		give_up("an allocation that is aligned to more than 64 bytes");
	return heap_alloc(size, false, pc);
}

/* Returns a new string with the @length bytes at @s, which were read. */
static char *copy_of(const char *s, size_t length, uintptr_t pc)
{
	char *copy = heap_alloc(length + 1, false, pc);

	plain_range((uintptr_t)copy, length + 1, true, pc);
	copy[length] = 0;
	return memcpy(copy, s, length);
}

static void *grown(void *mem, size_t size, uintptr_t pc)
{
	size_t old = mem ? heap_size(mem, pc) : 0, kept = old < size ? old : size;
	void *new = heap_alloc(size, false, pc);

	if (!mem)
		return new;
	plain_copy(new, mem, kept, pc);
	memcpy(new, mem, kept);
	heap_free(mem, pc);
	return new;
}

static int print_allocated(char **to, const char *format, va_list args, uintptr_t pc)
{
	va_list again;
	int length;

	format_read(format, args, pc);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	plain_range((uintptr_t)to, sizeof(*to), true, pc);
	*to = heap_alloc((size_t)length + 1, false, pc);
	plain_range((uintptr_t)*to, (size_t)length + 1, true, pc);
	return vsprintf(*to, format, args);
}

#pragma GCC visibility push(default)

void *check_alloc(size_t size)
{
	return heap_alloc(size, true, PC);
}

void check_free(void *mem)
{
	heap_free(mem, PC);
}

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return heap_alloc(size, false, PC);
}

void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	size_t all;

	return __builtin_mul_overflow(n, size, &all) ? NULL : heap_alloc(all, true, PC);
}

void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return aligned(size, align, PC);
}

int __wrap_posix_memalign(void **mem, size_t align, size_t size);
int __wrap_posix_memalign(void **mem, size_t align, size_t size)
{
	WRITES(mem, sizeof(*mem));
	*mem = aligned(size, align, PC);
	return 0;
}

void *__wrap_memalign(size_t align, size_t size);
void *__wrap_memalign(size_t align, size_t size)
{
	return aligned(size, align, PC);
}

char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
	return copy_of(s, STRING(s) - 1, PC);
}

char *__wrap_strndup(const char *s, size_t most);
char *__wrap_strndup(const char *s, size_t most)
{
	size_t size = string_read(s, most, PC);

	return copy_of(s, size && !s[size - 1] ? size - 1 : size, PC);
}

int __wrap_vasprintf(char **to, const char *format, va_list args);
int __wrap_vasprintf(char **to, const char *format, va_list args)
{
	return print_allocated(to, format, args, PC);
}

int __wrap_asprintf(char **to, const char *format, ...);
int __wrap_asprintf(char **to, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = print_allocated(to, format, args, PC);
	va_end(args);
	return length;
}

void *__wrap_realloc(void *mem, size_t size);
void *__wrap_realloc(void *mem, size_t size)
{
	return grown(mem, size, PC);
}

void *__wrap_reallocarray(void *mem, size_t n, size_t size);
void *__wrap_reallocarray(void *mem, size_t n, size_t size)
{
	size_t all;

	return __builtin_mul_overflow(n, size, &all) ? NULL : grown(mem, all, PC);
}

size_t __wrap_malloc_usable_size(void *mem);
size_t __wrap_malloc_usable_size(void *mem)
{
	return mem ? heap_size(mem, PC) : 0;
}

void __wrap_free(void *mem);
void __wrap_free(void *mem)
{
	heap_free(mem, PC);
}

/* ---- C++'s operators, in all their forms: plain, nothrow, aligned, sized */

#define NEW(name, align, ...)				\
void *name(size_t size, ##__VA_ARGS__);			\
void *name(size_t size, ##__VA_ARGS__)			\
{							\
	return aligned(size, align, PC);		\
}
NEW(_Znwm, 1)
NEW(_Znam, 1)
NEW(_ZnwmRKSt9nothrow_t, 1, const void *nothrow __attribute__((unused)))
NEW(_ZnamRKSt9nothrow_t, 1, const void *nothrow __attribute__((unused)))
NEW(_ZnwmSt11align_val_t, align, size_t align)
NEW(_ZnamSt11align_val_t, align, size_t align)

#define DELETE(name, ...)				\
void name(void *mem, ##__VA_ARGS__);			\
void name(void *mem, ##__VA_ARGS__)			\
{							\
	heap_free(mem, PC);				\
}
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm, size_t size __attribute__((unused)))
DELETE(_ZdaPvm, size_t size __attribute__((unused)))
DELETE(_ZdlPvRKSt9nothrow_t, const void *nothrow __attribute__((unused)))
DELETE(_ZdaPvRKSt9nothrow_t, const void *nothrow __attribute__((unused)))
DELETE(_ZdlPvSt11align_val_t, size_t align __attribute__((unused)))
DELETE(_ZdaPvSt11align_val_t, size_t align __attribute__((unused)))
DELETE(_ZdlPvmSt11align_val_t, size_t size __attribute__((unused)),
       size_t align __attribute__((unused)))
DELETE(_ZdaPvmSt11align_val_t, size_t size __attribute__((unused)),
       size_t align __attribute__((unused)))
