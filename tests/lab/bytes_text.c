/* SPDX-License-Identifier: MIT */
/* Steps as instructions of AArch64, RISC-V and x86-64. */
#include <inttypes.h>

#include "brute.h"
#include "bytes_print.h"

/*
 * ---- AArch64: slots X0 to X3 (and X12 to X15), values X4 to X7 (and X16 to X19), addresses X10
 * and X11; X20 to X27 for intermediate results
 */

static const char *arm_suffix(unsigned size)
{
	return size == 1 ? "B" : size == 2 ? "H" : "";
}

static char arm_width(unsigned size)
{
	return size == 8 ? 'X' : 'W';
}

static void arm_address(char *text, const struct step *s)
{
	if (s->from >= 0) {
		text_add(text, "EOR X20,X%d,X%d\n", s->from, s->from);
		if (s->from_address)
			text_add(text, "ADD X22,X1%u,X20\n", s->loc);
	}
	text_add(text, "ADD X22,X%s%u,#%u\n", s->from_address ? "2" : "1",
		 s->from_address ? 2 : s->loc, s->offset);
}

/* Returns the register that holds the value to be stored. */
static unsigned arm_value(char *text, const struct step *s)
{
	if (s->data >= 0)
		return (unsigned)s->data;
	if (s->from < 0 || s->from_address)
		return 4 + (unsigned)s->slot;
	text_add(text, "ADD X21,X%d,X20\n", 4 + s->slot);
	return 21;
}

/* CASP and SWPP have their values in registers side by side. */
static void arm_wide(char *text, const struct step *s)
{
	const char *a = s->order & B_ACQ ? "A" : "", *l = s->order & B_REL ? "L" : "";
	char width = arm_width(s->size / 2);
	int slot = s->slot;

	if (s->kind == B_LX) {
		text_add(text, "LD%sXP %c%d,%c%d,[X22]\n", a, width, slot, width, 12 + slot);
	} else if (s->kind == B_SX) {
		text_add(text, "ST%sXP W23,%c%d,%c%d,[X22]\n", l, width, 4 + slot, width,
			 16 + slot);
	} else if (s->kind == B_CAS) {
		text_add(text, "MOV X24,X%d\nMOV X25,X%d\nMOV X26,X%d\nMOV X27,X%d\n", slot,
			 12 + slot, 4 + slot, 16 + slot);
		text_add(text, "CASP%s%s %c24,%c25,%c26,%c27,[X22]\n", a, l, width, width, width,
			 width);
		text_add(text, "MOV X%d,X24\nMOV X%d,X25\n", slot, 12 + slot);
	} else {
		text_add(text, "MOV X%d,X%d\nMOV X%d,X%d\n", slot, 4 + slot, 12 + slot, 16 + slot);
		text_add(text, "SWPP%s%s X%d,X%d,[X22]\n", a, l, slot, 12 + slot);
	}
}

static void arm_access(char *text, const struct step *s)
{
	const char *suffix = arm_suffix(s->size);
	const char *a = s->order & B_ACQ ? "A" : "", *l = s->order & B_REL ? "L" : "";
	unsigned value = b_writes(s) ? arm_value(text, s) : 0;
	char width = arm_width(s->size);

	if (s->kind == B_LOAD)
		text_add(text, "LD%s%s %c%d,[X22]\n", *a ? "AR" : s->order & B_PC ? "APR" : "R",
			 suffix, width, s->slot);
	else if (s->kind == B_STORE)
		text_add(text, "ST%sR%s %c%u,[X22]\n", l, suffix, width, value);
	else if (s->kind == B_LX)
		text_add(text, "LD%sXR%s %c%d,[X22]\n", a, suffix, width, s->slot);
	else if (s->kind == B_SX)
		text_add(text, "ST%sXR%s W23,%c%u,[X22]\n", l, suffix, width, value);
	else if (s->kind == B_CAS)
		text_add(text, "CAS%s%s%s %c%d,%c%u,[X22]\n", a, l, suffix, width, s->slot, width,
			 value);
	else
		text_add(text, "%s%s%s%s %c%u,%c%d,[X22]\n", s->kind == B_SWAP ? "SWP" : "LDADD", a,
			 l, suffix, width, value, width, s->slot);
}

