/* SPDX-License-Identifier: MIT */
/*
 * Load buffering in a compiled program: whether the machine may execute a later store before a
 * load. It may not if an address, the data, a branch, a fence or the access itself orders the two.
 *
 *	listing.c	objdump's lines: instructions, and their code as the readers make it
 *	opaque.c	instructions that no reader knows: calls, jumps, computations and others
 *	lines.c		addr2line's lines: the source line of an instruction
 *	list.c		the candidates: a load and a store of the source
 *	address.c	the register that an address comes from
 *	state.c		the state of a walk: the registers that depend on the load
 *	access.c	the effect of an access on the state; whether a store is ordered, by the
 *			machine's model
 *	live.c		the registers that may be read later
 *	abi.c		the registers that calls preserve
 *	outside.c	calls, and returns to callers
 *	walk.c		all ways from a load
 *	judge.c		the verdict of a candidate: of all its loads and all ways
 */
#ifndef NAP_LITMUS_PAIRS_H
#define NAP_LITMUS_PAIRS_H

#include "test/test.h"

struct isa;

enum insn_kind {
	INSN_READ,			/* a reader knows the instruction: its code says all */
	INSN_OPAQUE,			/* unknown: may change the registers that it names */
	INSN_CALL,			/* a call of @target */
	INSN_CALL_UNKNOWN,		/* a call through a register */
	INSN_TLS,			/* a call for the address of a thread-local variable */
	INSN_JUMP_UNKNOWN,
	INSN_RETURN,
	INSN_SYSCALL,
	INSN_TRAP,			/* no instruction is executed after it */
};

struct insn {
	uint64_t address, target;
	const char *begin, *end;	/* its text in the listing */
	unsigned first;			/* index of its code, or of the next code */
	enum insn_kind kind;
	bool stub;			/* in a section of stubs, which jump to other libraries */
	bool entry, exported;		/* begins a function; it is exported */
	unsigned function;		/* index of the first instruction of its function */
	int goes;			/* a jump or branch: index of the target's code; or -1 */
	bool atomic;			/* its line is in arch/'s atomics */
	const char *place;		/* FILE:LINE of the instruction; or NULL */
};

/* A program: the code of all its instructions, one after the other. */
struct program {
	struct test *test;		/* with the code in thread 0 */
	const struct isa *isa;
	unsigned nr, room;
	struct insn *insn;
	unsigned *insn_of;		/* by index of the code */
	struct live *live;		/* by index of the code: registers that may be read later */
	bool ways;			/* print the way to a store that nothing orders */
};

/* listing.c: reads @listing, and changes its text. Fails by text_fail(). */
struct program *program_read(struct text *listing, const struct isa *isa);
/* Returns the instruction at @address; or NULL. */
struct insn *insn_at(const struct program *program, uint64_t address);
/*
 * Returns where the branch or jump at index @ir of the code goes, as an index of the code; -1:
 * nowhere.
 */
int program_target(const struct program *program, unsigned ir);
static inline const struct instruction *program_code(const struct program *program, unsigned ir)
{
	return &program->test->thread[0].code[ir];
}

/*
 * opaque.c: returns the kind of an instruction that has no reader. An instruction that only
 * computes becomes code with its dependencies.
 */
enum insn_kind opaque_kind(const struct program *program, const char *begin, const char *end);
bool opaque_computes(struct program *program, const char *begin, const char *end);
/* Whether the instruction names the register. */
bool opaque_names(const struct program *program, const struct insn *insn, unsigned reg);

/* lines.c: reads the places of instructions, from addr2line -a -i. */
void lines_read(struct program *program, struct text *lines);

struct candidate {
	const char *function[2], *place[2];	/* [0]: of the load, [1]: of the store */
};

struct candidates {
	unsigned nr;
	struct candidate *candidate;
};

/* list.c: reads lines of FUNCTION PLACE FUNCTION PLACE. */
struct candidates list_read(struct text *text);

/* judge.c: what orders a store after a load, the weakest first. */
enum by { BY_DATA, BY_ADDRESS, BY_CONTROL, BY_SAME, BY_ACQUIRE, BY_RELEASE, BY_FENCE, BY_MACHINE,
	  NR_BY };
extern const char *const by_name[NR_BY];

struct verdict {
	enum { ORDERED, NOT_ORDERED, NOT_JUDGED } kind;
	unsigned by;			/* a set of enum by, as bits */
	bool dropped;			/* some way orders nothing, and does not use the load */
	char why[200];			/* why it is not judged; or the store that is not ordered */
};

struct verdict judge_pair(struct program *program, const struct candidate *candidate);

#endif /* NAP_LITMUS_PAIRS_H */
