/* SPDX-License-Identifier: MIT */
/* Where the kernel enters a program: the stack pointer is at argc, rsp is 16-byte aligned. */
	.cfi_sections .debug_frame	/* for debuggers only: nothing unwinds at run time */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined rip
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	callq	nap__start
	ud2
	.cfi_endproc
	.size	_start, . - _start
#include "marks.h"
