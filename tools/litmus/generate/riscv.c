/* SPDX-License-Identifier: MIT */
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

static const char *riscv_register_name(unsigned reg, char *buffer, size_t room)
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

static void riscv_load(struct column *c, const struct event *event, unsigned base)
{
	column_line(c, "lw%s x%u,0(x%u)", suffix(event), event->reg, base);
}

static void riscv_store(struct column *c, const struct event *event, unsigned value, unsigned base)
{
	column_line(c, "sw%s x%u,0(x%u)", suffix(event), value, base);
}

static void reserved(struct column *c, const struct event *read, const struct event *write,
		     unsigned value, unsigned base)
{
	column_line(c, "lr.w%s x%u,0(x%u)", suffix(read), read->reg, base);
	column_line(c, "sc.w%s x%u,x%u,0(x%u)", suffix(write), write->reg, value, base);
}

static const struct load_store load_store;

static void riscv_one_instruction(struct column *c, struct event *read, const struct event *write,
				  const char *what, unsigned base)
{
	bool acquire = read->order == ORDER_ACQUIRE || read->order == ORDER_SC ||
		       write->order == ORDER_SC;
	bool release = write->order == ORDER_RELEASE || write->order == ORDER_SC ||
		       read->order == ORDER_SC;
	unsigned value = load_store_constant(c, &load_store, what[3] == 'a' ? 1 : write->value);

	read->reg = column_register(c);
	column_line(c, "%s.w%s%s x%u,x%u,(x%u)", what, acquire ? ".aq" : "", release ? ".rl" : "",
		    read->reg, value, base);
}

static const struct load_store load_store = {
	.zero = "xor x%u,x%u,x%u", .branch = "bne x%u,x0,LC%02u", .sum = "add x%u,x%u,x%d",
	.constant = "ori x%u,x0,%u", .plus = "ori x%u,x%u,%u", .load = riscv_load,
	.store = riscv_store, .exclusives = reserved, .one_instruction = riscv_one_instruction,
};

static bool riscv_print(FILE *out, struct cycle *cycle, const char *text)
{
	static const struct assembly assembly = {
		.first = 5, .nr = 27, .register_name = riscv_register_name, .has_addresses = true,
		.edge = load_store_edge, .event = load_store_event,
	};

	return print_columns(out, cycle, text, &assembly);
}

const struct language language_riscv = {
	.title = "RISCV", .fences = fences, .rmws = rmws, .orders = orders,
	.control_fence = "fence.i", .has_dependencies = true, .print = riscv_print,
	.load_store = &load_store,
};
