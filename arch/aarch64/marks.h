/* SPDX-License-Identifier: MIT */
/*
 * What each assembly file ends with. The compiler writes these marks for C files.
 *
 * The marks say that indirect branches land on bti, and that return addresses are signed. A
 * program has them only if all its parts have them. There is no mark for guarded control stacks
 * (GCS), because a context switch returns on another stack than it was called on (context.S).
 */
	.section .note.gnu.property, "a", %note
	.balign	8
	.word	4, 16, 5		/* the sizes of name and contents, NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.word	0xc0000000, 4, 3, 0	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI, PAC */
	.section .note.GNU-stack, "", %progbits
