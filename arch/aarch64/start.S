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
	/* The marks of arch/aarch64/context.S: a program has them only if all its parts have them. */
	.section .note.gnu.property, "a", %note
	.balign	8
	.word	4, 16, 5
	.asciz	"GNU"
	.word	0xc0000000, 4, 3, 0
	.section .note.GNU-stack, "", %progbits
