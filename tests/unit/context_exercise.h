/* SPDX-License-Identifier: MIT */
/*
 * context_exercise() loads every callee-saved register and the floating-point control from @regs,
 * and switches to another context. When that context switches back, context_exercise() stores them
 * to @regs.
 */
#ifndef NAP_TESTS_CONTEXT_EXERCISE_H
#define NAP_TESTS_CONTEXT_EXERCISE_H

#include <stdint.h>

/*
 * The number of words in @regs. The last word is the floating-point control; two values for it
 * follow.
 */
#if defined(__x86_64__)
#define CONTEXT_WORDS	7
#define CONTROL_PLAIN	(0x37full << 32 | 0x1f80)	/* x87 control, mxcsr: round to nearest */
#define CONTROL_OTHER	(0xf7full << 32 | 0x7f80)	/* round to zero */
asm(	".pushsection .text\n"
	".type context_exercise, @function\n"
	"context_exercise:\n"
	"	pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
	"	subq $24, %rsp\n"
	"	movq %rdi, (%rsp)\n"
	"	stmxcsr 8(%rsp)\n"
	"	fnstcw 12(%rsp)\n"
	"	movq (%rdi), %rbx\n"
	"	movq 8(%rdi), %rbp\n"
	"	movq 16(%rdi), %r12\n"
	"	movq 24(%rdi), %r13\n"
	"	movq 32(%rdi), %r14\n"
	"	movq 40(%rdi), %r15\n"
	"	ldmxcsr 48(%rdi)\n"
	"	fldcw 52(%rdi)\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	call *%rcx\n"
	"	movq (%rsp), %rdi\n"
	"	movq %rbx, (%rdi)\n"
	"	movq %rbp, 8(%rdi)\n"
	"	movq %r12, 16(%rdi)\n"
	"	movq %r13, 24(%rdi)\n"
	"	movq %r14, 32(%rdi)\n"
	"	movq %r15, 40(%rdi)\n"
	"	stmxcsr 48(%rdi)\n"
	"	fnstcw 52(%rdi)\n"
	"	ldmxcsr 8(%rsp)\n"
	"	fldcw 12(%rsp)\n"
	"	addq $24, %rsp\n"
	"	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\n"
	"	ret\n"
	".size context_exercise, . - context_exercise\n"
	".popsection\n");
#elif defined(__aarch64__)
#define CONTEXT_WORDS	20
#define CONTROL_PLAIN	0ull
#define CONTROL_OTHER	(3ull << 22)	/* fpcr: round to zero */
#define EACH_PAIR(op, at, x, d)								\
	"	" op " x19, x20, [" at ", #" x "]\n"					\
	"	" op " x21, x22, [" at ", #" x " + 16]\n"				\
	"	" op " x23, x24, [" at ", #" x " + 32]\n"				\
	"	" op " x25, x26, [" at ", #" x " + 48]\n"				\
	"	" op " x27, x28, [" at ", #" x " + 64]\n"				\
	"	" op " d8, d9, [" at ", #" d "]\n"					\
	"	" op " d10, d11, [" at ", #" d " + 16]\n"				\
	"	" op " d12, d13, [" at ", #" d " + 32]\n"				\
	"	" op " d14, d15, [" at ", #" d " + 48]\n"
asm(	".pushsection .text\n"
	".type context_exercise, %function\n"
	"context_exercise:\n"
	"	stp x29, x30, [sp, #-192]!\n"
	EACH_PAIR("stp", "sp", "16", "96")
	"	mrs x9, fpcr\n"
	"	stp x0, x9, [sp, #160]\n"
	EACH_PAIR("ldp", "x0", "0", "88")
	"	ldr x29, [x0, #80]\n"
	"	ldr x9, [x0, #152]\n"
	"	msr fpcr, x9\n"
	"	mov x0, x1\n"
	"	mov x1, x2\n"
	"	blr x3\n"
	"	ldp x0, x10, [sp, #160]\n"
	EACH_PAIR("stp", "x0", "0", "88")
	"	str x29, [x0, #80]\n"
	"	mrs x9, fpcr\n"
	"	str x9, [x0, #152]\n"
	"	msr fpcr, x10\n"
	EACH_PAIR("ldp", "sp", "16", "96")
	"	ldp x29, x30, [sp], #192\n"
	"	ret\n"
	".size context_exercise, . - context_exercise\n"
	".popsection\n");
#elif defined(__riscv)
#define CONTEXT_WORDS	25
#define CONTROL_PLAIN	0ull
#define CONTROL_OTHER	(1ull << 5)	/* fcsr: round to zero */
#define EACH(op, at, s)									\
	"	" op " s0, " s " + 0(" at "); " op " s1, " s " + 8(" at ")\n"		\
	"	" op " s2, " s " + 16(" at "); " op " s3, " s " + 24(" at ")\n"		\
	"	" op " s4, " s " + 32(" at "); " op " s5, " s " + 40(" at ")\n"		\
	"	" op " s6, " s " + 48(" at "); " op " s7, " s " + 56(" at ")\n"		\
	"	" op " s8, " s " + 64(" at "); " op " s9, " s " + 72(" at ")\n"		\
	"	" op " s10, " s " + 80(" at "); " op " s11, " s " + 88(" at ")\n"
#define EACH_F(op, at, s)								\
	"	" op " fs0, " s " + 0(" at "); " op " fs1, " s " + 8(" at ")\n"		\
	"	" op " fs2, " s " + 16(" at "); " op " fs3, " s " + 24(" at ")\n"	\
	"	" op " fs4, " s " + 32(" at "); " op " fs5, " s " + 40(" at ")\n"	\
	"	" op " fs6, " s " + 48(" at "); " op " fs7, " s " + 56(" at ")\n"	\
	"	" op " fs8, " s " + 64(" at "); " op " fs9, " s " + 72(" at ")\n"	\
	"	" op " fs10, " s " + 80(" at "); " op " fs11, " s " + 88(" at ")\n"
asm(	".pushsection .text\n"
	".type context_exercise, @function\n"
	"context_exercise:\n"
	"	addi sp, sp, -224\n"
	"	sd ra, 0(sp)\n"
	EACH("sd", "sp", "8")
	EACH_F("fsd", "sp", "104")
	"	frcsr t0\n"
	"	sd a0, 200(sp)\n"
	"	sd t0, 208(sp)\n"
	EACH("ld", "a0", "0")
	EACH_F("fld", "a0", "96")
	"	ld t0, 192(a0)\n"
	"	fscsr t0\n"
	"	mv a0, a1\n"
	"	mv a1, a2\n"
	"	jalr a3\n"
	"	ld a0, 200(sp)\n"
	EACH("sd", "a0", "0")
	EACH_F("fsd", "a0", "96")
	"	frcsr t0\n"
	"	sd t0, 192(a0)\n"
	"	ld t0, 208(sp)\n"
	"	fscsr t0\n"
	EACH("ld", "sp", "8")
	EACH_F("fld", "sp", "104")
	"	ld ra, 0(sp)\n"
	"	addi sp, sp, 224\n"
	"	ret\n"
	".size context_exercise, . - context_exercise\n"
	".popsection\n");
#endif

/* @save and @sp are those of @how, which is nap__context_switch() or nap__context_jump(). */
void context_exercise(uint64_t *regs, void **save, void *sp, void (*how)(void **save, void *sp));

#endif /* NAP_TESTS_CONTEXT_EXERCISE_H */
