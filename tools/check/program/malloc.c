/* SPDX-License-Identifier: MIT */
/* What programs allocate with: the C library's functions, C++'s operators, check_alloc(). */
#include <stdlib.h>
#include <string.h>

#include "program/caller.h"
#include "program/heap.h"
#include "program/ops.h"
#include "program/shadow.h"

#define ALIGNED	64u	/* every object */

static void *aligned(size_t size, size_t align, uintptr_t pc)
{
	if (align > ALIGNED)
		give_up("an allocation that is aligned to more than 64 bytes");
	return heap_alloc(size, false, pc);
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
	*mem = aligned(size, align, PC);
	return 0;
}

char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
	size_t size = string_read(s, SIZE_MAX, PC);
	char *copy = heap_alloc(size, false, PC);

	plain_copy(copy, s, size, PC);
	return memcpy(copy, s, size);
}

void *__wrap_realloc(void *mem, size_t size);
void *__wrap_realloc(void *mem, size_t size)
{
	size_t old = mem ? heap_size(mem, PC) : 0, kept = old < size ? old : size;
	void *new = heap_alloc(size, false, PC);

	if (!mem)
		return new;
	plain_copy(new, mem, kept, PC);
	memcpy(new, mem, kept);
	heap_free(mem, PC);
	return new;
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
DELETE(_ZdlPvmSt11align_val_t, size_t size __attribute__((unused)), size_t align __attribute__((unused)))
DELETE(_ZdaPvmSt11align_val_t, size_t size __attribute__((unused)), size_t align __attribute__((unused)))
