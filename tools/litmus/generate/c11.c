/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "generate/c.h"

#define FENCE(order) "atomic_thread_fence(memory_order_" order ")"

static const struct spelling fences[] = {
	{ "FenceSc", FENCE("seq_cst"), "fencesc" }, { "FenceAR", FENCE("acq_rel"), "fencear" },
	{ "FenceAcq", FENCE("acquire"), "fenceacq" }, { "FenceRel", FENCE("release"), "fencerel" },
	{ 0 }
};

static const struct spelling rmws[] = {
	{ "Rmw", "exchange", "exch" }, { "Exch", "exchange", "exch" },
	{ "Amo.Swp", "exchange", "exch" }, { "Fetch.Add", "fetch_add", "fetch.add" },
	{ "Amo.LdAdd", "fetch_add", "fetch.add" }, { 0 }
};

static const struct order_name orders[] = {
	{ "P", ORDER_PLAIN }, { "Rlx", ORDER_PLAIN },
	{ "A", ORDER_ACQUIRE }, { "Acq", ORDER_ACQUIRE },
	{ "L", ORDER_RELEASE }, { "Rel", ORDER_RELEASE },
	{ "S", ORDER_SC }, { "Sc", ORDER_SC }, { 0 }
};

static const char *c11_refuse(const struct spelling *rmw, enum order read, enum order write)
{
	(void)rmw;
	if ((read == ORDER_SC) != (write == ORDER_SC))
		return "S is of both its accesses, or of none";
	return NULL;
}

static const char *order_name(enum order order)
{
	switch (order) {
	case ORDER_ACQUIRE: return "acquire";
	case ORDER_RELEASE: return "release";
	case ORDER_SC: return "seq_cst";
	default: return "relaxed";
	}
}

static void c11_load(FILE *out, const struct event *event, const char *place)
{
	fprintf(out, "atomic_load_explicit(%s, memory_order_%s)", place, order_name(event->order));
}

static void c11_store(FILE *out, const struct event *event, const char *place, const char *value)
{
	fprintf(out, "atomic_store_explicit(%s, %s, memory_order_%s)", place, value,
		order_name(event->order));
}

static void c11_rmw(FILE *out, const struct event *read, const char *place, const char *what)
{
	const char *order = order_name(read->order);

	if (read[1].order == ORDER_RELEASE)
		order = read->order == ORDER_ACQUIRE ? "acq_rel" : "release";
	fprintf(out, "atomic_%s_explicit(%s, %u, memory_order_%s)", what, place,
		strcmp(what, "fetch_add") ? read[1].value : 1, order);
}

static bool c11_print(FILE *out, struct cycle *cycle, const char *text)
{
	static const struct c_words words = {
		.pointer = "atomic_int *", .load = c11_load, .store = c11_store, .rmw = c11_rmw,
	};

	return print_c(out, cycle, text, &words);
}

const struct language language_c11 = {
	.title = "C11", .fences = fences, .rmws = rmws, .orders = orders,
	.has_dependencies = true, .refuse = c11_refuse, .print = c11_print,
};
