/* SPDX-License-Identifier: MIT */
/*
 * void nap__context_switch(void **save, void *sp)
 * void nap__context_jump(void **save, void *sp)
 *
 * Pushes the registers that a call preserves, and stores the stack pointer in *save. Continues on
 * the stack @sp, on which an earlier switch or nap__context_make() has pushed the same registers;
 * the earlier switch then returns. The calling convention preserves rbx, rbp, r12 to r15, and the
 * control words of both floating-point units ("System V Application Binary Interface, AMD64",
 * 3.2.1). The control words are loaded only where they differ, because loading them takes longer
 * than the rest of the switch.
 *
 *	sp -> mxcsr, x87 control word | r15 | r14 | r13 | r12 | rbx | rbp | where to go on
 *
 * A processor predicts the target of a return from the calls that it has executed; at a switch
 * these were calls on the other stack. If both contexts have left their stacks by the same calls,
 * the predictions are right nevertheless, for the switch and for the returns after it: so
 * nap__context_switch() uses a return. nap__context_jump(), for a new context, and between a thread
 * and a fiber, uses a jump: there a return would be mispredicted, and would use up the prediction
 * of a later return.
 */
	.macro CONTEXT_SAVE
	endbr64
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movl	(%rsp), %eax
	movzwl	4(%rsp), %ecx
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	.endm

	/* The control words are loaded out of line, at 2, which jumps back to 1. */
	.macro CONTEXT_LOAD
	cmpl	(%rsp), %eax
	jne	2f
	cmpw	4(%rsp), %cx
	jne	2f
1:	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	popq	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r14
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	.endm

	.macro CONTEXT_CONTROL
	.cfi_startproc
	.cfi_def_cfa_offset 64
	.cfi_offset %rbp, -16
	.cfi_offset %rbx, -24
	.cfi_offset %r12, -32
	.cfi_offset %r13, -40
	.cfi_offset %r14, -48
	.cfi_offset %r15, -56
2:	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	jmp	1b
	.cfi_endproc
	.endm

	.text
	.globl	nap__context_switch
	.hidden	nap__context_switch
	.type	nap__context_switch, @function
nap__context_switch:
	.cfi_startproc
	CONTEXT_SAVE
	/*
	 * Loads the registers of the context on whose stack rsp is, and continues this context.
	 * nap__context_begin jumps here, too.
	 */
	.globl	nap__context_saved
	.hidden	nap__context_saved
nap__context_saved:
	CONTEXT_LOAD
	ret
	.cfi_endproc
	CONTEXT_CONTROL
	.size	nap__context_switch, . - nap__context_switch

	.globl	nap__context_jump
	.hidden	nap__context_jump
	.type	nap__context_jump, @function
nap__context_jump:
	.cfi_startproc
	CONTEXT_SAVE
	CONTEXT_LOAD
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rcx
	notrack jmp *%rcx
	.cfi_endproc
	CONTEXT_CONTROL
	.size	nap__context_jump, . - nap__context_jump

/*
 * A new context begins here: calls the function in r13 with the argument r12, and continues on the
 * stack that the function returns, as nap__context_switch() does. This is the outermost frame of
 * the stack.
 */
	.globl	nap__context_begin
	.hidden	nap__context_begin
	.type	nap__context_begin, @function
nap__context_begin:
	.cfi_startproc
	.cfi_undefined %rip
	endbr64
	movq	%r12, %rdi
	xorl	%ebp, %ebp
	callq	*%r13
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rax, %rdx
	movl	(%rsp), %eax
	movzwl	4(%rsp), %ecx
	movq	%rdx, %rsp
	jmp	nap__context_saved
	.cfi_endproc
	.size	nap__context_begin, . - nap__context_begin
#include "marks.h"
