/* SPDX-License-Identifier: MIT */
/*
 * void nap__context_switch(void **save, void *sp)
 *
 * Pushes the registers that a call preserves, and stores the stack pointer in *save. Continues on
 * the stack @sp, on which an earlier switch or nap__context_make() has pushed the same registers;
 * the earlier switch then returns. The calling convention preserves x19 to x30 and the low halves
 * of v8 to v15 ("Procedure Call Standard for the Arm 64-bit Architecture", 6.1). FPCR, the
 * floating-point environment, is pushed, too. FPCR is loaded only where it differs between the two
 * contexts, because a write may be slow.
 *
 *	sp -> x29 x30 | x19 ... x28 | d8 ... d15 | fpcr, -
 *
 * The address at which the context continues is signed with the address of its frame, if the
 * processor can sign addresses (pointer authentication).
 */
	.text
	.globl	nap__context_switch
	.hidden	nap__context_switch
	.type	nap__context_switch, %function
nap__context_switch:
	.cfi_startproc
	hint	#25			/* paciasp: also a landing pad for calls */
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-176]!
	.cfi_def_cfa_offset 176
	.cfi_offset x29, -176
	.cfi_offset x30, -168
	stp	x19, x20, [sp, #16]
	.cfi_offset x19, -160
	.cfi_offset x20, -152
	stp	x21, x22, [sp, #32]
	.cfi_offset x21, -144
	.cfi_offset x22, -136
	stp	x23, x24, [sp, #48]
	.cfi_offset x23, -128
	.cfi_offset x24, -120
	stp	x25, x26, [sp, #64]
	.cfi_offset x25, -112
	.cfi_offset x26, -104
	stp	x27, x28, [sp, #80]
	.cfi_offset x27, -96
	.cfi_offset x28, -88
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mrs	x9, fpcr
	str	x9, [sp, #160]
	mov	x10, sp
	str	x10, [x0]
	mov	sp, x1
	/*
	 * Loads the registers of the context on whose stack sp is, and continues this context.
	 * nap__context_begin jumps here, too.
	 */
	.globl	nap__context_saved
	.hidden	nap__context_saved
nap__context_saved:
	ldr	x10, [sp, #160]
	cmp	x9, x10
	b.eq	1f
	msr	fpcr, x10
1:	ldp	d14, d15, [sp, #144]
	ldp	d12, d13, [sp, #128]
	ldp	d10, d11, [sp, #112]
	ldp	d8, d9, [sp, #96]
	ldp	x27, x28, [sp, #80]
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #176
	.cfi_restore x19
	.cfi_restore x20
	.cfi_restore x21
	.cfi_restore x22
	.cfi_restore x23
	.cfi_restore x24
	.cfi_restore x25
	.cfi_restore x26
	.cfi_restore x27
	.cfi_restore x28
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	hint	#29			/* autiasp */
	.cfi_negate_ra_state
	ret
	.cfi_endproc
	.size	nap__context_switch, . - nap__context_switch

/* void *nap__context_make(top, run, arg, like): arch/aarch64/context.h */
	.globl	nap__context_make
	.hidden	nap__context_make
	.type	nap__context_make, %function
nap__context_make:
	.cfi_startproc
	hint	#34			/* bti c */
	mov	x16, x0
	adr	x17, nap__context_begin
	hint	#8			/* pacia1716 */
	stp	xzr, x17, [x0, #-176]!
	stp	x1, x2, [x0, #16]
	stp	xzr, xzr, [x0, #96]
	stp	xzr, xzr, [x0, #112]
	stp	xzr, xzr, [x0, #128]
	stp	xzr, xzr, [x0, #144]
	mrs	x9, fpcr
	cbz	x3, 1f
	ldr	x9, [x3, #160]
1:	str	x9, [x0, #160]
	ret
	.cfi_endproc
	.size	nap__context_make, . - nap__context_make

/*
 * A new context begins here: calls the function in x19 with the argument x20, and continues on the
 * stack that the function returns, as nap__context_switch() does. This is the outermost frame of
 * the stack.
 */
	.globl	nap__context_begin
	.hidden	nap__context_begin
	.type	nap__context_begin, %function
nap__context_begin:
	.cfi_startproc
	.cfi_undefined x30
	hint	#36			/* bti j */
	mov	x0, x20
	mov	x29, xzr
	blr	x19
	mrs	x9, fpcr
	mov	sp, x0
	b	nap__context_saved
	.cfi_endproc
	.size	nap__context_begin, . - nap__context_begin
#include "marks.h"
