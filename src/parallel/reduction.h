/* SPDX-License-Identifier: MIT */
/* What reductions and scans do with a value: nap/reduce.h. */
#ifndef NAP_PARALLEL_REDUCTION_H
#define NAP_PARALLEL_REDUCTION_H

#include <stdbool.h>
#include <string.h>

#include <nap/reduce.h>

static inline bool reduction_valid(const struct nap_reduction *by)
{
	return by && by->add && by->merge && by->size && by->size <= NAP_REDUCE_SIZE;
}

static inline void reduction_clear(const struct nap_reduction *by, void *value)
{
	if (by->nothing)
		memcpy(value, by->nothing, by->size);
	else
		memset(value, 0, by->size);
}

#endif /* NAP_PARALLEL_REDUCTION_H */
