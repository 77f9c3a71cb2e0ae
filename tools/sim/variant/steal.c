/* SPDX-License-Identifier: MIT */
/*
 * src/sched/steal.c, which here tells the simulator of its steals, and on demand begins each search
 * at a random victim.
 */
#include "variant/traced.h"

#include "idle/idle.h"

static const struct nap__idle_ops random_ops = { .random = true };

#define idle_ops(pool) (sim_is_varied(VARIANT_RANDOM) ? &random_ops : idle_ops(pool))

#include "../../../src/sched/steal.c"
