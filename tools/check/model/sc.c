/* SPDX-License-Identifier: MIT */
/*
 * Sequential consistency (Lamport: How to make a multiprocessor computer that correctly executes
 * multiprocess programs, 1979): po | rf | co | fr has no cycle.
 */
#include "model/order.h"

static bool sc_keeps(const struct event *e)
{
	(void)e;
	return true;
}

static const struct machine machine = { .keeps = sc_keeps, .is_barrier = sc_keeps, .own_rf = true };

static bool sc_allows(struct graph *g, unsigned changed, unsigned also)
{
	return order_allows(&machine, g, changed, also);
}

const struct model model_sc = {
	.bit = CHECK_SC, .name = "sc", .is_machine = true, .allows = sc_allows,
};
