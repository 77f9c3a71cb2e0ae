/* SPDX-License-Identifier: MIT */
/*
 * void nap__context_switch(void **save, void *sp)
 *
 * Pushes the registers that a call preserves, and stores the stack pointer in *save. Continues on
 * the stack @sp, on which an earlier switch or nap__context_make() has pushed the same registers;
 * the earlier switch then returns. The calling convention preserves ra (to return), s0 to s11 and
 * fs0 to fs11 ("RISC-V ABIs Specification", LP64D). fcsr, the rounding mode and the flags, is
 * pushed, too. fcsr is loaded only where it differs between the two contexts. Each register takes
 * an instruction, because RISC-V has no stores of pairs.
 *
 *	sp -> ra | s0 ... s11 | fs0 ... fs11 | fcsr | -
 */
	.text
	.globl	nap__context_switch
	.hidden	nap__context_switch
	.type	nap__context_switch, @function
nap__context_switch:
	.cfi_startproc
	addi	sp, sp, -224
	.cfi_def_cfa_offset 224
	sd	ra, 0(sp)
	.cfi_offset ra, -224
	sd	s0, 8(sp)
	.cfi_offset s0, -216
	sd	s1, 16(sp)
	.cfi_offset s1, -208
	sd	s2, 24(sp)
	.cfi_offset s2, -200
	sd	s3, 32(sp)
	.cfi_offset s3, -192
	sd	s4, 40(sp)
	.cfi_offset s4, -184
	sd	s5, 48(sp)
	.cfi_offset s5, -176
	sd	s6, 56(sp)
	.cfi_offset s6, -168
	sd	s7, 64(sp)
	.cfi_offset s7, -160
	sd	s8, 72(sp)
	.cfi_offset s8, -152
	sd	s9, 80(sp)
	.cfi_offset s9, -144
	sd	s10, 88(sp)
	.cfi_offset s10, -136
	sd	s11, 96(sp)
	.cfi_offset s11, -128
	fsd	fs0, 104(sp)
	fsd	fs1, 112(sp)
	fsd	fs2, 120(sp)
	fsd	fs3, 128(sp)
	fsd	fs4, 136(sp)
	fsd	fs5, 144(sp)
	fsd	fs6, 152(sp)
	fsd	fs7, 160(sp)
	fsd	fs8, 168(sp)
	fsd	fs9, 176(sp)
	fsd	fs10, 184(sp)
	fsd	fs11, 192(sp)
	frcsr	t0
	sd	t0, 200(sp)
	sd	sp, 0(a0)
	mv	sp, a1
	/*
	 * Loads the registers of the context on whose stack sp is, and continues this context.
	 * nap__context_begin jumps here, too.
	 */
	.globl	nap__context_saved
	.hidden	nap__context_saved
nap__context_saved:
	ld	t1, 200(sp)
	beq	t0, t1, 1f
	fscsr	t1
1:	fld	fs0, 104(sp)
	fld	fs1, 112(sp)
	fld	fs2, 120(sp)
	fld	fs3, 128(sp)
	fld	fs4, 136(sp)
	fld	fs5, 144(sp)
	fld	fs6, 152(sp)
	fld	fs7, 160(sp)
	fld	fs8, 168(sp)
	fld	fs9, 176(sp)
	fld	fs10, 184(sp)
	fld	fs11, 192(sp)
	ld	ra, 0(sp)
	ld	s0, 8(sp)
	ld	s1, 16(sp)
	ld	s2, 24(sp)
	ld	s3, 32(sp)
	ld	s4, 40(sp)
	ld	s5, 48(sp)
	ld	s6, 56(sp)
	ld	s7, 64(sp)
	ld	s8, 72(sp)
	ld	s9, 80(sp)
	ld	s10, 88(sp)
	ld	s11, 96(sp)
	.cfi_restore ra
	.cfi_restore s0
	.cfi_restore s1
	.cfi_restore s2
	.cfi_restore s3
	.cfi_restore s4
	.cfi_restore s5
	.cfi_restore s6
	.cfi_restore s7
	.cfi_restore s8
	.cfi_restore s9
	.cfi_restore s10
	.cfi_restore s11
	addi	sp, sp, 224
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	nap__context_switch, . - nap__context_switch

/*
 * A new context begins here: calls the function in s1 with the argument s2, and continues on the
 * stack that the function returns, as nap__context_switch() does. This is the outermost frame of
 * the stack.
 */
	.globl	nap__context_begin
	.hidden	nap__context_begin
	.type	nap__context_begin, @function
nap__context_begin:
	.cfi_startproc
	.cfi_undefined ra
	mv	a0, s2
	li	s0, 0
	jalr	s1
	frcsr	t0
	mv	sp, a0
	j	nap__context_saved
	.cfi_endproc
	.size	nap__context_begin, . - nap__context_begin
	.section .note.GNU-stack, "", @progbits