/* Adds an LDP or STP, whose second half is @s. */
static void arm_halves(char *text, const struct step *s)
{
	const struct step *first = s - 1;
	char width = arm_width(s->size);

	arm_address(text, first);
	if (s->kind == B_LOAD)
		text_add(text, "LDP %c%d,%c%d,[X22]\n", width, first->slot, width, s->slot);
	else
		text_add(text, "STP %c%u,%c%u,[X22]\n", width, arm_value(text, first), width,
			 arm_value(text, s));
}

void bytes_arm(char *text, const struct step *s, unsigned label)
{
	static const char *const fences[] = {
		[BF_FULL] = "DMB SY", [BF_LD] = "DMB LD", [BF_ST] = "DMB ST", [BF_ISB] = "ISB",
	};

	if (s->kind == B_FENCE) {
		text_add(text, "%s\n", fences[s->fence]);
	} else if (s->kind == B_BRANCH) {
		text_add(text, "CBNZ X%d,LC%u\nLC%u:\nMOV X20,#0\n", s->from, label, label);
	} else if (s->second_half) {
		arm_halves(text, s);
	} else if (!s->first_half) {
		arm_address(text, s);
		if (s->wide)
			arm_wide(text, s);
		else
			arm_access(text, s);
	}
}

/*
 * ---- RISC-V: slots x5 to x8 (and x22 to x25), values x18 to x21 (and x1 to x4), addresses x10 and
 * x11; x12 to x15 and x27 to x30 for intermediate results
 */

static unsigned riscv_value(char *text, const struct step *s)
{
	if (s->data >= 0)
		return 5 + (unsigned)s->data;
	if (s->from < 0 || s->from_address)
		return 18 + (unsigned)s->slot;
	text_add(text, "add x27,x%d,x28\n", 18 + s->slot);
	return 27;
}

static const char *riscv_order(const struct step *s)
{
	static const char *const orders[] = { "", ".aq", ".rl", ".aq.rl" };

	return s->order == 3 && s->kind != B_LX ? ".aqrl" : orders[s->order & 3];
}

/* amocas.q has its values in registers side by side. */
static void riscv_wide(char *text, const struct step *s)
{
	text_add(text, "mv x12,x%d\nmv x13,x%d\nmv x14,x%d\nmv x15,x%d\n", 5 + s->slot,
		 22 + s->slot, 18 + s->slot, 1 + s->slot);
	text_add(text, "amocas.q%s x12,x14,(x29)\nmv x%d,x12\nmv x%d,x13\n", riscv_order(s),
		 5 + s->slot, 22 + s->slot);
}

static void riscv_access(char *text, const struct step *s)
{
	static const char width[] = { [1] = 'b', [2] = 'h', [4] = 'w', [8] = 'd' };
	const char *order = riscv_order(s);
	unsigned value = b_writes(s) ? riscv_value(text, s) : 0;

	if (s->kind == B_LOAD)
		text_add(text, "l%c%s x%d,0(x29)\n", width[s->size], s->size < 8 ? "u" : "",
			 5 + s->slot);
	else if (s->kind == B_STORE)
		text_add(text, "s%c x%u,0(x29)\n", width[s->size], value);
	else if (s->kind == B_LX)
		text_add(text, "lr.%c%s x%d,(x29)\n", width[s->size], order, 5 + s->slot);
	else if (s->kind == B_SX)
		text_add(text, "sc.%c%s x30,x%u,(x29)\n", width[s->size], order, value);
	else if (s->kind == B_CAS)
		text_add(text, "amocas.%c%s x%d,x%u,(x29)\n", width[s->size], order, 5 + s->slot,
			 value);
	else
		text_add(text, "amo%s.%c%s x%d,x%u,(x29)\n", s->kind == B_SWAP ? "swap" : "add",
			 width[s->size], order, 5 + s->slot, value);
}

