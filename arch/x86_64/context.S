/* SPDX-License-Identifier: MIT */
/*
 * void nap__context_switch(void **save, void *sp)
 *
 * Push what a call preserves, store the stack pointer in *save, go on on the stack @sp, where the
 * same was pushed before. The caller sees a call that returns later. A new stack holds six words of
 * any value and the address to begin at; above that, the stack is aligned as behind a call.
 *
 * The floating-point control words are not switched: threads share them.
 */
	.text
	.globl	nap__context_switch
	.type	nap__context_switch, @function
nap__context_switch:
	endbr64
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	retq
	.size	nap__context_switch, . - nap__context_switch
	.section .note.GNU-stack, "", @progbits
