/* SPDX-License-Identifier: MIT */
/*
 * The function that gcc and clang call for -fsanitize=bounds, in place of the runtime of
 * UndefinedBehaviorSanitizer: an index is out of the bounds of an array whose length the compiler
 * knows. The array may lie on a stack, in a structure or in another array, where no address alone
 * is wrong.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/caller.h"
#include "program/fault.h"

/* As the compilers lay them out. */
struct type {
	uint16_t kind;		/* 0: an integer */
	uint16_t info;		/* of an integer: its bits are 1 << (info >> 1); info & 1: signed */
	char name[];		/* in quotes: 'int [4]' */
};
struct index_data {
	struct {
		const char *file;
		uint32_t line, column;
	} place;
	const struct type *array, *index;
};

/*
 * Whether the array may be the last member of a structure for which more memory is allocated than
 * it has: programs declare such an array with no or one element.
 */
static bool may_be_longer(const struct type *array)
{
	const char *length = strchr(array->name, '[');

	return length && strspn(length + 1, "0123456789") && strtoul(length + 1, NULL, 10) <= 1;
}

#pragma GCC visibility push(default)

void __ubsan_handle_out_of_bounds(const struct index_data *data, uintptr_t value);
void __ubsan_handle_out_of_bounds(const struct index_data *data, uintptr_t value)
{
	uintptr_t pc = PC;
	unsigned bits = 1u << (data->index->info >> 1);
	intmax_t index = (intmax_t)value;

	if (may_be_longer(data->array))
		return;
	if (bits > 64)
		fault_at(pc, 0, "out of bounds: an index of %s", data->array->name);
	if (!(data->index->info & 1))
		fault_at(pc, 0, "out of bounds: index %" PRIuMAX " of %s", (uintmax_t)value,
			 data->array->name);
	if (bits < 64)
		index = (intmax_t)(value << (64 - bits)) >> (64 - bits);
	fault_at(pc, 0, "out of bounds: index %" PRIdMAX " of %s", index, data->array->name);
}

/* What -fno-sanitize-recover has called. */
void __ubsan_handle_out_of_bounds_abort(const struct index_data *data, uintptr_t value)
	__attribute__((alias("__ubsan_handle_out_of_bounds")));
