/* SPDX-License-Identifier: MIT */
/*
 * C11's functions, the compilers' builtins with names of their own, and nap's functions
 * (src/arch/atomic.h): atomic_load_explicit(), __atomic_load_n(), nap_load_acquire().
 */
#include "read/c.h"
#include "read/c_name.h"

enum family { STANDARD = 1, EXPLICIT = 2, BUILTIN = 4, NAP = 8 };

static const struct {
	const char *name;
	unsigned families;
	enum c_does does;
	enum c_gives gives;
	const char *without, *with;	/* arguments if the name tells the order; and if not */
	bool weak;
} calls[] = {
	{ "load", STANDARD | EXPLICIT | NAP, C_LOAD, GIVES_OLD, "p", "po", false },
	{ "load_n", BUILTIN, C_LOAD, GIVES_OLD, "", "po", false },
	{ "store", STANDARD | EXPLICIT | NAP, C_STORE, GIVES_NOTHING, "pv", "pvo", false },
	{ "store_n", BUILTIN, C_STORE, GIVES_NOTHING, "", "pvo", false },
	{ "exchange", STANDARD | EXPLICIT, C_RMW, GIVES_OLD, "pv", "pvo", false },
	{ "exchange_n", BUILTIN, C_RMW, GIVES_OLD, "", "pvo", false },
	{ "xchg", NAP, C_RMW, GIVES_OLD, "pv", "", false },
	{ "compare_exchange_strong", STANDARD | EXPLICIT, C_CAS, GIVES_STORED, "pev", "pevof",
	  false },
	{ "compare_exchange_weak", STANDARD | EXPLICIT, C_CAS, GIVES_STORED, "pev", "pevof", true },
	{ "compare_exchange_n", BUILTIN, C_CAS, GIVES_STORED, "", "pevwof", false },
	{ "cmpxchg", NAP, C_CAS, GIVES_OLD, "pxv", "", false },
	{ "try_cmpxchg", NAP, C_CAS, GIVES_STORED, "pev", "", false },
	{ "thread_fence", EXPLICIT | BUILTIN, C_FENCE, GIVES_NOTHING, "", "o", false },
	{ "fence", NAP, C_FENCE, GIVES_NOTHING, "", "", false },
};

/* fetch_add and, for the builtins, add_fetch. */
static const struct {
	const char *name;
	enum alu alu;
} arithmetic[] = {
	{ "add", ALU_ADD }, { "sub", ALU_SUB }, { "or", ALU_OR }, { "and", ALU_AND },
	{ "xor", ALU_XOR },
};

/* Functions whose tags no order decides, or whose value is a number. */
static const struct {
	const char *name;
	struct c_primitive primitive;
} others[] = {
	{ "atomic_init", { .does = C_STORE, .arguments = "pv", .write_tags = BIT(TAG_PLAIN) } },
	{ "nap_cpu_relax", { .does = C_NOTHING, .arguments = "" } },
	{ "atomic_signal_fence",
	  { .does = C_FENCE, .arguments = "o", .read_tags = BIT(TAG_COMPILER) } },
	{ "__atomic_signal_fence",
	  { .does = C_FENCE, .arguments = "o", .read_tags = BIT(TAG_COMPILER) } },
#define SET(of, args)										\
	{ of, { .does = C_RMW, .gives = GIVES_OLD, .alu = ALU_SECOND, .arguments = args,	\
		.constant = true, .value = 1, .ordered = true, .order = ORDER_SEQ_CST } }
#define CLEAR(of, args)										\
	{ of, { .does = C_STORE, .arguments = args, .constant = true, .ordered = true,		\
		.order = ORDER_SEQ_CST } }
	SET("atomic_flag_test_and_set", "p"), SET("atomic_flag_test_and_set_explicit", "po"),
	SET("__atomic_test_and_set", "po"), CLEAR("atomic_flag_clear", "p"),
	CLEAR("atomic_flag_clear_explicit", "po"), CLEAR("__atomic_clear", "po"),
};

/* Takes _acquire and its like from the name. A failure of such a function is relaxed. */
static bool take_order(struct c_name *name, struct c_primitive *primitive)
{
	for (const char *p = name->end; p-- > name->begin;) {
		int order = *p == '_' ? c11_order_name(p + 1, name->end) : -1;

		if (order < 0)
			continue;
		primitive->order = (enum c_order)order;
		primitive->failure = ORDER_RELAXED;
		name->end = p;
		return order != ORDER_CONSUME;
	}
	return false;
}

/* Returns the family of functions that the name belongs to; 0: none. */
static unsigned family_of(struct c_name *name, struct c_primitive *primitive)
{
	primitive->order = primitive->failure = ORDER_SEQ_CST;
	if (name_take_front(name, "__atomic_"))
		return BUILTIN;
	if (name_take_front(name, "nap_"))
		return take_order(name, primitive) ? NAP : 0;
	if (!name_take_front(name, "atomic_"))
		return 0;
	return name_take_back(name, "_explicit") || name_equals(*name, "thread_fence") ?
		EXPLICIT : STANDARD;
}

static bool fetches(struct c_primitive *primitive, struct c_name name, unsigned family)
{
	primitive->does = C_RMW;
	primitive->gives = GIVES_OLD;
	if (!name_take_front(&name, "fetch_")) {
		if (family != BUILTIN || !name_take_back(&name, "_fetch"))
			return false;
		primitive->gives = GIVES_NEW;
	}
	for (unsigned i = 0; i < sizeof(arithmetic) / sizeof(*arithmetic); i++)
		if (name_equals(name, arithmetic[i].name)) {
			primitive->alu = arithmetic[i].alu;
			primitive->arguments = family & (EXPLICIT | BUILTIN) ? "pvo" : "pv";
			return family != NAP || arithmetic[i].alu != ALU_XOR;
		}
	return false;
}

static bool regular(struct c_primitive *primitive, struct c_name name)
{
	unsigned family = family_of(&name, primitive);

	primitive->ordered = true;
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (!(calls[i].families & family) || !name_equals(name, calls[i].name))
			continue;
		primitive->does = calls[i].does;
		primitive->gives = calls[i].gives;
		primitive->alu = ALU_SECOND;
		primitive->weak = calls[i].weak;
		primitive->arguments = family & (EXPLICIT | BUILTIN) ?
			calls[i].with : calls[i].without;
		return true;
	}
	return family && fetches(primitive, name, family);
}

bool c11_primitive(struct c_primitive *primitive, const struct token *token)
{
	struct c_name name = { token->begin, token->end };

	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (token_is(token, others[i].name)) {
			*primitive = others[i].primitive;
			return true;
		}
	*primitive = (struct c_primitive) { .constant = false };
	return token->kind == T_WORD && regular(primitive, name);
}
