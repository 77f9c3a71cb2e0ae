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
"#define LAB_RELAXED relaxed\n"
"#define LAB_ACQUIRE acquire\n"
"#define LAB_RELEASE release\n";

/* Macros on top of both. lab_call() has its arguments replaced before ## sees them. */
static const char derived[] =
"#define lab_call(f, ...) f(__VA_ARGS__)\n"
"#define barrier() __asm__ volatile(\"\" ::: \"memory\")\n"
"#define smp_store_mb(x, v) do { WRITE_ONCE(x, v); smp_mb(); } while (0)\n"
"#define smp_mb__before_atomic() smp_mb()\n"
"#define smp_mb__after_atomic() smp_mb()\n"
"#define rcu_dereference(p) READ_ONCE(p)\n"
"#define rcu_assign_pointer(p, v) smp_store_release(&(p), v)\n"
"#define lab_full(e) ({ smp_mb(); __typeof__(e) lab_value = (e); smp_mb(); lab_value; })\n"
"#define xchg_relaxed(p, v) lab_call(lab_xchg, p, v, LAB_RELAXED)\n"
"#define xchg_acquire(p, v) lab_call(lab_xchg, p, v, LAB_ACQUIRE)\n"
"#define xchg_release(p, v) lab_call(lab_xchg, p, v, LAB_RELEASE)\n"
"#define xchg(p, v) lab_full(xchg_relaxed(p, v))\n"
"#define cmpxchg_relaxed(p, e, v) lab_call(lab_cmpxchg, p, e, v, LAB_RELAXED)\n"
"#define cmpxchg_acquire(p, e, v) lab_call(lab_cmpxchg, p, e, v, LAB_ACQUIRE)\n"
"#define cmpxchg_release(p, e, v) lab_call(lab_cmpxchg, p, e, v, LAB_RELEASE)\n"
"#define cmpxchg(p, e, v) lab_full(cmpxchg_relaxed(p, e, v))\n"
"typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;\n"
"typedef int8_t s8; typedef int16_t s16; typedef int32_t s32; typedef int64_t s64;\n"
"typedef struct { int counter; } atomic_t;\n"
"#define atomic_read(a) READ_ONCE((a)->counter)\n"
"#define atomic_set(a, v) WRITE_ONCE((a)->counter, v)\n"
"#define atomic_read_acquire(a) smp_load_acquire(&(a)->counter)\n"
"#define atomic_set_release(a, v) smp_store_release(&(a)->counter, v)\n"
"#define atomic_fetch_add_relaxed(v, a) lab_call(lab_add, &(a)->counter, v, LAB_RELAXED)\n"
"#define atomic_fetch_add_acquire(v, a) lab_call(lab_add, &(a)->counter, v, LAB_ACQUIRE)\n"
"#define atomic_fetch_add_release(v, a) lab_call(lab_add, &(a)->counter, v, LAB_RELEASE)\n"
"#define atomic_fetch_add(v, a) lab_full(atomic_fetch_add_relaxed(v, a))\n"
"#define atomic_add_return_relaxed(v, a) (atomic_fetch_add_relaxed(v, a) + (v))\n"
"#define atomic_add_return_acquire(v, a) (atomic_fetch_add_acquire(v, a) + (v))\n"
"#define atomic_add_return_release(v, a) (atomic_fetch_add_release(v, a) + (v))\n"
"#define atomic_add_return(v, a) (atomic_fetch_add(v, a) + (v))\n"
"#define atomic_sub_return_relaxed(v, a) atomic_add_return_relaxed(-(v), a)\n"
"#define atomic_sub_return_acquire(v, a) atomic_add_return_acquire(-(v), a)\n"
"#define atomic_sub_return_release(v, a) atomic_add_return_release(-(v), a)\n"
"#define atomic_sub_return(v, a) atomic_add_return(-(v), a)\n"
"#define atomic_inc_return(a) atomic_add_return(1, a)\n"
"#define atomic_dec_return(a) atomic_add_return(-1, a)\n"
"#define atomic_dec_and_test(a) (atomic_dec_return(a) == 0)\n"
"#define atomic_add(v, a) ((void)atomic_fetch_add_relaxed(v, a))\n"
"#define atomic_sub(v, a) atomic_add(-(v), a)\n"
"#define atomic_inc(a) atomic_add(1, a)\n"
"#define atomic_dec(a) atomic_add(-1, a)\n"
"#define atomic_xchg_relaxed(a, v) xchg_relaxed(&(a)->counter, v)\n"
"#define atomic_xchg_acquire(a, v) xchg_acquire(&(a)->counter, v)\n"
"#define atomic_xchg_release(a, v) xchg_release(&(a)->counter, v)\n"
"#define atomic_xchg(a, v) xchg(&(a)->counter, v)\n"
"#define atomic_cmpxchg_relaxed(a, e, v) cmpxchg_relaxed(&(a)->counter, e, v)\n"
"#define atomic_cmpxchg_acquire(a, e, v) cmpxchg_acquire(&(a)->counter, e, v)\n"
"#define atomic_cmpxchg_release(a, e, v) cmpxchg_release(&(a)->counter, e, v)\n"
"#define atomic_cmpxchg(a, e, v) cmpxchg(&(a)->counter, e, v)\n";

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
	fputs("#include <stdatomic.h>\n#include <stdint.h>\n#include <stdbool.h>\n", out);
	fputs(nap ? naps : builtins, out);
	fputs(derived, out);
	if (test->types)
		emit_span(out, &(struct span) { test->types, test->types_end });
	for (unsigned i = 0; i < nr; i++) {
		fprintf(out, "void P%u(", function[i].thread);
		emit_span(out, &function[i].parameters);
		fprintf(out, "%svolatile long *restrict lab_out)\n{",
			function[i].nr_parameters ? ", " : "");
		emit_span(out, &function[i].body);
		fputs("\n", out);
		emit_registers(out, test, function[i].thread);
		fputs("}\n", out);
	}
}
