/* SPDX-License-Identifier: MIT */
/* src/idle/jec.c, on demand without the fence in stop_looking(), which Rayon does not have. */
#include "arch/atomic.h"

#include "idle/protocols.h"
#include "program/variant.h"

#undef nap_fence_seq_cst
#define nap_fence_seq_cst() sim_fence_in(__func__)

#include "../../../src/idle/jec.c"
