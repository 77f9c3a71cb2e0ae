/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "program/threads.h"

static struct order {
	uint16_t event[MAX_EVENTS];
	unsigned nr;
} order, kept;

void order_add(unsigned event)
{
	order.event[order.nr++] = (uint16_t)event;
}

void run_event_order(void (*visit)(const struct event *e, void *arg), void *arg)
{
	for (unsigned i = 0; i < order.nr; i++)
		visit(&graph->event[order.event[i]], arg);
}

unsigned run_executed(void)
{
	return order.nr;
}

void run_shorten(unsigned nr)
{
	order.nr = nr;
}

void order_keep(void)
{
	kept = order;
}

void order_back(void)
{
	order = kept;
}
