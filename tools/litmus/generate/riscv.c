// SPDX-License-Identifier: MIT
#include "generate/columns.h"

static const struct spelling fences[] = {
	{ "Fence.rw.rw", "fence rw,rw", "fence.rw.rw" },
	{ "Fence.rw.r", "fence rw,r", "fence.rw.r" }, { "Fence.rw.w", "fence rw,w", "fence.rw.w" },
	{ "Fence.r.rw", "fence r,rw", "fence.r.rw" },
	{ "Fence.r.r", "fence r,r", "fence.r.r" }, { "Fence.r.w", "fence r,w", "fence.r.w" },
	{ "Fence.w.rw", "fence w,rw", "fence.w.rw" }, { "Fence.w.r", "fence w,r", "fence.w.r" },
	{ "Fence.w.w", "fence w,w", "fence.w.w" }, { "Fence.tso", "fence.tso", "fence.tso" }, { 0 }
};

static const struct spelling rmws[] = {
	{ "LxSx", "", "lrsc" }, { "Rmw", "amoswap", "amo.swp" },
	{ "Amo.Swp", "amoswap", "amo.swp" },
	{ "Exch", "amoswap", "amo.swp" }, { "Amo.LdAdd", "amoadd", "amo.ldadd" }, { 0 }
};

static const struct order_name orders[] = {
	{ "P", ORDER_PLAIN }, { "A", ORDER_ACQUIRE }, { "Aq", ORDER_ACQUIRE },
	{ "L", ORDER_RELEASE }, { "Rl", ORDER_RELEASE }, { "S", ORDER_SC },
	{ "AR", ORDER_SC }, { 0 }
};

static const char *register_name(unsigned reg, char *buffer, size_t room)
{
	snprintf(buffer, room, "x%u", reg);
	return buffer;
}

static const char *suffix(const struct event *event)
{
	switch (event->order) {
	case ORDER_ACQUIRE: return ".aq";
	case ORDER_RELEASE: return ".rl";
	case ORDER_SC: return ".aq.rl";
	default: return "";
	}
}

static void depend(struct column *c, const struct cycle *cycle, unsigned e)
{
	unsigned reg = column_register(c);

	column_line(c, "xor x%u,x%u,x%u", reg, cycle->event[e].reg, cycle->event[e].reg);
	c->depends = (int)reg;
	c->kind = cycle->edge[e].kind;
}

static void branch(struct column *c, const struct cycle *cycle, unsigned e)
{
	unsigned label = c->thread * 10 + c->labels++;

	column_line(c, "bne x%u,x0,LC%02u", cycle->event[e].reg, label);
	column_line(c, "LC%02u:", label);
}

static void edge(struct column *c, const struct cycle *cycle, unsigned e)
{
	switch (cycle->edge[e].kind) {
	case EDGE_FENCE:
		column_line(c, "%s", cycle->edge[e].spelling->text);
		break;
	case EDGE_ADDR:
	case EDGE_DATA:
		depend(c, cycle, e);
		break;
	case EDGE_CTRL:
		branch(c, cycle, e);
		break;
	case EDGE_CTRL_FENCE:
		branch(c, cycle, e);
		column_line(c, "%s", cycle->language->control_fence);
		break;
	default:
		break;
	}
}

static unsigned address(struct column *c, const struct event *event)
{
	unsigned base = column_address(c, event->location);
	int zero = column_depends(c, EDGE_ADDR);
	unsigned sum;

	if (zero < 0)
		return base;
	sum = column_register(c);
	column_line(c, "add x%u,x%u,x%d", sum, base, zero);
	return sum;
}

static unsigned constant(struct column *c, unsigned value)
{
	unsigned reg = column_register(c);

	column_line(c, "ori x%u,x0,%u", reg, value);
	return reg;
}

static void store(struct column *c, const struct event *event, unsigned base)
{
	int zero = column_depends(c, EDGE_DATA);
	unsigned value = zero < 0 ? constant(c, event->value) : (unsigned)zero;

	if (zero >= 0)
		column_line(c, "ori x%u,x%u,%u", value, value, event->value);
	column_line(c, "sw%s x%u,0(x%u)", suffix(event), value, base);
}

static void load(struct column *c, struct event *event, unsigned base)
{
	event->reg = column_register(c);
	column_line(c, "lw%s x%u,0(x%u)", suffix(event), event->reg, base);
}

static void reserved(struct column *c, struct event *read, struct event *write, unsigned base)
{
	unsigned value = constant(c, write->value);

	read->reg = column_register(c);
	write->reg = column_register(c);
	write->has_status = true;
	column_line(c, "lr.w%s x%u,0(x%u)", suffix(read), read->reg, base);
	column_line(c, "sc.w%s x%u,x%u,0(x%u)", suffix(write), write->reg, value, base);
}

static void one_instruction(struct column *c, struct event *read, const struct event *write,
			    const char *what, unsigned base)
{
	bool acquire = read->order == ORDER_ACQUIRE || read->order == ORDER_SC ||
		       write->order == ORDER_SC;
	bool release = write->order == ORDER_RELEASE || write->order == ORDER_SC ||
		       read->order == ORDER_SC;
	unsigned value = constant(c, what[3] == 'a' ? 1 : write->value);

	read->reg = column_register(c);
	column_line(c, "%s.w%s%s x%u,x%u,(x%u)", what, acquire ? ".aq" : "", release ? ".rl" : "",
		    read->reg, value, base);
}

static void event(struct column *c, struct cycle *cycle, unsigned e)
{
	struct event *event = &cycle->event[e];
	unsigned base = address(c, event);

	if (!is_rmw_read(cycle, e))
		event->write ? store(c, event, base) : load(c, event, base);
	else if (*cycle->edge[e].spelling->text)
		one_instruction(c, event, event + 1, cycle->edge[e].spelling->text, base);
	else
		reserved(c, event, event + 1, base);
}

static bool print(FILE *out, struct cycle *cycle, const char *text)
{
	static const struct assembly assembly = {
		.first = 5, .nr = 27, .register_name = register_name, .has_addresses = true,
		.edge = edge, .event = event,
	};

	return print_columns(out, cycle, text, &assembly);
}

const struct language language_riscv = {
	.title = "RISCV", .fences = fences, .rmws = rmws, .orders = orders,
	.control_fence = "fence.i", .has_dependencies = true, .print = print,
};
