/* SPDX-License-Identifier: MIT */
/*
 * Lending the permits of a thread that sleeps: src/sched/lend.h. Typically it has none. Nothing is
 * counted here: src/kit/class_take.c.
 */
#include "sched/lend.h"

void nap__permits_move(bool lend)
{
	for (struct nap__permit *p = nap__self()->permits; p; p = p->outer)
		p->move(p, lend);
}
