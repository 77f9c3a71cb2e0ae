/* SPDX-License-Identifier: MIT */
/*
 * C11 (Batty, Owens, Sarkar, Sewell, Weber: Mathematizing C++ Concurrency, POPL 2011), with these
 * repairs:
 *
 *	no thin air		po | rf has no cycle
 *	release sequence	(model.h) another thread's store in the middle does not end it. If
 *				it did, one more store would take happens-before away: Vafeiadis,
 *				Balabonski, Chakraborty, Morisset, Zappa Nardelli: Common Compiler
 *				Optimisations are Invalid in the C11 Memory Model,
 *				POPL 2015
 *	S			an SC read precedes every SC write that is newer than the write
 *				that it reads, be the latter SC or not: Batty, Donaldson, Wickerson:
 *				Overhauling SC Atomics in C11 and OpenCL, POPL 2016
 *
 * @a precedes @b in S if @a happens before @b. It also does if x comes before the write y by co or
 * fr, where @a is x, or a fence before x in its thread, and @b is y, or a fence after y in its
 * thread.
 */
#include "model/model.h"
#include "model/ranks.h"
#include "model/sc_order.h"

static bool c11_precedes(struct graph *g, const struct event *a, const struct event *b)
{
	(void)g;
	return hb(a, b);
}

static bool is_in_order(const struct event *a, const struct event *b)
{
	return a->thread == b->thread && a->index < b->index;
}

static const struct sc_order c11_order = { .precedes = c11_precedes, .covers = is_in_order };

static bool c11_allows(struct graph *g, unsigned changed, unsigned also)
{
	return sc_order_exists(&c11_order, g, changed, also);
}

const struct model model_c11 = {
	.bit = CHECK_C11, .name = "c11", .stores_continue = true, .allows = c11_allows,
};
