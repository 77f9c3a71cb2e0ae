/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library that only read and write memory. Each is a line of a table, which
 * says what the function reads and writes. The reads and writes are accesses of the program at
 * the place of the call. Then the library's own function runs.
 */
#ifndef NAP_CHECK_LIBRARY_H
#define NAP_CHECK_LIBRARY_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>

#include "program/caller.h"
#include "program/shadow.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/*
 * strings.c: reads bytes from @mem on, up to and with the first @c, or until @most were read.
 * Returns how many. Only a byte that the reading comes to has to exist and have a value.
 */
size_t bytes_until(const void *mem, int c, size_t most, uintptr_t pc);

/* Reads all bytes; each has to have a value. */
void bytes_read(const void *mem, size_t size, uintptr_t pc);

/* format.c: reads the arguments that printf(3) takes for @format, or for %n writes to them. */
void format_read(const char *format, va_list args, uintptr_t pc);

#pragma GCC visibility pop

/* What a function does with its arguments. An object may have padding, which has no value. */
#define STRING(s)		string_read(s, SIZE_MAX, PC)
#define BYTES(mem, size)	bytes_read(mem, size, PC)
#define OBJECT(p)		plain_range((uintptr_t)(p), sizeof(*(p)), false, PC)
#define OBJECTS(mem, size)	plain_range((uintptr_t)(mem), size, false, PC)
#define WRITES(mem, size)	plain_range((uintptr_t)(mem), size, true, PC)

/* The result's type, the name, the parameters; the arguments passed on; the accesses. */
#define FUNCTION(type, name, parameters, arguments, ...)	\
type __wrap_##name parameters;					\
type __wrap_##name parameters					\
{								\
	__VA_ARGS__;						\
	return name arguments;					\
}

/* The library's function of this name, which the checker's function stands in for; or NULL. */
#define LIBRARY(type, name)						\
({									\
	static __typeof__(type) *in_library;				\
									\
	if (!in_library)						\
		in_library = (__typeof__(type) *)dlsym(RTLD_NEXT, name); \
	in_library;							\
})

#endif /* NAP_CHECK_LIBRARY_H */
