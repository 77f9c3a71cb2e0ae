/* SPDX-License-Identifier: MIT */
#ifndef NAP_TESTS_LAB_BRUTE_RCU_H
#define NAP_TESTS_LAB_BRUTE_RCU_H

#include "brute_rel.h"

/*
 * Whether sections and grace periods can be put in an order. @prop, @strong and @hb are the model's
 * relations of these names.
 */
bool brute_rcu(const struct exec *x, struct rel prop, struct rel strong, struct rel hb);

#endif
