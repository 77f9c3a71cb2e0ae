/* SPDX-License-Identifier: MIT */
/*
 * The brute-force enumerator of litmus tests. It takes small programs, random or read, makes all
 * of their candidate executions, and judges each by a memory model, which is one C function over
 * boolean matrices. The enumerator is slow and obvious on purpose: nap-check and nap-litmus are
 * tested against it, so it shares no code with them.
 */
#ifndef NAP_TESTS_LAB_BRUTE_H
#define NAP_TESTS_LAB_BRUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_THREADS	5
#define MAX_INSNS	24	/* of one thread */
#define MAX_REGS	8	/* of one thread */
#define MAX_LOCS	4
#define MAX_EVENTS	64	/* limit of one execution: a row of a relation is one word */
#define MAX_LOCAL	32	/* events of one thread */
#define MAX_VALUE	31	/* the values of a location are bits of one word */
#define MAX_KEYS	(MAX_THREADS * MAX_REGS + MAX_LOCS)
#define MAX_STATES	4096
#define MAX_TERMS	5	/* of a condition */
#define MAX_TURNS	2	/* how often a loop goes back at most */

/*
 * CHECK is nap-check's rc11: RC11 without load buffering, with the release sequences of C20.
 * CHECK_C20 is nap-check's c20: C20 without load buffering, with the standard's order of seq_cst.
 * A new model comes last: the number of a model is part of the seed of its random programs.
 */
enum model { SC, TSO, ARMV8, RVWMO, RC11, C20, LKMM, CHECK, C11, CHECK_C20, MODELS };

enum op {
	OP_LOAD, OP_STORE,
	OP_SWAP, OP_ADD, OP_OR, OP_CAS,	/* read-modify-writes of one instruction */
	OP_LX, OP_SX,			/* load and store exclusive, lr and sc */
	OP_FENCE, OP_BRANCH,
	OP_AGAIN,			/* a loop's end: goes back, or on */
};

/*
 * The order of an access. A sequentially consistent access has ORD_SC and the bits that ORD_SC
 * implies.
 */
enum {
	ORD_ACQ	= 1,
	ORD_REL	= 2,
	ORD_SC	= 4,
	ORD_PC	= 8,	/* LDAPR */
	ORD_MB	= 16,	/* a full barrier on both sides: xchg() in the kernel */
};

/*
 * For RCU's fences, @pred is the domain: 0, or SRCU's one srcu_struct. FN_RISCV has sets of
 * predecessors and successors, FN_C11 has an order. A light fence is a signal fence, a heavy one a
 * membarrier.
 */
enum fence { FN_NONE, FN_FULL, FN_LD, FN_ST, FN_ISB, FN_RISCV, FN_TSO, FN_C11, FN_LIGHT, FN_HEAVY,
	     FN_RCU_LOCK, FN_RCU_UNLOCK, FN_RCU_SYNC };
enum { SET_R = 1, SET_W = 2 };

struct insn {
	enum op op;
	int loc;
	unsigned ord, failure;	/* failure: the order of a C11 compare-exchange that fails */
	/* the register that gets the value read; of a branch, the register that is compared */
	int reg;
	int status;		/* of OP_SX: the register for 0 (it stored) or 1 (it did not) */
	/* the value that is stored, swapped in or added; of a branch, the value to compare with */
	int value;
	int expect;		/* of OP_CAS: a value, or the number of a register */
	bool expect_reg;
	int data;		/* the register that the value comes from, or -1 */
	bool data_xor;		/* stores value + (data ^ data), not the contents of data */
	int addr;		/* the register on which the address seems to depend, or -1 */
	bool new_value;		/* of OP_ADD: reg gets the sum (atomic_add_return) */
	enum fence fence;
	int pred, succ;
	/* of OP_BRANCH, OP_AGAIN: whether the body runs (again) if reg is value, or if it is not */
	bool if_equal;
	int body;		/* of OP_BRANCH: how many instructions it jumps over; */
				/* of OP_AGAIN: back */
};

struct program {
	enum model model;
	char name[64];
	int threads, locs;
	int init[MAX_LOCS];
	int len[MAX_THREADS];
	struct insn insn[MAX_THREADS][MAX_INSNS];
	unsigned observed[MAX_THREADS];		/* registers, a bit each */
	unsigned may_stop;			/* threads that may stop for ever, a bit each */
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
	/*
	 * For Arm. pick_*: dependencies on a compare-exchange that has only chosen which value its
	 * register gets (brute_trace.c). own_*: one instruction reads a value and stores one. The
	 * stored value is a sum with the value that was read (own_sum); or the value that was read
	 * has only decided whether to store (own_choice).
	 */
	struct rel pick_addr, pick_data, pick_ctrl, own_sum, own_choice;
};

