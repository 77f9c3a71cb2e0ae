/* SPDX-License-Identifier: MIT */
/*
 * The enumerator of programs whose accesses differ in size and overlap. Each model is taken in
 * another form than nap-litmus's, the slowest and most literal: x86-TSO as the machine with store
 * buffers, RVWMO as its manual's total orders of operations, Arm's as relations of single bytes.
 * This enumerator shares no code with nap-litmus. Of the enumerator of whole locations (brute.h) it
 * takes only matrices and random numbers.
 */
#ifndef NAP_TESTS_LAB_BYTES_H
#define NAP_TESTS_LAB_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define B_THREADS	3
#define B_STEPS		7	/* of one thread, fences and branches counted */
#define B_ACCESSES	4	/* of one thread */
#define B_LOCS		2
#define B_BYTES		(8 * B_LOCS)	/* byte 0 of location 1 is number 8 */
#define B_STATES	4096
#define B_KEYS		(2 * (B_THREADS * B_ACCESSES + B_LOCS))

enum machine { M_TSO, M_ARMV8, M_RVWMO, MACHINES };

/*
 * B_BRANCH goes on at the next instruction whether it is taken or not: so it makes a control
 * dependency, and nothing else.
 */
enum b_kind { B_LOAD, B_STORE, B_SWAP, B_ADD, B_CAS, B_LX, B_SX, B_FENCE, B_BRANCH };
enum { B_ACQ = 1, B_REL = 2, B_PC = 4 };
enum b_fence { BF_FULL, BF_LD, BF_ST, BF_ISB, BF_RW, BF_TSO };

struct step {
	enum b_kind kind;
	unsigned loc, offset, size, order;
	int slot;		/* of an access: the register of what it reads and stores */
	uint64_t value;		/* what is stored, unless it is another slot's register */
	uint64_t expect;	/* of B_CAS */
	int data;		/* slot whose register is stored, or -1 */
	int from;		/* slot on whose register value and address seem to depend, or -1 */
	bool from_address;
	bool first_half, second_half; /* of Arm's LDP and STP: two steps that are one instruction */
	bool wide;		/* one access of two registers: CASP, LDXP, cmpxchg16b, amocas.q */
	uint64_t value_high, expect_high;	/* as printed: of the second register */
	enum b_fence fence;
	unsigned pred, succ;	/* BF_RW: 1 reads, 2 writes */
};

/*
 * Each byte here stands for @scale equal bytes of the printed test. So programs with accesses of 16
 * bytes can be tried, if no access of the test is smaller than 4 bytes.
 */
struct b_program {
	enum machine machine;
	bool c;			/* printed in the kernel's C, with unions */
	unsigned scale;
	char name[64];
	unsigned threads, locs, size[B_LOCS];
	unsigned nr[B_THREADS];
	struct step step[B_THREADS][B_STEPS];
};

struct b_states {
	unsigned nr, keys;
	uint64_t value[B_STATES][B_KEYS];
};

/* A final state: what each thread has read into each slot, and each byte of memory. */
struct b_final {
	uint64_t reg[B_THREADS][B_ACCESSES];
	uint8_t memory[B_BYTES];
};

static inline bool b_access(const struct step *s)
{
	return s->kind < B_FENCE;
}

static inline bool b_reads(const struct step *s)
{
	return b_access(s) && s->kind != B_STORE && s->kind != B_SX;
}

static inline bool b_one_instruction(const struct step *s)
{
	return s->kind == B_SWAP || s->kind == B_ADD || s->kind == B_CAS;
}

static inline bool b_writes(const struct step *s)
{
	return s->kind == B_STORE || s->kind == B_SX || b_one_instruction(s);
}

static inline unsigned b_first(const struct step *s)
{
	return 8 * s->loc + s->offset;
}

static inline bool b_has(const struct step *s, unsigned byte)
{
	return b_access(s) && byte - b_first(s) < s->size;
}

static inline uint64_t b_cut(uint64_t value, unsigned size)
{
	return size < 8 ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

/* Returns what a step that has read @old stores. */
static inline uint64_t b_stored(const struct step *s, const uint64_t *reg, uint64_t old)
{
	uint64_t operand = s->data >= 0 ? reg[s->data] : s->value;

	return b_cut(s->kind == B_ADD ? old + operand : operand, s->size);
}

/*
 * To the enumerators a compare-exchange that fails is a load, which must read other bytes than the
 * expected ones; one that stores is an exchange, which must read the expected bytes. Returns the
 * step in this form; a failure acquires and does not release.
 */
static inline struct step b_compared(const struct step *s, bool fails)
{
	struct step as = *s;

	as.kind = fails ? B_LOAD : B_SWAP;
	as.order = fails ? s->order & B_ACQ : s->order;
	return as;
}

/* bytes.c: adds the state, if it is new; false: there are too many. */
bool b_found(const struct b_program *p, const struct b_final *final, struct b_states *states);

/* Find all final states; false: the program is too large. */
typedef bool b_enumerate(const struct b_program *p, struct b_states *states);
b_enumerate bytes_tso, bytes_armv8, bytes_rvwmo;

#endif
