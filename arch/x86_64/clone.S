/* SPDX-License-Identifier: MIT */
/*
 * long nap__clone(unsigned long flags, void *stack, uint32_t *parent_tid, uint32_t *child_tid,
 *		   void *thread_pointer, void (*run)(void *), void *arg)
 *
 * clone(2) for threads: the child calls run(arg) at the top of @stack, and ends when run() returns.
 * Returns the child's tid, or a negative errno, to the parent. The kernel takes the number in rax,
 * the flags in rdi, the stack in rsi, parent_tid in rdx, child_tid in r10, and the thread pointer
 * in r8.
 */
	.cfi_sections .debug_frame	/* for debuggers only: nothing unwinds at run time */
	.text
	.globl	nap__clone
	.hidden	nap__clone
	.type	nap__clone, @function
nap__clone:
	.cfi_startproc
	endbr64
	movq	8(%rsp), %rax
	andq	$-16, %rsi
	subq	$16, %rsi
	movq	%r9, (%rsi)
	movq	%rax, 8(%rsi)
	movq	%rcx, %r10
	movl	$56, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	retq
1:	.cfi_undefined rip
	xorl	%ebp, %ebp
	popq	%rax
	popq	%rdi
	callq	*%rax
	movl	$60, %eax
	xorl	%edi, %edi
	syscall
	ud2
	.cfi_endproc
	.size	nap__clone, . - nap__clone
#include "marks.h"
