/* SPDX-License-Identifier: MIT */
/* Within pairs/: the state of a walk from a load, and the results of the walk. */
#ifndef NAP_LITMUS_PAIRS_WALK_H
#define NAP_LITMUS_PAIRS_WALK_H

#include "pairs/pairs.h"

#define MAX_SLOTS	12	/* slots of the stack whose values depend on the load */
#define MAX_DEPTH	6	/* of followed calls */
#define REG_WORDS	((TEST_REGISTERS + 63) / 64)

struct live {
	uint64_t reg[REG_WORDS];
};

/*
 * A state of a walk. States are compared as bytes, so a state is zeroed, and has no padding that
 * differs.
 */
struct state {
	uint64_t tainted[REG_WORDS];	/* registers that depend on the load */
	uint64_t status[REG_WORDS];	/* registers that say whether a store-exclusive failed */
	int64_t sp;			/* the stack pointer, from its value at the load */
	int64_t slot[MAX_SLOTS];	/* tainted slots, as @sp */
	uint32_t nr_slots;
	uint32_t ir;			/* index of the next instruction's code */
	uint32_t depth;
	uint32_t back[MAX_DEPTH];	/* where calls return to */
	int32_t base;			/* the load's address: an unchanged register, or -1 */
	int32_t after;			/* as @base, for a store that is ordered after the load */
	int64_t offset, after_offset;
	uint32_t in_arm;
	uint32_t written;		/* the thread may have stored to the load's address */
	uint32_t climbed;		/* returns to callers that the walk has followed */
	uint32_t doubt;			/* 1 + the instruction that may hide a dependency */
	uint32_t used;			/* whether a store depends on the load: UNUSED and so on */
	uint32_t passed;		/* 1 + a store that nothing orders, if the load is used */
	uint32_t unused;
};

enum { UNUSED, USED, USED_IF_STORED };	/* USED_IF_STORED: by a store-exclusive, which may fail */

struct walk {
	struct program *program;
	const char *store;		/* the place of the stores to judge; NULL: none */
	unsigned load;			/* index of the load's code */
	uint64_t load_tags;
	unsigned sp;			/* the stack pointer's register */
	struct arena arena;
	struct seen *seen[1 << 12];
	unsigned nr_seen;
	struct seen **todo, *newest, *now;
	unsigned nr_todo, room;
	/* found */
	unsigned by;
	bool spill;			/* the load is a spill, no atomic load */
	bool reached, endless;
	bool dropped;			/* some path does not use the loaded value */
	int unordered;			/* the instruction of a store that nothing orders, or -1 */
	int doubtful;			/* what may hide a dependency of such a store, or -1 */
	int left;			/* where a path ends with nothing ordered, or -1 */
};

/* walk.c: walks all ways from the code's instruction @load. */
void walk_from(struct walk *walk, struct program *program, unsigned load, const char *store);
/* Prints the path to the unordered store that the walk found last. */
void walk_print_way(const struct walk *walk);
void walk_free(struct walk *walk);
/* Walks on from @state, at its ir. */
void walk_go_on(struct walk *walk, const struct state *state);
/* Notes that every later store is ordered, by a dependency on the load. */
void walk_depends(struct walk *walk, const struct state *state, enum by by);
/* Notes that every later store is ordered, by a fence or the like. False: it comes too late. */
bool walk_fenced(struct walk *walk, const struct state *state, enum by by);
/* Notes that the path goes on at an unknown place, with nothing ordered. */
void walk_leaves(struct walk *walk, const struct state *state, unsigned insn);

/* state.c */
bool state_has(const uint64_t *set, int reg);
bool state_depends(const struct state *state, struct operand operand);
/* Notes that a register gets another value. */
void state_changed(struct walk *walk, struct state *state, int reg, bool tainted);
void state_computed(struct walk *walk, struct state *state);
void state_is_status(struct state *state, int reg);
/* Notes that dependencies are in doubt from here on. */
void state_doubt(struct state *state, unsigned insn);
void state_opaque(struct walk *walk, struct state *state, unsigned insn);
/* Notes a write to the slot @slot of the stack. */
void state_slot_written(struct state *state, int64_t slot, unsigned size, bool tainted);
bool state_slot_tainted(const struct state *state, int64_t slot);
void state_forget_slots(struct walk *walk, struct state *state);
/* Forgets registers that are not read again; at the start of an instruction. */
void state_forget_dead(const struct walk *walk, struct state *state);
/* Whether neither a register nor the stack has the loaded value. */
bool state_is_dropped(const struct state *state);

/* access.c: these return false if the path ends here. */
bool access_begins(struct walk *walk, struct state *state);	/* passes the load itself */
bool access_passes(struct walk *walk, struct state *state);
bool access_fence(struct walk *walk, const struct state *state, uint64_t tags);

/* Whether the instruction accesses, by the stack pointer, what the compiler keeps on the stack. */
bool access_is_spill(const struct walk *walk, unsigned ir);

/* address.c: finds the address of the access at @ir, if it is a register with a name + @offset. */
bool access_address(const struct program *program, unsigned ir, int *reg, int64_t *offset);

/* live.c */
void live_compute(struct program *program);

/*
 * abi.c. abi_keeps(): whether a call leaves the register as it was. abi_passes(): whether the
 * register may have an argument of the call. abi_returns(): whether it has a value that the call
 * returns (@wide: one of two registers).
 */
bool abi_keeps(const struct program *program, int reg);
bool abi_passes(const struct program *program, int reg);
bool abi_returns(const struct program *program, int reg, bool wide);

/* outside.c: passes an instruction that has a kind. */
void outside_goes(struct walk *walk, struct state *state, const struct insn *insn);

#endif /* NAP_LITMUS_PAIRS_WALK_H */
