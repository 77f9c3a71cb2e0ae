/* SPDX-License-Identifier: MIT */
/*
 * src/idle/sync.c, on demand without the fences that Zap does not have (mutant
 * 01-lost-wakeup-published), or with a pause after a failed compare-exchange.
 */
#include "idle/set.h"
#include "variant/back_off.h"

#include "idle/protocols.h"
#include "program/variant.h"

#undef nap_fence_seq_cst
#define nap_fence_seq_cst() sim_fence_in(__func__)

#include "../../../src/idle/sync.c"
