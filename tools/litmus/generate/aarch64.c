/* SPDX-License-Identifier: MIT */
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

static const char *aarch64_refuse(const struct spelling *rmw, enum order read, enum order write)
{
	(void)rmw;
	(void)write;
	return read == ORDER_ACQUIRE_PC ? "no read-modify-write reads by acquire-pc" : NULL;
}

static const char *aarch64_register_name(unsigned reg, char *buffer, size_t room)
{
	snprintf(buffer, room, "X%u", reg);
	return buffer;
}

static void aarch64_load(struct column *c, const struct event *event, unsigned base)
{
	const char *what = event->order == ORDER_ACQUIRE ? "LDAR"
			 : event->order == ORDER_ACQUIRE_PC ? "LDAPR" : "LDR";

	column_line(c, "%s W%u,[X%u]", what, event->reg, base);
}

static void aarch64_store(struct column *c, const struct event *event, unsigned value,
			  unsigned base)
{
	column_line(c, "%s W%u,[X%u]", event->order == ORDER_RELEASE ? "STLR" : "STR", value, base);
}

static void aarch64_exclusives(struct column *c, const struct event *read,
			       const struct event *write, unsigned value, unsigned base)
{
	column_line(c, "%s W%u,[X%u]", read->order == ORDER_ACQUIRE ? "LDAXR" : "LDXR", read->reg,
		    base);
	column_line(c, "%s W%u,W%u,[X%u]", write->order == ORDER_RELEASE ? "STLXR" : "STXR",
		    write->reg, value, base);
}

static const struct load_store load_store;

/* The register of a compare-exchange has the expected value first, and the old value afterwards. */
static void aarch64_one_instruction(struct column *c, struct event *read, const struct event *write,
				    const char *what, unsigned base)
{
	const char *acquire = read->order == ORDER_ACQUIRE ? "A" : "";
	const char *release = write->order == ORDER_RELEASE ? "L" : "";
	bool cas = !strcmp(what, "CAS");
	bool add = !strcmp(what, "LDADD");
	unsigned value = load_store_constant(c, &load_store, add ? 1 : write->value);

	read->reg = cas ? load_store_constant(c, &load_store, read->value) : column_register(c);
	column_line(c, "%s%s%s W%u,W%u,[X%u]", what, acquire, release, cas ? read->reg : value,
		    cas ? value : read->reg, base);
}

static const struct load_store load_store = {
	.zero = "EOR W%u,W%u,W%u", .branch = "CBNZ W%u,LC%02u", .sum = "ADD X%u,X%u,W%d,SXTW",
	.constant = "MOV W%u,#%u", .plus = "ADD W%u,W%u,#%u", .load = aarch64_load,
	.store = aarch64_store, .exclusives = aarch64_exclusives,
	.one_instruction = aarch64_one_instruction,
};

static bool aarch64_print(FILE *out, struct cycle *cycle, const char *text)
{
	static const struct assembly assembly = {
		.first = 0, .nr = 30, .register_name = aarch64_register_name, .has_addresses = true,
		.edge = load_store_edge, .event = load_store_event,
	};

	return print_columns(out, cycle, text, &assembly);
}

const struct language language_aarch64 = {
	.title = "AArch64", .fences = fences, .rmws = rmws, .orders = orders,
	.control_fence = "ISB", .has_dependencies = true, .refuse = aarch64_refuse,
	.print = aarch64_print, .load_store = &load_store,
};
