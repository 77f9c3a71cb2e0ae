/* SPDX-License-Identifier: MIT */
/*
 * The common part of load-store machines: an access is an instruction of its own, and
 * dependencies go through registers. A dialect writes its instructions by struct load_store.
 */
#include "generate/columns.h"

static const struct load_store *how(const struct cycle *cycle)
{
	return cycle->language->load_store;
}

static void put_depend(struct column *c, const struct cycle *cycle, unsigned e)
{
	unsigned reg = column_register(c);

	column_line(c, how(cycle)->zero, reg, cycle->event[e].reg, cycle->event[e].reg);
	c->depends = (int)reg;
	c->kind = cycle->edge[e].kind;
}

static void put_branch(struct column *c, const struct cycle *cycle, unsigned e)
{
	unsigned label = c->thread * 10 + c->labels++;

	column_line(c, how(cycle)->branch, cycle->event[e].reg, label);
	column_line(c, "LC%02u:", label);
}

void load_store_edge(struct column *c, const struct cycle *cycle, unsigned e)
{
	switch (cycle->edge[e].kind) {
	case EDGE_FENCE:
		column_line(c, "%s", cycle->edge[e].spelling->text);
		break;
	case EDGE_ADDR:
	case EDGE_DATA:
		put_depend(c, cycle, e);
		break;
	case EDGE_CTRL:
		put_branch(c, cycle, e);
		break;
	case EDGE_CTRL_FENCE:
		put_branch(c, cycle, e);
		column_line(c, "%s", cycle->language->control_fence);
		break;
	default:
		break;
	}
}

/* Returns a register with the address: the location's own, or one that depends on a read, too. */
static unsigned event_address(struct column *c, const struct cycle *cycle,
			      const struct event *event)
{
	unsigned base = column_address(c, event->location);
	int zero = column_depends(c, EDGE_ADDR);
	unsigned sum;

	if (zero < 0)
		return base;
	sum = column_register(c);
	column_line(c, how(cycle)->sum, sum, base, zero);
	return sum;
}

unsigned load_store_constant(struct column *c, const struct load_store *how, unsigned value)
{
	unsigned reg = column_register(c);

	column_line(c, how->constant, reg, value);
	return reg;
}

static void put_store(struct column *c, const struct cycle *cycle, const struct event *event,
		      unsigned base)
{
	int zero = column_depends(c, EDGE_DATA);
	unsigned value = zero < 0 ? load_store_constant(c, how(cycle), event->value)
				  : (unsigned)zero;

	if (zero >= 0)
		column_line(c, how(cycle)->plus, value, value, event->value);
	how(cycle)->store(c, event, value, base);
}

static void put_exclusives(struct column *c, const struct cycle *cycle, struct event *read,
			   struct event *write, unsigned base)
{
	unsigned value = load_store_constant(c, how(cycle), write->value);

	read->reg = column_register(c);
	write->reg = column_register(c);
	write->has_status = true;
	how(cycle)->exclusives(c, read, write, value, base);
}

void load_store_event(struct column *c, struct cycle *cycle, unsigned e)
{
	struct event *event = &cycle->event[e];
	unsigned base = event_address(c, cycle, event);

	if (is_rmw_read(cycle, e)) {
		if (*cycle->edge[e].spelling->text)
			how(cycle)->one_instruction(c, event, event + 1,
						    cycle->edge[e].spelling->text, base);
		else
			put_exclusives(c, cycle, event, event + 1, base);
	} else if (event->write) {
		put_store(c, cycle, event, base);
	} else {
		event->reg = column_register(c);
		how(cycle)->load(c, event, base);
	}
}
