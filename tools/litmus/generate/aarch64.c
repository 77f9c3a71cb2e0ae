// SPDX-License-Identifier: MIT
#include <string.h>

#include "generate/columns.h"

static const struct spelling fences[] = {
	{ "DMB.SY", "DMB SY", "dmb.sy" }, { "DMB.LD", "DMB LD", "dmb.ld" },
	{ "DMB.ST", "DMB ST", "dmb.st" }, { "ISB", "ISB", "isb" }, { 0 }
};

static const struct spelling rmws[] = {
	{ "LxSx", "", "rmw" }, { "Rmw", "", "rmw" }, { "Amo.Swp", "SWP", "amo.swp" },
	{ "Amo.Cas", "CAS", "amo.cas" }, { "Amo.LdAdd", "LDADD", "amo.ldadd" }, { 0 }
};

static const struct order_name orders[] = {
	{ "P", ORDER_PLAIN }, { "A", ORDER_ACQUIRE }, { "L", ORDER_RELEASE },
	{ "Q", ORDER_ACQUIRE_PC }, { 0 }
};

static const char *refuse(const struct spelling *rmw, enum order read, enum order write)
{
	(void)rmw;
	(void)write;
	return read == ORDER_ACQUIRE_PC ? "no read-modify-write reads by acquire-pc" : NULL;
}

static const char *register_name(unsigned reg, char *buffer, size_t room)
{
	snprintf(buffer, room, "X%u", reg);
	return buffer;
}

static void depend(struct column *c, const struct cycle *cycle, unsigned e)
{
	unsigned reg = column_register(c);

	column_line(c, "EOR W%u,W%u,W%u", reg, cycle->event[e].reg, cycle->event[e].reg);
	c->depends = (int)reg;
	c->kind = cycle->edge[e].kind;
}

static void branch(struct column *c, const struct cycle *cycle, unsigned e)
{
	unsigned label = c->thread * 10 + c->labels++;

	column_line(c, "CBNZ W%u,LC%02u", cycle->event[e].reg, label);
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

/* The register that has the address: the location's, or one that depends on a read, too. */
static unsigned address(struct column *c, const struct event *event)
{
	unsigned base = column_address(c, event->location);
	int zero = column_depends(c, EDGE_ADDR);
	unsigned sum;

	if (zero < 0)
		return base;
	sum = column_register(c);
	column_line(c, "ADD X%u,X%u,W%d,SXTW", sum, base, zero);
	return sum;
}

static unsigned constant(struct column *c, unsigned value)
{
	unsigned reg = column_register(c);

	column_line(c, "MOV W%u,#%u", reg, value);
	return reg;
}

static void store(struct column *c, const struct event *event, unsigned base)
{
	int zero = column_depends(c, EDGE_DATA);
	unsigned value = zero < 0 ? constant(c, event->value) : (unsigned)zero;

	if (zero >= 0)
		column_line(c, "ADD W%u,W%u,#%u", value, value, event->value);
	column_line(c, "%s W%u,[X%u]", event->order == ORDER_RELEASE ? "STLR" : "STR", value, base);
}

static void load(struct column *c, struct event *event, unsigned base)
{
	const char *what = event->order == ORDER_ACQUIRE ? "LDAR"
			 : event->order == ORDER_ACQUIRE_PC ? "LDAPR" : "LDR";

	event->reg = column_register(c);
	column_line(c, "%s W%u,[X%u]", what, event->reg, base);
}

static void exclusives(struct column *c, struct event *read, struct event *write, unsigned base)
{
	unsigned value = constant(c, write->value);

	read->reg = column_register(c);
	write->reg = column_register(c);
	write->has_status = true;
	column_line(c, "%s W%u,[X%u]", read->order == ORDER_ACQUIRE ? "LDAXR" : "LDXR", read->reg,
		    base);
	column_line(c, "%s W%u,W%u,[X%u]", write->order == ORDER_RELEASE ? "STLXR" : "STXR",
		    write->reg, value, base);
}

/* A compare-exchange has the value that it expects where it leaves what it read. */
static void one_instruction(struct column *c, struct event *read, const struct event *write,
			    const char *what, unsigned base)
{
	const char *acquire = read->order == ORDER_ACQUIRE ? "A" : "";
	const char *release = write->order == ORDER_RELEASE ? "L" : "";
	bool cas = !strcmp(what, "CAS");
	bool add = !strcmp(what, "LDADD");
	unsigned value = constant(c, add ? 1 : write->value);

	read->reg = cas ? constant(c, read->value) : column_register(c);
	column_line(c, "%s%s%s W%u,W%u,[X%u]", what, acquire, release, cas ? read->reg : value,
		    cas ? value : read->reg, base);
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
		exclusives(c, event, event + 1, base);
}

static bool print(FILE *out, struct cycle *cycle, const char *text)
{
	static const struct assembly assembly = {
		.first = 0, .nr = 30, .register_name = register_name, .has_addresses = true,
		.edge = edge, .event = event,
	};

	return print_columns(out, cycle, text, &assembly);
}

const struct language language_aarch64 = {
	.title = "AArch64", .fences = fences, .rmws = rmws, .orders = orders,
	.control_fence = "ISB", .has_dependencies = true, .refuse = refuse, .print = print,
};
