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
	/* The mark of arch/x86_64/context.S: a program has it only if all its parts have it. */
	.section .note.gnu.property, "a", @note
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 1, 0
	.section .note.GNU-stack, "", @progbits
