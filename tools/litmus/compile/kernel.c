/* SPDX-License-Identifier: MIT */
/*
 * The kernel's functions as macros, which use the few functions that emit.c takes from the compiler
 * or from nap: all that read/c_kernel.c reads, except for locks and RCU. Each macro takes its
 * arguments once.
 */
#include "compile/compile.h"

/*
 * lab_call() expands its arguments before ## joins them. lab_cell() is the number in an atomic_t;
 * tests give a plain int to an atomic function, too.
 */
static const char fixed[] =
"#define lab_call(f, ...) f(__VA_ARGS__)\n"
"#define barrier() __asm__ volatile(\"\" ::: \"memory\")\n"
"#define cpu_relax() barrier()\n"
"#define smp_store_mb(x, v) do { WRITE_ONCE(x, v); smp_mb(); } while (0)\n"
"#define smp_mb__before_atomic() smp_mb()\n"
"#define smp_mb__after_atomic() smp_mb()\n"
"#define rcu_dereference(p) READ_ONCE(p)\n"
"#define rcu_assign_pointer(p, v) smp_store_release(&(p), v)\n"
"#define lab_full(e) ({ smp_mb(); __typeof__(e) lab_value = (e); smp_mb(); lab_value; })\n"
"typedef struct { int counter; } atomic_t;\n"
"typedef struct { long counter; } atomic64_t, atomic_long_t;\n"
"#define lab_cell(a) ((__typeof__(_Generic(*(a), atomic_t: (int *)0, atomic64_t: (long *)0, \\\n"
"	default: (a))))(a))\n"
"#define lab_unless(a, v, u, exchange) ({ __typeof__(a) lab_at = (a); \\\n"
"	__typeof__(*lab_at) lab_more = (v), lab_not = (u), "
"lab_seen = READ_ONCE(*lab_at), lab_next; \\\n"
"	for (; lab_seen != lab_not; lab_seen = lab_next) { \\\n"
"		lab_next = exchange(lab_at, lab_seen, lab_seen + lab_more); \\\n"
"		if (lab_next == lab_seen) \\\n"
"			break; \\\n"
"	} lab_seen; })\n"
"#define lab_added(a, v, fetch) ({ __typeof__(*lab_cell(a)) lab_more = (v); \\\n"
"	fetch(lab_more, a) + lab_more; })\n"
"#define lab_anded(a, v, fetch) ({ __typeof__(*lab_cell(a)) lab_more = (v); \\\n"
"	fetch(lab_more, a) & lab_more; })\n"
"#define lab_ored(a, v, fetch) ({ __typeof__(*lab_cell(a)) lab_more = (v); \\\n"
"	fetch(lab_more, a) | lab_more; })\n"
"#define lab_xored(a, v, fetch) ({ __typeof__(*lab_cell(a)) lab_more = (v); \\\n"
"	fetch(lab_more, a) ^ lab_more; })\n"
"#define lab_try(p, e, v, exchange) ({ __typeof__(&*(e)) lab_at = (e); \\\n"
"	__typeof__(*(p)) lab_was = *lab_at, lab_got = exchange(p, lab_was, v); \\\n"
"	*lab_at = lab_got; lab_got == lab_was; })\n";

static const struct { const char *suffix, *order; } orders[] = {
	{ "_relaxed", "LAB_RELAXED" }, { "_acquire", "LAB_ACQUIRE" }, { "_release", "LAB_RELEASE" },
	{ "", NULL },
};
#define NR_ORDERS (sizeof(orders) / sizeof(*orders))

/* An exchange of each order, on any object. The one without a suffix is between two fences. */
static void emit_exchanges(FILE *out, const char *suffix, const char *order)
{
	if (order) {
		fprintf(out, "#define xchg%s(p, v) lab_call(lab_xchg, p, v, %s)\n", suffix, order);
		fprintf(out, "#define cmpxchg%s(p, e, v) lab_call(lab_cmpxchg, p, e, v, %s)\n",
			suffix, order);
	} else {
		fputs("#define xchg(p, v) lab_full(xchg_relaxed(p, v))\n"
		      "#define cmpxchg(p, e, v) lab_full(cmpxchg_relaxed(p, e, v))\n", out);
	}
	fprintf(out, "#define try_cmpxchg%s(p, e, v) lab_try(p, e, v, cmpxchg%s)\n", suffix,
		suffix);
}