/* A run of one thread, given what its reads return; masks are of the thread's own events. */
struct trace {
	int n;
	struct event ev[MAX_LOCAL];
	uint32_t addr[MAX_LOCAL], data[MAX_LOCAL], ctrl[MAX_LOCAL];
	uint32_t pick_addr[MAX_LOCAL], pick_data[MAX_LOCAL], pick_ctrl[MAX_LOCAL];
	uint32_t own_sum[MAX_LOCAL], own_choice[MAX_LOCAL];
	int rmw_of[MAX_LOCAL];	/* of a write: the read, or -1 */
	int reg[MAX_REGS];
	unsigned weight;	/* how many executions this trace stands for */
};

struct traces {
	struct trace *trace;
	int n, size;
};

/* An observed register of a thread, or an observed location (thread is -1). */
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
	int key[MAX_TERMS], val[MAX_TERMS];
};

struct random {
	uint64_t state;
};

typedef bool model_fn(const struct exec *x);
model_fn brute_sc, brute_tso, brute_armv8, brute_rvwmo, brute_rc11, brute_c20, brute_c11,
	 brute_lkmm, brute_check, brute_check_c20;
extern const char *const model_names[MODELS];
extern model_fn *const model_functions[MODELS];

static inline bool in_c11(enum model m)
{
	return m == RC11 || m == C20 || m == C11 || m == CHECK || m == CHECK_C20;
}

static inline bool in_c(enum model m)
{
	return m == SC || m == LKMM || in_c11(m);
}

/* brute_random.c */
unsigned below(struct random *random, unsigned n);
bool percent(struct random *random, unsigned n);

/* brute_trace.c: traces each thread; false when there are too many traces. */
bool trace_program(const struct program *p, struct traces traces[MAX_THREADS]);
bool has_membarrier(const struct program *p);
void traces_free(struct traces traces[MAX_THREADS]);

/* Visits a candidate and its final state; false: visit no more candidates. */
typedef bool visit_fn(void *to, const struct exec *x, const signed char *val, unsigned weight);

/*
 * brute_enum.c: visits all candidates; @keys is only read. False when there are more than @limit.
 */
bool enumerate(const struct program *p, long limit, const struct states *keys, visit_fn *visit,
	       void *to);
/* Finds all final states that the model allows. */
bool states_of(const struct program *p, enum model model, long limit, struct states *states);

/* brute_shape.c */
void generate(struct program *p, enum model model, struct random *random);
void condition_random(struct condition *c, const struct states *s, struct random *random);

/* brute_loop.c: makes a loop of some instructions of a thread. False: no instructions fit. */
bool add_loop(struct program *p, struct random *random);
/* Returns the end of the thread's loop that begins at @n (-1: anywhere), or -1. */
int loop_from(const struct program *p, int thread, int n);

/* brute_state.c */
void states_begin(struct states *s, const struct program *p);
int states_find(const struct states *s, const signed char *val);
bool states_add(struct states *s, const signed char *val);
bool condition_holds(const struct condition *c, const signed char *val);
const char *verdict(const struct states *s, const struct condition *c);
void states_print(FILE *f, const struct states *s, const struct program *p);
const char *reg_name(enum model m, int reg);

/* brute_print*.c */
void print_program(FILE *f, const struct program *p, const struct states *s,
		   const struct condition *c);
void print_c(FILE *f, const struct program *p);
void print_locations(FILE *f, const struct program *p, const struct states *s);
void print_question(FILE *f, const struct program *p, const struct states *s,
		    const struct condition *c);

/*
 * How instructions become one cell of a table, with '\n' between lines; MAX_TEXT is enough for
 * any thread.
 */
#define MAX_TEXT 4096
struct assembly {
	void (*access)(char *text, const struct insn *i);
	void (*fence)(char *text, const struct insn *i);
	void (*branch)(char *text, const struct insn *i, int thread, int label);
	const char *nothing;	/* an instruction that does nothing */
};
extern const struct assembly armv8_assembly, riscv_assembly, x86_assembly;
/* brute_text.c */
void text_add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *loc_name(int loc);

/*
 * brute_read.c: reads the next test of a text, which is in C11, as instructions of the model; false
 * at the end of the text. A fence in the text is read as seq_cst if the model is that of a machine.
 */
struct shape {
	struct program program;
	struct states keys;
	struct condition condition;
	const char *begin, *question, *end;	/* its text */
};
bool read_shape(const char **text, struct shape *shape, enum model model);
char *file_text(const char *path);

/* brute_count.c */
int count_shapes(int files, char **file, unsigned may_stop);
int expect_shapes(int files, char **file);

#endif
