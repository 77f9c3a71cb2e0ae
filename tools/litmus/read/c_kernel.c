/* SPDX-License-Identifier: MIT */
/*
 * The kernel's functions, as its tools/memory-model/linux-kernel.def has them, and their
 * equivalents on other types.
 */
#include "read/c.h"
#include "read/c_name.h"

#define ONCE BIT(TAG_ONCE)
#define ACQUIRE (ONCE | BIT(TAG_ACQUIRE))
#define RELEASE (ONCE | BIT(TAG_RELEASE))
#define FULL BIT(TAG_FULL)
#define RMW BIT(TAG_RMW)

#define FENCE(of, tag) { of, { .does = C_FENCE, .arguments = "", .read_tags = BIT(tag) } }
#define SRCU_SYNC(of) { of, { .does = C_FENCE, .arguments = "p", .read_tags = BIT(TAG_SRCU_SYNC) } }
#define LOAD(of, argument, tags)								\
	{ of, { .does = C_LOAD, .gives = GIVES_OLD, .arguments = argument, .read_tags = (tags) } }
#define STORE(of, argument, tags, fence)							\
	{ of, { .does = C_STORE, .arguments = argument, .write_tags = (tags), .behind = (fence) } }

struct entry {
	const char *name;
	struct c_primitive primitive;
};

static const struct entry exact[] = {
	LOAD("READ_ONCE", "l", ONCE), LOAD("rcu_dereference", "l", ONCE),
	LOAD("smp_load_acquire", "p", ACQUIRE), LOAD("spin_is_locked", "p", ONCE),
	STORE("WRITE_ONCE", "lv", ONCE, 0), STORE("smp_store_release", "pv", RELEASE, 0),
	STORE("smp_store_mb", "lv", ONCE, FULL), STORE("rcu_assign_pointer", "lv", RELEASE, 0),
	FENCE("smp_mb", TAG_FULL), FENCE("smp_rmb", TAG_RMB), FENCE("smp_wmb", TAG_WMB),
	FENCE("smp_mb__before_atomic", TAG_BEFORE_ATOMIC),
	FENCE("smp_mb__after_atomic", TAG_AFTER_ATOMIC),
	FENCE("smp_mb__after_spinlock", TAG_AFTER_SPINLOCK),
	FENCE("smp_mb__after_unlock_lock", TAG_AFTER_UNLOCK_LOCK), FENCE("barrier", TAG_COMPILER),
	FENCE("smp_mb__after_srcu_read_unlock", TAG_AFTER_SRCU_UNLOCK),
	FENCE("rcu_read_lock", TAG_RCU_LOCK), FENCE("rcu_read_unlock", TAG_RCU_UNLOCK),
	FENCE("synchronize_rcu", TAG_RCU_SYNC), FENCE("synchronize_rcu_expedited", TAG_RCU_SYNC),
	LOAD("srcu_read_lock", "p", BIT(TAG_SRCU_LOCK)),
	LOAD("srcu_down_read", "p", BIT(TAG_SRCU_LOCK)),
	STORE("srcu_read_unlock", "pv", BIT(TAG_SRCU_UNLOCK), 0),
	STORE("srcu_up_read", "pv", BIT(TAG_SRCU_UNLOCK), 0),
	SRCU_SYNC("synchronize_srcu"), SRCU_SYNC("synchronize_srcu_expedited"),
	{ "cpu_relax", { .does = C_NOTHING, .arguments = "" } },
	{ "spin_lock", { .does = C_CAS, .arguments = "p", .constant = true, .value = 1,
			 .must = true, .read_tags = ACQUIRE | BIT(TAG_LOCK),
			 .write_tags = ONCE | BIT(TAG_LOCK) } },
	{ "spin_trylock", { .does = C_CAS, .gives = GIVES_STORED, .arguments = "p",
			    .constant = true, .value = 1, .read_tags = ACQUIRE | BIT(TAG_LOCK),
			    .write_tags = ONCE | BIT(TAG_LOCK), .fail_tags = ONCE } },
	{ "spin_unlock", { .does = C_STORE, .arguments = "p", .constant = true,
			   .write_tags = RELEASE | BIT(TAG_UNLOCK) } },
};

/* The rest of the name after atomic_, or after the prefix of another type. */
static const struct entry accesses[] = {
	LOAD("read", "p", ONCE), LOAD("read_acquire", "p", ACQUIRE),
	STORE("set", "pv", ONCE, 0), STORE("set_release", "pv", RELEASE, 0),
};

/*
 * Functions that without a suffix are between two full fences. The first NR_PLAIN also exist
 * without a prefix, for objects that are no atomic_t.
 */
