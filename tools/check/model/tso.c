/* SPDX-License-Identifier: MIT */
/*
 * x86-TSO (Owens, Sarkar, Sewell: A better x86 memory model: x86-TSO, TPHOLs 2009): ppo | rfe |
 * co | fr has no cycle. ppo is po without the pairs of a write and a later read, unless one of
 * the two is locked or an mfence is between them.
 *
 * The program is taken as compilers translate it: read-modify-writes and SC stores are locked,
 * and an SC fence is an mfence. A side of membarrier that is a signal fence is no instruction.
 */
#include "model/order.h"

static bool is_locked(const struct event *e)
{
	if (e->flags & F_EXCL)
		return true;
	if (e->kind == E_READ)
		return e->rmw != RMW_NONE;	/* a cmpxchg that fails is locked, too */
	return e->kind == E_WRITE && (e->order & O_SC) && !(e->order & O_PLAIN);
}

static bool is_barrier(const struct event *e)
{
	if (e->kind == E_FENCE)
		return (e->order & O_SC) && !(e->flags & F_LIGHT);
	return is_access(e) && is_locked(e);
}

static bool tso_keeps(const struct event *e)
{
	return e->kind != E_WRITE || is_locked(e);
}

static const struct machine machine = { .keeps = tso_keeps, .is_barrier = is_barrier };

static bool tso_allows(struct graph *g, unsigned changed, unsigned also)
{
	return order_allows(&machine, g, changed, also);
}

const struct model model_tso = {
	.bit = CHECK_TSO, .name = "tso", .is_machine = true, .allows = tso_allows,
};
