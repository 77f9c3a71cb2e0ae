/* SPDX-License-Identifier: MIT */
/* Permits that a thread gives up while it sleeps: src/sched/permits.h. Typically it has none. */
#include "sched/permits.h"

void nap__permits_move(bool lend)
{
	for (struct nap__permit *p = nap__self()->permits; p; p = p->outer)
		p->move(p, lend);
}