#define NR_PLAIN 3
static const struct entry suffixed[] = {
	{ "xchg", { .does = C_RMW, .gives = GIVES_OLD, .arguments = "pv", .alu = ALU_SECOND } },
	{ "cmpxchg", { .does = C_CAS, .gives = GIVES_OLD, .arguments = "pxv" } },
	{ "try_cmpxchg", { .does = C_CAS, .gives = GIVES_STORED, .arguments = "pev" } },
	{ "add_unless", { .does = C_RMW, .gives = GIVES_STORED, .arguments = "pvu",
			  .alu = ALU_ADD } },
	{ "fetch_add_unless", { .does = C_RMW, .gives = GIVES_OLD, .arguments = "pvu",
				.alu = ALU_ADD } },
	{ "inc_not_zero", { .does = C_RMW, .gives = GIVES_STORED, .arguments = "p", .alu = ALU_ADD,
			    .constant = true, .value = 1, .unless_0 = true } },
};

static const struct {
	const char *name;
	enum alu alu;
	bool constant;
} arithmetic[] = {
	{ "add", ALU_ADD, false }, { "sub", ALU_SUB, false }, { "inc", ALU_ADD, true },
	{ "dec", ALU_SUB, true }, { "andnot", ALU_BIC, false }, { "and", ALU_AND, false },
	{ "or", ALU_OR, false }, { "xor", ALU_XOR, false },
};

static const struct {
	const char *name;
	enum c_gives gives;
} endings[] = {
	{ "_return", GIVES_NEW }, { "_and_test", GIVES_NEW_IS_0 },
	{ "_negative", GIVES_NEW_IS_NEGATIVE },
};

static void of_suffix(struct c_primitive *primitive, struct c_name *name)
{
	primitive->read_tags = primitive->write_tags = primitive->fail_tags = ONCE | RMW;
	if (name_take_back(name, "_acquire"))
		primitive->read_tags |= ACQUIRE;
	else if (name_take_back(name, "_release"))
		primitive->write_tags |= RELEASE;
	else if (!name_take_back(name, "_relaxed"))
		primitive->around = FULL;
}

static bool exchange_of(struct c_primitive *primitive, struct c_name name, bool atomic)
{
	struct c_primitive tags = { .around = 0 };

	of_suffix(&tags, &name);
	for (unsigned i = 0; i < sizeof(suffixed) / sizeof(*suffixed); i++) {
		if (!name_equals(name, suffixed[i].name))
			continue;
		*primitive = suffixed[i].primitive;
		primitive->read_tags = tags.read_tags;
		primitive->write_tags = tags.write_tags;
		primitive->fail_tags = tags.fail_tags;
		primitive->around = tags.around;
		return atomic || i < NR_PLAIN;
	}
	return false;
}

static bool ending(struct c_primitive *primitive, struct c_name *name)
{
	for (unsigned i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (name_take_back(name, endings[i].name)) {
			primitive->gives = endings[i].gives;
			return true;
		}
	return false;
}

/* Reads add, add_return_acquire, fetch_add. Without a result a function has no suffix, no order. */
static bool arithmetical(struct c_primitive *primitive, struct c_name name)
{
	*primitive = (struct c_primitive) { .does = C_RMW };
	of_suffix(primitive, &name);
	if (name_take_front(&name, "fetch_")) {
		primitive->gives = GIVES_OLD;
	} else if (!ending(primitive, &name)) {
		if (!primitive->around)
			return false;
		primitive->around = 0;
		primitive->read_tags = primitive->write_tags = ONCE | RMW | BIT(TAG_NORETURN);
	}
	for (unsigned i = 0; i < sizeof(arithmetic) / sizeof(*arithmetic); i++)
		if (name_equals(name, arithmetic[i].name)) {
			primitive->alu = arithmetic[i].alu;
			primitive->constant = arithmetic[i].constant;
			primitive->value = 1;
			primitive->arguments = primitive->constant ? "p" : "vp";
			return true;
		}
	return false;
}

static bool atomic_prefix(struct c_name *name)
{
	return name_take_front(name, "atomic64_") || name_take_front(name, "atomic_long_") ||
		name_take_front(name, "atomic_");
}

static bool find_entry(struct c_primitive *primitive, struct c_name name, const struct entry *table,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (name_equals(name, table[i].name)) {
			*primitive = table[i].primitive;
			return true;
		}
	return false;
}

bool kernel_primitive(struct c_primitive *primitive, const struct token *token)
{
	struct c_name name = { token->begin, token->end };

	if (atomic_prefix(&name))
		return find_entry(primitive, name, accesses,
				  sizeof(accesses) / sizeof(*accesses)) ||
		       exchange_of(primitive, name, true) || arithmetical(primitive, name);
	return find_entry(primitive, name, exact, sizeof(exact) / sizeof(*exact)) ||
		exchange_of(primitive, name, false);
}
