/* SPDX-License-Identifier: MIT */
/*
 * The brute-force enumerator of litmus tests: small random programs, all of their candidate
 * executions, and a memory model as one C function over boolean matrices. It is slow and obvious on
 * purpose: another enumerator is tested against it, so that it shares no code with that one.
 */
#ifndef NAP_TESTS_LAB_BRUTE_H
#define NAP_TESTS_LAB_BRUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_THREADS	4
#define MAX_INSNS	24	/* of one thread */
#define MAX_REGS	8	/* of one thread */
#define MAX_LOCS	3
#define MAX_EVENTS	64	/* of one execution: a row of a relation is one word */
#define MAX_LOCAL	32	/* events of one thread */
#define MAX_VALUE	31	/* the values that a location may take are bits of one word */
#define MAX_KEYS	(MAX_THREADS * MAX_REGS + MAX_LOCS)
#define MAX_STATES	4096

enum model { SC, TSO, ARMV8, RVWMO, RC11, C20, LKMM, MODELS };

enum op {
	OP_LOAD, OP_STORE,
	OP_SWAP, OP_ADD, OP_OR, OP_CAS,	/* read-modify-writes of one instruction */
	OP_LX, OP_SX,			/* load and store exclusive, lr and sc */
	OP_FENCE, OP_BRANCH,
};

/* The order of an access. A sequentially consistent one has ORD_SC and what it implies. */
enum {
	ORD_ACQ	= 1,
	ORD_REL	= 2,
	ORD_SC	= 4,
	ORD_PC	= 8,	/* LDAPR */
	ORD_MB	= 16,	/* a full barrier on both sides: xchg() in the kernel */
};

/* FN_RISCV has sets of predecessors and successors, FN_C11 has an order. */
enum fence { FN_NONE, FN_FULL, FN_LD, FN_ST, FN_ISB, FN_RISCV, FN_TSO, FN_C11 };
enum { SET_R = 1, SET_W = 2 };

struct insn {
	enum op op;
	int loc;
	unsigned ord;
	int reg;		/* where what is read goes; of a branch, what it looks at */
	int status;		/* of OP_SX: where 0 goes when it stored, 1 when not */
	int value;		/* what is stored, swapped in, added */
	int expect;		/* of OP_CAS */
	int data;		/* the register that the value comes from, or -1 */
	bool data_xor;		/* value + (data ^ data), and not what is in data */
	int addr;		/* the register on which the address seems to depend, or -1 */
	bool new_value;		/* of OP_ADD: reg gets the sum (atomic_add_return) */
	enum fence fence;
	int pred, succ;
	bool if_zero;		/* of OP_BRANCH: the body runs if reg is 0, and not if it is not */
	int body;		/* of OP_BRANCH: how many instructions it jumps over */
};

struct program {
	enum model model;
	char name[64];
	int threads, locs;
	int init[MAX_LOCS];
	int len[MAX_THREADS];
	struct insn insn[MAX_THREADS][MAX_INSNS];
	unsigned observed[MAX_THREADS];		/* registers, a bit each */
};

struct event {
	int thread;		/* -1: initial write */
	bool r, w, amo, exclusive;
	int loc, val;
	unsigned ord;
	enum fence fence;
	int pred, succ;
};

struct rel {
	uint64_t row[MAX_EVENTS];
};

/* A candidate execution. */
struct exec {
	int n;
	struct event ev[MAX_EVENTS];
	struct rel po, addr, data, ctrl, rmw, rf, co, fr, same_loc, ext;
	/* Arm: a value that was only chosen by a read; of one instruction, sums and choices. */
	struct rel pick_addr, pick_data, pick_ctrl, own_sum, own_choice;
};

/* What one thread does, given what its reads return; masks are of the thread's own events. */
struct trace {
	int n;
	struct event ev[MAX_LOCAL];
	uint32_t addr[MAX_LOCAL], data[MAX_LOCAL], ctrl[MAX_LOCAL];
	uint32_t pick_addr[MAX_LOCAL], pick_data[MAX_LOCAL], pick_ctrl[MAX_LOCAL];
	uint32_t own_sum[MAX_LOCAL], own_choice[MAX_LOCAL];
	int rmw_of[MAX_LOCAL];	/* of a write: the read, or -1 */
	int reg[MAX_REGS];
};

struct traces {
	struct trace *trace;
	int n, size;
};

/* One thing that is observed: a register of a thread, or a location (thread is -1). */
struct key {
	int thread, index;
};

struct states {
	int keys, n;
	struct key key[MAX_KEYS];
	signed char val[MAX_STATES][MAX_KEYS];
};

enum quantifier { EXISTS, NOT_EXISTS, FORALL };

struct condition {
	enum quantifier quantifier;
	int n;
	int key[4], val[4];
};

struct random {
	uint64_t state;
};

typedef bool model_fn(const struct exec *x);
model_fn brute_sc, brute_tso, brute_armv8, brute_rvwmo, brute_rc11, brute_c20, brute_lkmm;
extern const char *const model_names[MODELS];
extern model_fn *const model_functions[MODELS];

static inline bool in_c(enum model m)
{
	return m == SC || m == RC11 || m == C20 || m == LKMM;
}

/* brute_random.c */
unsigned below(struct random *random, unsigned n);
bool percent(struct random *random, unsigned n);

/* brute_trace.c: false when there are too many. */
bool trace_program(const struct program *p, struct traces traces[MAX_THREADS]);
void traces_free(struct traces traces[MAX_THREADS]);

/* brute_enum.c: all final states; false when there are more candidates than limit. */
bool enumerate(const struct program *p, long limit, struct states *states);

/* brute_generate.c */
void generate(struct program *p, enum model model, struct random *random);
void condition_random(struct condition *c, const struct states *s, struct random *random);

/* brute_state.c */
void states_begin(struct states *s, const struct program *p);
int states_find(const struct states *s, const signed char *val);
bool states_add(struct states *s, const signed char *val);
const char *verdict(const struct states *s, const struct condition *c);
void states_print(FILE *f, const struct states *s, const struct program *p);
const char *reg_name(enum model m, int reg);
const char *loc_name(int loc);

/* brute_print*.c */
void print_program(FILE *f, const struct program *p, const struct states *s,
		   const struct condition *c);
void print_c(FILE *f, const struct program *p);

/* One cell of a table, with '\n' between lines; MAX_TEXT is enough for any thread. */
#define MAX_TEXT 4096
void text_armv8(char *text, const struct program *p, int thread);
void text_riscv(char *text, const struct program *p, int thread);
void text_x86(char *text, const struct program *p, int thread);
void text_add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* brute_test.c */
int self_test(void);

#endif
