/* SPDX-License-Identifier: MIT */
/*
 * Whether others are to be told of a loop. It pays when what is left takes longer than it takes to
 * wake somebody. How long that is the caller finds out by a few indices; or it knows by what a turn
 * of the same loop took the last time, for most loops are run again and again, by the same thread.
 */
#ifndef NAP_PARALLEL_WORTH_H
#define NAP_PARALLEL_WORTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parallel/leaf.h"

/* Caller, alone: whether others are to be told of @rest indices, after @n have taken @took ns. */
bool nap__is_worth_telling(struct nap_pool *pool, size_t rest, size_t n, uint64_t took);

/*
 * Caller, in the beginning: whether others are to be told at once, by what a turn took the last
 * time. After the first ranges they would come too late for half of a loop that has few turns. True:
 * @part has a grain that fits, too.
 */
bool nap__is_known_to_be_long(const struct nap__ranges *ranges, struct part *part);

/* Caller, at the end. */
void nap__remember_loop(const struct nap__ranges *ranges, const struct part *part);

#endif /* NAP_PARALLEL_WORTH_H */
