/* SPDX-License-Identifier: MIT */
/*
 * long nap__clone(unsigned long flags, void *stack, uint32_t *parent_tid, uint32_t *child_tid,
 *		   void *thread_pointer, void (*run)(void *), void *arg)
 *
 * clone(2) for threads: the child calls run(arg) at the top of @stack, and ends when run() returns.
 * Returns the child's tid, or a negative errno, to the parent. The kernel takes the number in x8,
 * the flags in x0, the stack in x1, parent_tid in x2, the thread pointer in x3, and child_tid in
 * x4.
 */
	.cfi_sections .debug_frame	/* for debuggers only: nothing unwinds at run time */
	.text
	.globl	nap__clone
	.hidden	nap__clone
	.type	nap__clone, %function
nap__clone:
	.cfi_startproc
	hint	#34			/* bti c */
	and	x1, x1, #-16
	stp	x5, x6, [x1, #-16]!
	mov	x7, x3
	mov	x3, x4
	mov	x4, x7
	mov	x8, #220
	svc	#0
	cbz	x0, 1f
	ret
1:	.cfi_undefined x30
	mov	x29, xzr
	ldp	x1, x0, [sp], #16
	blr	x1
	mov	x0, xzr
	mov	x8, #93
	svc	#0
	brk	#0
	.cfi_endproc
	.size	nap__clone, . - nap__clone
#include "marks.h"
