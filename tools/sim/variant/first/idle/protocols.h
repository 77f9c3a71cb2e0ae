/* SPDX-License-Identifier: MIT */
/*
 * The build finds this file before src/idle/protocols.h. That file has a fence after a push. Zap
 * does not have this fence, and a pool can ask to go without it.
 */
#ifndef NAP_SIM_PROTOCOLS_H
#define NAP_SIM_PROTOCOLS_H

#include "arch/atomic.h"
#include "idle/go.h"
#include "idle/idle.h"
#include "idle/jec.h"
#include "idle/sync.h"
#include "program/variant.h"

#pragma push_macro("nap_fence_seq_cst")
#undef nap_fence_seq_cst
#define nap_fence_seq_cst() sim_fence_in(__func__)
#include "../../../../../src/idle/protocols.h"
#undef nap_fence_seq_cst
#pragma pop_macro("nap_fence_seq_cst")

#endif /* NAP_SIM_PROTOCOLS_H */
