/* SPDX-License-Identifier: MIT */
/*
 * What each assembly file ends with. The compiler writes these marks for C files.
 *
 * The mark says that indirect branches land on endbr64 (IBT). A program has it only if all its
 * parts have it. There is no mark for shadow stacks (SHSTK), because a context switch returns on
 * another stack than it was called on (context.S). So the linker leaves shadow stacks off in a
 * program with these files.
 */
	.section .note.gnu.property, "a", @note
	.balign	8
	.long	4, 16, 5		/* the sizes of name and contents, NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.long	0xc0000002, 4, 1, 0	/* GNU_PROPERTY_X86_FEATURE_1_AND: IBT */
	.section .note.GNU-stack, "", @progbits
