/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "compile/compile.h"

/* The kernel's primitives by the compiler's builtins, as C11 has them. */
static const char builtins[] =
"#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))\n"
"#define WRITE_ONCE(x, v) ((void)(*(volatile __typeof__(x) *)&(x) = (v)))\n"
"#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)\n"
"#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)\n"
"#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)\n"
"#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)\n"
"#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)\n"
"#define lab_xchg(p, v, o) __atomic_exchange_n(p, v, o)\n"
"#define lab_cmpxchg(p, e, v, o) ({ __typeof__(*(p)) lab_old = (e); \\\n"
"	__atomic_compare_exchange_n(p, &lab_old, v, 0, o, __ATOMIC_RELAXED); lab_old; })\n"
"#define lab_add(p, v, o) __atomic_fetch_add(p, v, o)\n"
"#define lab_and(p, v, o) __atomic_fetch_and(p, v, o)\n"
"#define lab_or(p, v, o) __atomic_fetch_or(p, v, o)\n"
"#define lab_xor(p, v, o) __atomic_fetch_xor(p, v, o)\n"
"#define LAB_RELAXED __ATOMIC_RELAXED\n"
"#define LAB_ACQUIRE __ATOMIC_ACQUIRE\n"
"#define LAB_RELEASE __ATOMIC_RELEASE\n";

/* The kernel's primitives by nap's own functions. */
static const char naps[] =
"#include \"src/arch/atomic.h\"\n"
"#define READ_ONCE(x) nap_load_relaxed(&(x))\n"
"#define WRITE_ONCE(x, v) nap_store_relaxed(&(x), v)\n"
"#define smp_load_acquire(p) nap_load_acquire(p)\n"
"#define smp_store_release(p, v) nap_store_release(p, v)\n"
"#define smp_mb() nap_fence_seq_cst()\n"
"#define lab_xchg(p, v, o) nap_xchg_##o(p, v)\n"
"#define lab_cmpxchg(p, e, v, o) nap_cmpxchg_##o(p, e, v)\n"
"#define lab_add(p, v, o) nap_fetch_add_##o(p, v)\n"
"#define lab_and(p, v, o) nap_fetch_and_##o(p, v)\n"
"#define lab_or(p, v, o) nap_fetch_or_##o(p, v)\n"
"#define LAB_RELAXED relaxed\n"
"#define LAB_ACQUIRE acquire\n"
"#define LAB_RELEASE release\n";

static void emit_span(FILE *out, const struct span *span)
{
	fwrite(span->begin, 1, (size_t)(span->end - span->begin), out);
}

/* Writes each register that states show. The slots are in the order of the test's observed. */
static void emit_registers(FILE *out, const struct test *test, unsigned thread)
{
	unsigned slot = 0;

	for (unsigned i = 0; i < test->nr_observed; i++)
		if (test->observed[i].thread == (int)thread)
			fprintf(out, "\tlab_out[%u] = (long)%s;\n", slot++,
				test->thread[thread].reg[test->observed[i].number].name);
}

void emit_c(FILE *out, const struct test *test, const struct function *function, unsigned nr,
	    bool nap)
{
	/* The kernel and C11 have functions of the same names, with other arguments. */
	fputs(test->dialect == DIALECT_C11 ? "#include <stdatomic.h>\n" : "", out);
	fputs("#include <stdint.h>\n#include <stdbool.h>\n"
	      "typedef uint8_t u8; typedef uint16_t u16; "
	      "typedef uint32_t u32; typedef uint64_t u64;\n"
	      "typedef int8_t s8; typedef int16_t s16; "
	      "typedef int32_t s32; typedef int64_t s64;\n", out);
	fputs(nap ? naps : builtins, out);
	if (test->dialect != DIALECT_C11)
		emit_kernel(out);
	if (test->types)
		emit_span(out, &(struct span) { test->types, test->types_end });
	for (unsigned i = 0; i < nr; i++) {
		fprintf(out, "void P%u(", function[i].thread);
		emit_span(out, &function[i].parameters);
		fprintf(out, "%svolatile long *restrict lab_out)\n{",
			function[i].nr_parameters ? ", " : "");
		/* The compiler's errors refer to the test's own lines. */
		fprintf(out, "\n#line %u \"line\"\n",
			text_line(test->text, function[i].body.begin));
		emit_span(out, &function[i].body);
		fputs("\n#line 1 \"its end\"\n", out);
		emit_registers(out, test, function[i].thread);
		fputs("}\n", out);
	}
}