void bytes_riscv(char *text, const struct step *s, unsigned label)
{
	static const char *const sets[] = { "", "r", "w", "rw" };

	if (s->kind == B_FENCE) {
		if (s->fence == BF_TSO)
			text_add(text, "fence.tso\n");
		else
			text_add(text, "fence %s,%s\n", sets[s->pred], sets[s->succ]);
	} else if (s->kind == B_BRANCH) {
		text_add(text, "bne x%d,x0,LC%u\nLC%u:\naddi x28,x0,0\n", 5 + s->from, label,
			 label);
	} else {
		if (s->from >= 0)
			text_add(text, "xor x28,x%d,x%d\n", 5 + s->from, 5 + s->from);
		if (s->from >= 0 && s->from_address)
			text_add(text, "add x29,x1%u,x28\naddi x29,x29,%u\n", s->loc, s->offset);
		else
			text_add(text, "addi x29,x1%u,%u\n", s->loc, s->offset);
		if (s->wide)
			riscv_wide(text, s);
		else
			riscv_access(text, s);
	}
}

/* ---- x86-64 */

static const char *const x86_slots[] = { "r8", "r9", "r10", "r11" };
static const char *const x86_values[4][4] = {
	{ "dil", "di", "edi", "rdi" }, { "r12b", "r12w", "r12d", "r12" },
	{ "r13b", "r13w", "r13d", "r13" }, { "r14b", "r14w", "r14d", "r14" },
};

static unsigned x86_index(unsigned size)
{
	return size == 8 ? 3 : size / 2;
}

static void x86_place(char *text, const struct step *s)
{
	text_add(text, "%u(%%%s)", s->offset, s->loc ? "rsi" : "r15");
}

static void x86_store(char *text, const struct step *s)
{
	static const char *const parts[] = { "b", "w", "d", "" };

	text_add(text, "mov%c ", "bwlq"[x86_index(s->size)]);
	if (s->data >= 0)
		text_add(text, "%%%s%s,", x86_slots[s->data], parts[x86_index(s->size)]);
	else
		text_add(text, "%%%s,", x86_values[s->slot][x86_index(s->size)]);
	x86_place(text, s);
}

static void x86_load(char *text, const struct step *s)
{
	static const char *const loads[] = { "movzbl ", "movzwl ", "movl ", "movq " };

	text_add(text, "%s", loads[x86_index(s->size)]);
	x86_place(text, s);
	text_add(text, ",%%%s%s", x86_slots[s->slot], s->size < 8 ? "d" : "");
}

/*
 * The second half of what lock cmpxchg16b has read goes into the register that had the first half
 * of the value to be stored.
 */
static void x86_wide(char *text, const struct step *s)
{
	text_add(text, "movq $%" PRIu64 ",%%rax\nmovq $%" PRIu64 ",%%rdx\n", s->expect,
		 s->expect_high);
	text_add(text, "movq %%%s,%%rbx\nmovq $%" PRIu64 ",%%rcx\nlock cmpxchg16b ",
		 x86_values[s->slot][3], s->value_high);
	x86_place(text, s);
	text_add(text, "\nmovq %%rax,%%%s\nmovq %%rdx,%%%s", x86_slots[s->slot],
		 x86_values[s->slot][3]);
}

static void x86_locked(char *text, const struct step *s)
{
	static const char *const parts[] = { "b", "w", "d", "" };
	unsigned i = x86_index(s->size);

	if (s->kind == B_CAS) {
		text_add(text, "movq $%" PRIu64 ",%%rax\nlock cmpxchg%c %%%s,", s->expect,
			 "bwlq"[i], x86_values[s->slot][i]);
		x86_place(text, s);
		text_add(text, "\nmovq %%rax,%%%s", x86_slots[s->slot]);
		return;
	}
	text_add(text, "movq %%%s,%%%s\n%s%c %%%s%s,", x86_values[s->slot][3], x86_slots[s->slot],
		 s->kind == B_SWAP ? "xchg" : "lock xadd", "bwlq"[i], x86_slots[s->slot], parts[i]);
	x86_place(text, s);
}

void bytes_x86(char *text, const struct step *s, unsigned label)
{
	(void)label;
	if (s->kind == B_FENCE)
		text_add(text, "mfence");
	else if (s->kind == B_STORE)
		x86_store(text, s);
	else if (s->kind == B_LOAD)
		x86_load(text, s);
	else if (s->wide)
		x86_wide(text, s);
	else
		x86_locked(text, s);
	text_add(text, "\n");
}
