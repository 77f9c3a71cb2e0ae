/* SPDX-License-Identifier: MIT */
/* Within pairs/: the state of a walk from a load, and what it has found. */
#ifndef NAP_LITMUS_PAIRS_WALK_H
#define NAP_LITMUS_PAIRS_WALK_H

#include "pairs/pairs.h"

#define MAX_SLOTS	12	/* slots of the stack that hold what depends on the load */
#define MAX_DEPTH	6	/* of calls that are followed */
#define REG_WORDS	((TEST_REGISTERS + 63) / 64)

struct live {
	uint64_t reg[REG_WORDS];
};

/*
 * Compared as a whole, to know whether a walk has been in this state: it is zeroed, and has no
 * padding that differs.
 */
struct state {
	uint64_t tainted[REG_WORDS];	/* registers that depend on the load */
	uint64_t status[REG_WORDS];	/* those that say whether a store-exclusive failed */
	int64_t sp;			/* since the load */
	int64_t slot[MAX_SLOTS];	/* tainted: sp at the load + this */
	uint32_t nr_slots;
	uint32_t ir;			/* index of the next instruction's code */
	uint32_t depth;
	uint32_t back[MAX_DEPTH];	/* where calls return to */
	int32_t base;			/* the load's address: a register as it was, or -1 */
	int32_t after;			/* the same of a store that is ordered after it */
	int64_t offset, after_offset;
	uint32_t in_arm;
	uint32_t written;		/* the thread may have stored to it since then */
	uint32_t climbed;		/* returns to callers */
	uint32_t doubt;			/* 1 + the instruction that may hide what depends */
	uint32_t used;			/* UNUSED, or something stored depends on it: */
	uint32_t passed;		/* 1 + a store that nothing orders: is the load used? */
	uint32_t unused;
};

enum { UNUSED, USED, USED_IF_STORED };	/* the last: by a store-exclusive, which may fail */

struct walk {
	struct program *program;
	const char *store;		/* the place whose stores are looked for; NULL: of none */
	unsigned load;			/* index of the code */
	uint64_t load_tags;
	unsigned sp;			/* the stack pointer's register */
	struct arena arena;
	struct seen *seen[1 << 12];
	unsigned nr_seen;
	struct seen **todo, *newest, *now;
	unsigned nr_todo, room;
	/* found */
	unsigned by;
	bool spill;			/* it was no atomic load */
	bool reached, endless;
	bool dropped;			/* a path on which nothing uses what was read */
	int unordered;			/* the instruction of a store that nothing orders, or -1 */
	int doubtful;			/* the same, without stores that are in doubt: that, or -1 */
	int left;			/* where a path ends with nothing ordered, or -1 */
};

/* walk.c: all ways from the code's instruction @load. */
void walk_from(struct walk *walk, struct program *program, unsigned load, const char *store);
/* Print the path to the store that it found last. */
void walk_print_way(const struct walk *walk);
void walk_free(struct walk *walk);
/* @state goes on at its ir. */
void walk_go_on(struct walk *walk, const struct state *state);
/* Every later store is ordered, by what depends on the load. */
void walk_depends(struct walk *walk, const struct state *state, enum by by);
/* The same, by what does not depend on it: true; false: it comes too late. */
bool walk_fenced(struct walk *walk, const struct state *state, enum by by);
/* It is not known where this path goes on, and nothing was ordered. */
void walk_leaves(struct walk *walk, const struct state *state, unsigned insn);

/* state.c */
bool state_has(const uint64_t *set, int reg);
bool state_depends(const struct state *state, struct operand operand);
/* A register gets another value. */
void state_changed(struct walk *walk, struct state *state, int reg, bool tainted);
void state_computed(struct walk *walk, struct state *state);
void state_is_status(struct state *state, int reg);
/* From here on it is not known what depends. */
void state_doubt(struct state *state, unsigned insn);
void state_opaque(struct walk *walk, struct state *state, unsigned insn);
/* The slot @slot of the stack is written. */
void state_slot_written(struct state *state, int64_t slot, unsigned size, bool tainted);
bool state_slot_tainted(const struct state *state, int64_t slot);
void state_forget_slots(struct walk *walk, struct state *state);
/* Forget what is not read again; at the start of an instruction. */
void state_forget_dead(const struct walk *walk, struct state *state);
/* Neither a register nor the stack has what was read. */
bool state_is_dropped(const struct state *state);

/* access.c: false: the path ends here. */
bool access_begins(struct walk *walk, struct state *state);	/* after the load itself */
bool access_passes(struct walk *walk, struct state *state);
bool access_fence(struct walk *walk, const struct state *state, uint64_t tags);

/* Whether the instruction accesses the stack by its pointer: what the compiler keeps there. */
bool access_is_spill(const struct walk *walk, unsigned ir);

/* address.c: what the access at @ir accesses, if that is a register that has a name + @offset. */
bool access_address(const struct program *program, unsigned ir, int *reg, int64_t *offset);

/* live.c */
void live_compute(struct program *program);

/*
 * abi.c: whether a call leaves the register as it was; may be given an argument in it; returns in
 * it (@wide: of two registers).
 */
bool abi_keeps(const struct program *program, int reg);
bool abi_passes(const struct program *program, int reg);
bool abi_returns(const struct program *program, int reg, bool wide);

/* outside.c: of instructions that have a kind. */
void outside_goes(struct walk *walk, struct state *state, const struct insn *insn);

#endif /* NAP_LITMUS_PAIRS_WALK_H */
