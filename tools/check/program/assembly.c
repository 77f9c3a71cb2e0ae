/* SPDX-License-Identifier: MIT */
/*
 * Fences in inline assembly. tools/check/nap-check puts a call in their place: the compiler does
 * not know of the call, so all registers stay as they are.
 */
#include "program/caller.h"
#include "program/ops.h"

#ifdef __x86_64__

__attribute__((used, externally_visible)) void machine_fence(uintptr_t sp, uintptr_t pc);
void machine_fence(uintptr_t sp, uintptr_t pc)
{
	caller_sp = sp;
	caller_pc = called(sp, pc);
	op_fence(O_SEQ_CST, 0, pc);
	leave_checker();
}

__asm__(
"	.text\n"
"	.globl	nap_check_fence\n"
"	.type	nap_check_fence, @function\n"
"nap_check_fence:\n"
"	pushfq\n"
"	pushq	%rbp\n"
"	movq	%rsp, %rbp\n"
"	pushq	%rax\n"
"	pushq	%rcx\n"
"	pushq	%rdx\n"
"	pushq	%rsi\n"
"	pushq	%rdi\n"
"	pushq	%r8\n"
"	pushq	%r9\n"
"	pushq	%r10\n"
"	pushq	%r11\n"
"	leaq	24(%rbp), %rdi\n"
"	movq	16(%rbp), %rsi\n"
"	subq	$512, %rsp\n"
"	andq	$-16, %rsp\n"
"	fxsaveq	(%rsp)\n"
"	call	machine_fence\n"
"	fxrstorq (%rsp)\n"
"	leaq	-72(%rbp), %rsp\n"
"	popq	%r11\n"
"	popq	%r10\n"
"	popq	%r9\n"
"	popq	%r8\n"
"	popq	%rdi\n"
"	popq	%rsi\n"
"	popq	%rdx\n"
"	popq	%rcx\n"
"	popq	%rax\n"
"	popq	%rbp\n"
"	popfq\n"
"	ret\n"
"	.size	nap_check_fence, . - nap_check_fence\n");

#endif