/* Functions that return the old value, and functions that return the new one. */
static void emit_arithmetic(FILE *out, const char *prefix, const char *suffix, const char *order)
{
	static const char *const made[][2] = {
		{ "add", "added" }, { "and", "anded" }, { "or", "ored" }, { "xor", "xored" },
	};
	static const char *const derived[][4] = {
		{ "sub", "v, ", "-(v)", "add" }, { "inc", "", "1", "add" },
		{ "dec", "", "-1", "add" }, { "andnot", "v, ", "~(v)", "and" },
	};

	for (unsigned i = 0; i < sizeof(made) / sizeof(*made); i++) {
		const char *name = made[i][0];

		if (order)
			fprintf(out,
				"#define %sfetch_%s%s(v, a) lab_call(lab_%s, lab_cell(a), v, %s)\n",
				prefix, name, suffix, name, order);
		else
			fprintf(out,
				"#define %sfetch_%s(v, a) lab_full(%sfetch_%s_relaxed(v, a))\n",
				prefix, name, prefix, name);
		fprintf(out, "#define %s%s_return%s(v, a) lab_%s(a, v, %sfetch_%s%s)\n", prefix,
			name, suffix, made[i][1], prefix, name, suffix);
	}
	for (unsigned i = 0; i < sizeof(derived) / sizeof(*derived); i++) {
		const char *name = derived[i][0], *taken = derived[i][1], *value = derived[i][2];

		fprintf(out, "#define %sfetch_%s%s(%sa) %sfetch_%s%s(%s, a)\n", prefix, name,
			suffix, taken, prefix, derived[i][3], suffix, value);
		fprintf(out, "#define %s%s_return%s(%sa) %s%s_return%s(%s, a)\n", prefix, name,
			suffix, taken, prefix, derived[i][3], suffix, value);
	}
}

/*
 * Functions that return something about the new value, and functions that do not write if the old
 * value is a given one.
 */
static void emit_questions(FILE *out, const char *prefix, const char *suffix)
{
	static const char *const tested[][2] = {
		{ "add", "v, " }, { "sub", "v, " }, { "inc", "" }, { "dec", "" }, { "and", "v, " },
		{ "or", "v, " }, { "xor", "v, " }, { "andnot", "v, " },
	};

	for (unsigned i = 0; i < sizeof(tested) / sizeof(*tested); i++) {
		const char *name = tested[i][0], *taken = tested[i][1];

		fprintf(out, "#define %s%s_and_test%s(%sa) (%s%s_return%s(%sa) == 0)\n", prefix,
			name, suffix, taken, prefix, name, suffix, taken);
		fprintf(out, "#define %s%s_negative%s(%sa) (%s%s_return%s(%sa) < 0)\n", prefix,
			name, suffix, taken, prefix, name, suffix, taken);
	}
	fprintf(out,
		"#define %sfetch_add_unless%s(a, v, u) lab_unless(lab_cell(a), v, u, cmpxchg%s)\n",
		prefix, suffix, suffix);
	fprintf(out,
		"#define %sadd_unless%s(a, v, u) ({ __typeof__(*lab_cell(a)) lab_if = (u); \\\n"
		"	%sfetch_add_unless%s(a, v, lab_if) != lab_if; })\n",
		prefix, suffix, prefix, suffix);
	fprintf(out, "#define %sinc_not_zero%s(a) %sadd_unless%s(a, 1, 0)\n", prefix, suffix,
		prefix, suffix);
}

static void emit_of_type(FILE *out, const char *prefix)
{
	static const char *const plain[][2] = {
		{ "add", "v, " }, { "sub", "v, " }, { "inc", "" }, { "dec", "" }, { "and", "v, " },
		{ "or", "v, " }, { "xor", "v, " }, { "andnot", "v, " },
	};

	fprintf(out,
		"#define %sread(a) READ_ONCE(*lab_cell(a))\n"
		"#define %sset(a, v) WRITE_ONCE(*lab_cell(a), v)\n"
		"#define %sread_acquire(a) smp_load_acquire(lab_cell(a))\n"
		"#define %sset_release(a, v) smp_store_release(lab_cell(a), v)\n",
		prefix, prefix, prefix, prefix);
	for (unsigned i = 0; i < NR_ORDERS; i++) {
		const char *suffix = orders[i].suffix;

		emit_arithmetic(out, prefix, suffix, orders[i].order);
		emit_questions(out, prefix, suffix);
		fprintf(out, "#define %sxchg%s(a, v) xchg%s(lab_cell(a), v)\n", prefix, suffix,
			suffix);
		fprintf(out, "#define %scmpxchg%s(a, e, v) cmpxchg%s(lab_cell(a), e, v)\n", prefix,
			suffix, suffix);
		fprintf(out, "#define %stry_cmpxchg%s(a, e, v) try_cmpxchg%s(lab_cell(a), e, v)\n",
			prefix, suffix, suffix);
	}
	for (unsigned i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		fprintf(out, "#define %s%s(%sa) ((void)%sfetch_%s_relaxed(%sa))\n", prefix,
			plain[i][0], plain[i][1], prefix, plain[i][0], plain[i][1]);
}

void emit_kernel(FILE *out)
{
	fputs(fixed, out);
	for (unsigned i = 0; i < NR_ORDERS; i++)
		emit_exchanges(out, orders[i].suffix, orders[i].order);
	emit_of_type(out, "atomic_");
	emit_of_type(out, "atomic64_");
	emit_of_type(out, "atomic_long_");
}
