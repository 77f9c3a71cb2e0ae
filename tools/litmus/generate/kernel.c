/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "generate/c.h"

static const struct spelling fences[] = {
	{ "Mb", "smp_mb()", "mb" }, { "Rmb", "smp_rmb()", "rmb" }, { "Wmb", "smp_wmb()", "wmb" },
	{ "FenceMb", "smp_mb()", "mb" }, { "FenceRmb", "smp_rmb()", "rmb" },
	{ "FenceWmb", "smp_wmb()", "wmb" }, { 0 }
};

static const struct spelling rmws[] = {
	{ "Rmw", "xchg", "xchg" }, { "Amo.Swp", "xchg", "xchg" },
	{ "Amo.Cas", "cmpxchg", "cmpxchg" }, { 0 }
};

static const struct order_name orders[] = {
	{ "P", ORDER_PLAIN }, { "Once", ORDER_PLAIN }, { "A", ORDER_ACQUIRE },
	{ "Acquire", ORDER_ACQUIRE }, { "L", ORDER_RELEASE }, { "Release", ORDER_RELEASE },
	{ "S", ORDER_SC }, { 0 }
};

static const char *kernel_refuse(const struct spelling *rmw, enum order read, enum order write)
{
	(void)rmw;
	if (read == ORDER_ACQUIRE && write == ORDER_RELEASE)
		return "the kernel has none that acquires and releases, but S";
	if ((read == ORDER_SC) != (write == ORDER_SC))
		return "S is of both its accesses, or of none";
	return NULL;
}

static void kernel_load(FILE *out, const struct event *event, const char *place)
{
	if (event->order == ORDER_ACQUIRE)
		fprintf(out, "smp_load_acquire(%s)", place);
	else if (strlen(place) == 1)
		fprintf(out, "READ_ONCE(*%s)", place);
	else
		fprintf(out, "READ_ONCE(*(%s))", place);
}

static void kernel_store(FILE *out, const struct event *event, const char *place, const char *value)
{
	if (event->order == ORDER_RELEASE)
		fprintf(out, "smp_store_release(%s, %s)", place, value);
	else if (strlen(place) == 1)
		fprintf(out, "WRITE_ONCE(*%s, %s)", place, value);
	else
		fprintf(out, "WRITE_ONCE(*(%s), %s)", place, value);
}

static void kernel_rmw(FILE *out, const struct event *read, const char *place, const char *what)
{
	const char *order = read->order == ORDER_SC ? "" : read->order == ORDER_ACQUIRE ? "_acquire"
			  : read[1].order == ORDER_RELEASE ? "_release" : "_relaxed";

	if (!strcmp(what, "cmpxchg"))
		fprintf(out, "cmpxchg%s(%s, %u, %u)", order, place, read->value, read[1].value);
	else
		fprintf(out, "xchg%s(%s, %u)", order, place, read[1].value);
}

static bool kernel_print(FILE *out, struct cycle *cycle, const char *text)
{
	static const struct c_words words = {
		.pointer = "int *", .load = kernel_load, .store = kernel_store, .rmw = kernel_rmw,
	};

	return print_c(out, cycle, text, &words);
}

const struct language language_kernel = {
	.title = "the kernel's C", .fences = fences, .rmws = rmws, .orders = orders,
	.has_dependencies = true, .refuse = kernel_refuse, .print = kernel_print,
};
