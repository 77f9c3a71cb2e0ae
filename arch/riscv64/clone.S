/* SPDX-License-Identifier: MIT */
/*
 * long nap__clone(unsigned long flags, void *stack, uint32_t *parent_tid, uint32_t *child_tid,
 *		   void *thread_pointer, void (*run)(void *), void *arg)
 *
 * clone(2) for threads: the child calls run(arg) at the top of @stack, and ends when run() returns.
 * Returns the child's tid, or a negative errno, to the parent. The kernel takes the number in a7,
 * the flags in a0, the stack in a1, parent_tid in a2, the thread pointer in a3, and child_tid in
 * a4.
 */
	.cfi_sections .debug_frame	/* for debuggers only: nothing unwinds at run time */
	.text
	.globl	nap__clone
	.hidden	nap__clone
	.type	nap__clone, @function
nap__clone:
	.cfi_startproc
	andi	a1, a1, -16
	addi	a1, a1, -16
	sd	a5, 0(a1)
	sd	a6, 8(a1)
	mv	t0, a3
	mv	a3, a4
	mv	a4, t0
	li	a7, 220
	ecall
	beqz	a0, 1f
	ret
1:	.cfi_undefined ra
	li	s0, 0
	ld	t0, 0(sp)
	ld	a0, 8(sp)
	addi	sp, sp, 16
	jalr	t0
	li	a0, 0
	li	a7, 93
	ecall
	ebreak
	.cfi_endproc
	.size	nap__clone, . - nap__clone
	.section .note.GNU-stack, "", @progbits
