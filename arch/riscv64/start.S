/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel enters a program: the stack pointer is at argc. The global pointer, which the
 * linker's relaxations use, is set by the program; new threads inherit it.
 */
	.cfi_sections .debug_frame	/* for debuggers only: nothing unwinds at run time */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined ra
	.option	push
	.option	norelax
	lla	gp, __global_pointer$
	.option	pop
	li	s0, 0
	mv	a0, sp
	call	nap__start
	ebreak
	.cfi_endproc
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
