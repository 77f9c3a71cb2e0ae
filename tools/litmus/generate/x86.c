/* SPDX-License-Identifier: MIT */
#include "generate/columns.h"

static const struct spelling fences[] = { { "MFence", "mfence", "mfence" }, { 0 } };

static const struct spelling rmws[] = {
	{ "Rmw", "xchgl", "xchg" }, { "Exch", "xchgl", "xchg" }, { "Amo.Swp", "xchgl", "xchg" },
	{ 0 }
};

static const struct order_name orders[] = { { "P", ORDER_PLAIN }, { 0 } };

static const char *const registers[] = { "ax", "bx", "cx", "dx", "si", "di" };
#define NAMED (sizeof(registers) / sizeof(*registers))

static const char *x86_register_name(unsigned reg, char *buffer, size_t room)
{
	if (reg < NAMED)
		snprintf(buffer, room, "r%s", registers[reg]);
	else
		snprintf(buffer, room, "r%u", reg - (unsigned)NAMED + 8);
	return buffer;
}

/* Returns the register's name as an instruction on 4 bytes has it. */
static const char *short_name(unsigned reg, char *buffer, size_t room)
{
	if (reg < NAMED)
		snprintf(buffer, room, "e%s", registers[reg]);
	else
		snprintf(buffer, room, "r%ud", reg - (unsigned)NAMED + 8);
	return buffer;
}

static void edge(struct column *c, const struct cycle *cycle, unsigned e)
{
	if (cycle->edge[e].kind == EDGE_FENCE)
		column_line(c, "%s", cycle->edge[e].spelling->text);
}

static void event(struct column *c, struct cycle *cycle, unsigned e)
{
	struct event *event = &cycle->event[e];
	char location = location_name(event->location);
	char name[16];

	if (event->write) {
		column_line(c, "movl $%u,(%c)", event->value, location);
		return;
	}
	event->reg = column_register(c);
	short_name(event->reg, name, sizeof(name));
	if (is_rmw_read(cycle, e)) {
		column_line(c, "movl $%u,%%%s", event[1].value, name);
		column_line(c, "xchgl %%%s,(%c)", name, location);
	} else {
		column_line(c, "movl (%c),%%%s", location, name);
	}
}

static bool x86_print(FILE *out, struct cycle *cycle, const char *text)
{
	static const struct assembly assembly = {
		.first = 0, .nr = NAMED + 8, .register_name = x86_register_name, .edge = edge,
		.event = event,
	};

	return print_columns(out, cycle, text, &assembly);
}

const struct language language_x86 = {
	.title = "X86_64", .fences = fences, .rmws = rmws, .orders = orders, .print = x86_print,
};
