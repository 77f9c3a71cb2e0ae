/* SPDX-License-Identifier: MIT */
/*
 * C20 and C++20 (ISO/IEC 14882:2020, [intro.races] and [atomics.order]; P0668 and P0982 brought the
 * wording), with po for "sequenced before", and without load buffering. All but the order S of
 * seq_cst operations is as in RC11 (rc11.c).
 *
 *	strongly happens before	po, or po ; hb ; po. That SC operations synchronize adds nothing:
 *				these are coherence-ordered, too
 *	coherence-ordered	(rf | co | fr)+
 *
 * @a precedes @b in S if @a strongly happens before @b. It also does if x is coherence-ordered
 * before y, where @a is x, or a fence that happens before x, and @b is y, or a fence that y happens
 * before. For a read-modify-write, po begins after its write and ends before its read.
 */
#include "model/model.h"
#include "model/ranks.h"
#include "model/sc_order.h"

static bool strongly_happens_before(struct graph *g, const struct event *a, const struct event *b)
{
	bool whole = a->kind == E_READ && (a->flags & F_EXCL);
	const struct event *first = b->kind == E_WRITE && (b->flags & F_EXCL) ? pred_of(g, b) : b;

	if (a->thread == b->thread)
		return a->index < b->index;
	return vector_get(&origin_of(g, first)->clock, a->thread) > a->index + whole;
}

static const struct sc_order c20_order = {
	.precedes = strongly_happens_before, .covers = hb, .of_reads = true,
};

static bool c20_allows(struct graph *g, unsigned changed, unsigned also)
{
	return sc_order_exists(&c20_order, g, changed, also);
}

const struct model model_c20 = { .bit = CHECK_C20, .name = "c20", .allows = c20_allows };
