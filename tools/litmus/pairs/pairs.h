/* SPDX-License-Identifier: MIT */
/*
 * Load buffering in a program as it was compiled: whether a load and a later store may change
 * places on the machine, or something orders them: an address, the data, a branch, a fence, the
 * access itself.
 *
 *	listing.c	objdump's lines: instructions, and what the readers make of each of them
 *	opaque.c	those that no reader knows: calls, jumps, what only computes, the rest
 *	lines.c		addr2line's: which line of the source an instruction belongs to
 *	list.c		the candidates: a load and a store of the source
 *	address.c	which register an address comes from
 *	state.c		what is known at a place of a walk: which registers depend on the load
 *	access.c	what an access does to that, and whether the store is ordered, by the
 *			machine's model
 *	live.c which registers nobody looks at again abi.c what calls leave outside.c calls, and
 *	returns to callers walk.c all ways from a load judge.c the verdict of a candidate: of all
 *	its loads and all ways
 */
#ifndef NAP_LITMUS_PAIRS_H
#define NAP_LITMUS_PAIRS_H

#include "test/test.h"

struct isa;

enum insn_kind {
	INSN_READ,			/* the reader knows it: its code says all */
	INSN_OPAQUE,			/* not known: it may change the registers that it names */
	INSN_CALL,			/* of @target */
	INSN_CALL_UNKNOWN,		/* of whom a register says */
	INSN_TLS,			/* a call for the place of a thread-local variable */
	INSN_JUMP_UNKNOWN,
	INSN_RETURN,
	INSN_SYSCALL,
	INSN_TRAP,			/* nothing comes after it */
};

struct insn {
	uint64_t address, target;
	const char *begin, *end;	/* in the listing */
	unsigned first;			/* of its code; the next one's if it has none */
	enum insn_kind kind;
	bool stub;			/* in a section of stubs, which jump to other libraries */
	bool entry, exported;		/* a function's first; one of those that programs call */
	unsigned function;		/* index of its function's first */
	int goes;			/* a jump or a branch: index of the code; else -1 */
	bool atomic;			/* of arch/'s atomics: */
	const char *place;		/* in FILE:LINE, which is what this is; or NULL */
};

/* A program: the code of all its instructions, one behind the other. */
struct program {
	struct test *test;		/* its thread 0 has the code */
	const struct isa *isa;
	unsigned nr, room;
	struct insn *insn;
	unsigned *insn_of;		/* by index of the code */
	struct live *live;		/* the same: registers that somebody may look at */
	bool ways;			/* the way to a store that is not ordered is printed */
};

/* listing.c: @lines is changed into words. Fails by text_fail(). */
struct program *program_read(struct text *listing, const struct isa *isa);
/* NULL: there is none. */
struct insn *insn_at(const struct program *program, uint64_t address);
/*
 * Of the instruction at index @ir of the code: where a branch or jump goes, as such an index;
 * -1: nowhere.
 */
int program_target(const struct program *program, unsigned ir);
static inline const struct instruction *program_code(const struct program *program, unsigned ir)
{
	return &program->test->thread[0].code[ir];
}

/*
 * opaque.c: what has no reader: its kind. What only computes becomes code, as far as
 * dependencies go.
 */
enum insn_kind opaque_kind(const struct program *program, const char *begin, const char *end);
bool opaque_computes(struct program *program, const char *begin, const char *end);
/* Whether the instruction names that register. */
bool opaque_names(const struct program *program, const struct insn *insn, unsigned reg);

/* lines.c: the places of instructions, from addr2line -a -i. */
void lines_read(struct program *program, struct text *lines);

struct candidate {
	const char *function[2], *place[2];	/* of the load, of the store */
};

struct candidates {
	unsigned nr;
	struct candidate *candidate;
};

/* list.c: lines of FUNCTION PLACE FUNCTION PLACE. */
struct candidates list_read(struct text *text);

/* judge.c: by what a store is ordered after a load, the weakest first. */
enum by { BY_DATA, BY_ADDRESS, BY_CONTROL, BY_SAME, BY_ACQUIRE, BY_RELEASE, BY_FENCE, BY_MACHINE,
	  NR_BY };
extern const char *const by_name[NR_BY];

struct verdict {
	enum { ORDERED, NOT_ORDERED, NOT_JUDGED } kind;
	unsigned by;			/* bits */
	bool dropped;			/* some way orders nothing, and nobody uses what was read */
	char why[200];			/* not judged; or where it is not ordered */
};

struct verdict judge_pair(struct program *program, const struct candidate *candidate);

#endif /* NAP_LITMUS_PAIRS_H */
