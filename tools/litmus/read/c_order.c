/* SPDX-License-Identifier: MIT */
/* C11's memory orders, and their effect on an access or a fence. */
#include <string.h>

#include "read/c.h"

static const struct {
	const char *name, *builtin;
} orders[] = {
	[ORDER_RELAXED] = { "relaxed", "RELAXED" }, [ORDER_CONSUME] = { "consume", "CONSUME" },
	[ORDER_ACQUIRE] = { "acquire", "ACQUIRE" }, [ORDER_RELEASE] = { "release", "RELEASE" },
	[ORDER_ACQ_REL] = { "acq_rel", "ACQ_REL" }, [ORDER_SEQ_CST] = { "seq_cst", "SEQ_CST" },
};

static int find_order(const char *begin, const char *end, bool builtin)
{
	size_t length = (size_t)(end - begin);

	for (int i = ORDER_RELAXED; i <= ORDER_SEQ_CST; i++) {
		const char *name = builtin ? orders[i].builtin : orders[i].name;

		if (strlen(name) == length && !memcmp(name, begin, length))
			return i;
	}
	return -1;
}

int c11_order_name(const char *begin, const char *end)
{
	return find_order(begin, end, false);
}

int c11_order(const struct token *word)
{
	static const char standard[] = "memory_order_", builtin[] = "__ATOMIC_";
	size_t length = (size_t)(word->end - word->begin);

	if (word->kind != T_WORD)
		return -1;
	if (length >= sizeof(standard) && !memcmp(word->begin, standard, sizeof(standard) - 1))
		return find_order(word->begin + sizeof(standard) - 1, word->end, false);
	if (length >= sizeof(builtin) && !memcmp(word->begin, builtin, sizeof(builtin) - 1))
		return find_order(word->begin + sizeof(builtin) - 1, word->end, true);
	return -1;
}

static uint64_t acquires(enum c_order order)
{
	return order == ORDER_CONSUME || order == ORDER_ACQUIRE || order >= ORDER_ACQ_REL ?
		BIT(TAG_ACQUIRE) : 0;
}

static uint64_t releases(enum c_order order)
{
	return order >= ORDER_RELEASE ? BIT(TAG_RELEASE) : 0;
}

static uint64_t sequential(enum c_order order)
{
	return order == ORDER_SEQ_CST ? BIT(TAG_SC) : 0;
}

static uint64_t of_read(enum c_order order)
{
	return BIT(TAG_RELAXED) | acquires(order) | sequential(order);
}

static uint64_t of_write(enum c_order order)
{
	return BIT(TAG_RELAXED) | releases(order) | sequential(order);
}

static void must_not(enum c_order order, bool wrong, const char *what, struct text *text,
		     const char *at)
{
	if (wrong)
		text_fail(text, at, "expected an order of %s, not %s", what, orders[order].name);
}

static bool only_acquires(enum c_order order)
{
	return order == ORDER_CONSUME || order == ORDER_ACQUIRE;
}

static bool has_release(enum c_order order)
{
	return order == ORDER_RELEASE || order == ORDER_ACQ_REL;
}

static void check(const struct c_primitive *primitive, struct text *text, const char *at)
{
	enum c_order order = primitive->order, failure = primitive->failure;

	if (primitive->does == C_LOAD)
		must_not(order, has_release(order), "a load", text, at);
	if (primitive->does == C_STORE)
		must_not(order, only_acquires(order) || order == ORDER_ACQ_REL, "a store", text,
			 at);
	if (primitive->does == C_CAS)
		must_not(failure, has_release(failure), "a failure", text, at);
}

/* Sets the tags. A relaxed fence becomes no fence. */
void c11_tags(struct c_primitive *primitive, struct text *text, const char *at)
{
	uint64_t both = primitive->does == C_RMW || primitive->does == C_CAS ? BIT(TAG_AMO) : 0;
	enum c_order order = primitive->order;

	check(primitive, text, at);
	if (primitive->does == C_FENCE) {
		primitive->read_tags = acquires(order) | releases(order) | sequential(order);
		return;
	}
	primitive->read_tags = of_read(order) | both;
	primitive->write_tags = of_write(order) | both;
	primitive->fail_tags = of_read(primitive->failure);
}
