/* SPDX-License-Identifier: MIT */
/*
 * Whether to wake others for a loop. It pays if what remains takes longer than a wake-up. The
 * caller finds out by a few indices how long that takes; or it knows how long an iteration of the
 * same loop took the last time, because most loops are run again and again by the same thread.
 */
#ifndef NAP_PARALLEL_WORTH_H
#define NAP_PARALLEL_WORTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parallel/leaf.h"

/* The caller, alone: whether to wake others for @rest indices, after @n have taken @took ns. */
bool nap__is_worth_waking(struct nap_pool *pool, size_t rest, size_t n, uint64_t took);

/*
 * The caller, at the beginning: whether to wake others at once, by what an iteration took the last
 * time. After the first ranges they would come too late for a loop that has few iterations. True:
 * @part has a grain that fits, too.
 */
bool nap__is_known_to_be_long(const struct nap__ranges *ranges, struct part *part);

/* The caller, at the end: note how long an iteration took. */
void nap__remember_loop(const struct nap__ranges *ranges, const struct part *part);

#endif /* NAP_PARALLEL_WORTH_H */
