/* SPDX-License-Identifier: MIT */
/* Where the kernel enters a program: the stack pointer is at argc. */
	.cfi_sections .debug_frame	/* for debuggers only: nothing unwinds at run time */
	.text
	.globl	_start
	.type	_start, %function
_start:
	.cfi_startproc
	.cfi_undefined x30
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, sp
	bl	nap__start
	brk	#0
	.cfi_endproc
	.size	_start, . - _start
#include "marks.h"
