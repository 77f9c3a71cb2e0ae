/* SPDX-License-Identifier: MIT */
/*
 * Lending the permits of a thread that sleeps: src/sched/lend.h. Typically the thread has none.
 * src/kit/class_take.c counts the permits.
 */
#include "sched/lend.h"

#include "worker/self.h"

void nap__permits_move(bool lend)
{
	for (struct nap__permit *p = nap__self()->permits; p; p = p->outer)
		p->move(p, lend);
}
