/* SPDX-License-Identifier: MIT */
/*
 * A litmus test in any language: threads of a few kinds of instructions on registers and memory,
 * and a question about their final states.
 *
 * A location has an address, a number. So pointers are plain values, and a register that holds x
 * ^ x + &y is the address of y, with a dependency on the read of x.
 */
#ifndef NAP_LITMUS_TEST_H
#define NAP_LITMUS_TEST_H

#include "text/text.h"

#define TEST_THREADS	8
#define TEST_LOCATIONS	24
#define TEST_CELLS	48	/* parts of locations */
#define TEST_BYTES	16	/* the most of one access, or of a location that no type declares */
#define TEST_REGISTERS	96	/* of a thread: named ones, and the reader's own */
#define TEST_OBSERVED	48

enum dialect { DIALECT_KERNEL, DIALECT_C11, DIALECT_AARCH64, DIALECT_RISCV, DIALECT_X86 };

/*
 * The properties of an event besides read, write or fence: sets that the text of a model can name
 * (relations/names.c). A reader gives them to instructions.
 */
enum tag {
	TAG_ACQUIRE,		/* LDAR, .aq, smp_load_acquire, memory_order_acquire and stronger */
	TAG_ACQUIRE_PC,		/* LDAPR */
	/* STLR, .rl, smp_store_release, memory_order_release and stronger */
	TAG_RELEASE,
	TAG_SC,			/* memory_order_seq_cst */
	TAG_RELAXED,		/* memory_order_relaxed and stronger: C11's atomic accesses */
	TAG_PLAIN,		/* C's accesses that are neither atomic nor marked */
	TAG_ONCE,		/* the kernel's marked accesses, READ_ONCE and stronger */
	/* the kernel's atomic_inc() and such: the old value is not used */
	TAG_NORETURN,
	/* the kernel's: the halves of an atomic operation, and the read of one that has failed */
	TAG_RMW,
	TAG_EXCLUSIVE,		/* LDXR, STXR, LR, SC */
	TAG_AMO,		/* both halves of a one-instruction read-modify-write */
	TAG_FAILED,		/* RISC-V's compare-exchange that fails: the read, which is */
				/* ordered as a store is */
	TAG_LOCKED,		/* both halves of an x86 locked instruction */
	TAG_LOCK,		/* spin_lock(): both halves */
	TAG_UNLOCK,
	/* fences */
	TAG_FULL,		/* DMB SY, MFENCE, smp_mb() */
	TAG_FENCE_LD,		/* DMB LD */
	TAG_FENCE_ST,		/* DMB ST */
	TAG_DSB,		/* a fence has this in addition to its kind */
	TAG_ISB,
	TAG_PRED_R, TAG_PRED_W, TAG_SUCC_R, TAG_SUCC_W,	/* RISC-V's fence */
	TAG_TSO,		/* fence.tso */
	TAG_WMB, TAG_RMB,
	TAG_BEFORE_ATOMIC, TAG_AFTER_ATOMIC, TAG_AFTER_SPINLOCK, TAG_AFTER_UNLOCK_LOCK,
	TAG_AFTER_SRCU_UNLOCK,
	/* fences, too: the ends of RCU's critical sections, and its grace periods */
	TAG_RCU_LOCK, TAG_RCU_UNLOCK, TAG_RCU_SYNC,
	/* of SRCU: a read, a write, and a fence with a location, of the srcu_struct */
	TAG_SRCU_LOCK, TAG_SRCU_UNLOCK, TAG_SRCU_SYNC,
	TAG_COMPILER,		/* barrier(): for the compiler alone */
	NR_TAGS
};
#define BIT(tag) (1ull << (tag))
/* The tags of which only a model that has RCU says something. */
#define TAGS_RCU (BIT(TAG_RCU_LOCK) | BIT(TAG_RCU_UNLOCK) | BIT(TAG_RCU_SYNC) | \
	BIT(TAG_SRCU_LOCK) | BIT(TAG_SRCU_UNLOCK) | BIT(TAG_SRCU_SYNC) | \
	BIT(TAG_AFTER_SRCU_UNLOCK))

/* How two numbers make a third. The result is cut to the instruction's size, and zero-extended. */
enum alu { ALU_FIRST, ALU_SECOND, ALU_ADD, ALU_SUB, ALU_AND, ALU_OR, ALU_XOR, ALU_BIC, ALU_ORN,
	   ALU_MUL, ALU_SHL, ALU_SHR, ALU_SAR, ALU_EQ, ALU_NE, ALU_LT, ALU_LE, ALU_GT, ALU_GE,
	   ALU_LTU, ALU_LEU, ALU_GTU, ALU_GEU, ALU_MIN, ALU_MAX, ALU_MINU, ALU_MAXU,
	   ALU_SEXT /* @a, sign-extended from @b bytes */ };

struct operand {
	bool is_register;
	unsigned reg;
	uint64_t value;		/* if it is no register */
};

enum op {
	OP_SET,			/* dst = a alu b */
	OP_LOAD,		/* dst = [address] */
	OP_STORE,		/* [address] = a */
	OP_RMW,			/* dst = [address]; [address] = dst alu a, in one step */
	OP_CAS,			/* dst = [address]; if dst == a: [address] = b, in one step */
	OP_LOAD_EXCLUSIVE,	/* a load that reserves */
	OP_CLEAR_EXCLUSIVE,	/* drops what is reserved */
	OP_STORE_EXCLUSIVE,	/* dst = 0 and [address] = a, or dst = 1: it may fail spuriously */
	OP_FENCE,
	OP_BRANCH,		/* if a != 0, to target; later events depend on a (ctrl) */
	OP_JUMP,
	OP_ARM_BEGIN,		/* C's if: begins an arm */
	OP_ARM_END,		/* ends the arm: later events depend on none of its branches */
};

struct instruction {
	enum op op;
	enum alu alu;
	/* bytes of the access or result: 1 to 8; 16: of two registers, @dst and @high and so on */
	unsigned size;
	/* the value is sign-extended to 8 bytes; else zero-extended */
	bool sign;
	/* OP_CAS: the execution is impossible if it fails: spin_lock() */
	bool must;
	bool weak;			/* OP_CAS: may fail spuriously, too */
	bool located;			/* OP_FENCE: it has a location, @address */
	/* C: the size is not known; an int may hold an address, too */
	bool loose;
	bool unless;			/* OP_RMW: only if dst != b; else it fails like OP_CAS */
	int dst;			/* register, or -1 */
	/* OP_CAS: the register that gets 1 on success, else 0; or -1 */
	int stored;
	int high;			/* of a pair: the register of the upper half, or -1 */
	struct operand address, a, b;
	struct operand high_a, high_b;	/* of a pair */
	uint64_t read_tags, write_tags;	/* the tags of a fence are read_tags */
	uint64_t fail_tags;		/* OP_CAS, @unless: tags of the read on failure */
	/* OP_CAS, @unless: tags of the two fences around a success; or 0 */
	uint64_t around;
	unsigned target;		/* index of an instruction, or one after the last */
	bool pick;			/* OP_SET: @b only chose @a, as CSEL's condition does */
	const char *at;			/* its position in the test's text */
};

struct reg {
	const char *name;		/* in states; NULL: the reader's own register */
	uint64_t initial;
	bool wide;			/* declared as 8 bytes */
	bool given;			/* the initial state has a value for it */
};

struct thread {
	unsigned nr, room;
	struct instruction *code;
	unsigned nr_registers;
	struct reg reg[TEST_REGISTERS];
	struct reading *reading;	/* of an assembly reader: labels, flags (read/assembly.h) */
	unsigned nr_rows, room_rows;
	const char **row;		/* of assembly: the text of each row, with its labels */
};

struct location {
	const char *name;
	uint64_t address;
	unsigned size;			/* bytes; 0: not declared, the accesses decide */
	unsigned declared;		/* bytes by the initial state's type; 0: it names none */
	uint64_t initial;
	bool given;			/* the initial state has a value for it */
	bool split;			/* C: parts are accessed, too; false: it is one object */
	unsigned cuts;			/* bit i: byte i begins a cell */
	unsigned first_cell, nr_cells;	/* by test_cells() */
	/* for a slot where a compiled thread stores a register: the thread; else -1 */
	int thread;
};

/*
 * A part of a location that each access has as a whole or not at all. A location is one cell,
 * unless accesses of different sizes overlap. An event is of one cell, so an access may be several
 * events.
 */
struct cell {
	const char *name;
	unsigned location, offset;
	unsigned size;			/* bytes; 0: not known yet */
};

/* A register of a thread, or a location (thread -1). */
struct observed {
	int thread;
	unsigned number;
	bool hidden;			/* only a filter reads it: states do not show it */
};

enum prop_kind { PROP_TRUE, PROP_FALSE, PROP_EQUAL, PROP_NOT, PROP_AND, PROP_OR, PROP_IMPLIES };

struct prop {
	enum prop_kind kind;
	const struct prop *a, *b;
	unsigned observed;		/* PROP_EQUAL: index of the test's observed */
	bool other;			/* compared with the observed part @with, not with @value */
	unsigned with;
	uint64_t value;
	bool wide;			/* all 8 bytes count */
};

enum quantifier { QUANTIFIER_NONE, QUANTIFIER_EXISTS, QUANTIFIER_NOT_EXISTS, QUANTIFIER_FORALL };

struct test {
	enum dialect dialect;
	bool either;			/* nothing in it belongs to only one dialect of C */
	bool rcu;			/* it has RCU or SRCU */
	const struct isa *isa;		/* of an assembly test; NULL: C (read/read.h) */
	const char *types, *types_end;	/* C: where the text has its unions and structs; or NULL */
	const char *name;
	struct text *text;
	struct arena *arena;
	unsigned nr_threads, nr_locations, nr_observed;
	struct thread thread[TEST_THREADS];
	struct location location[TEST_LOCATIONS];
	unsigned nr_cells;
	struct cell cell[TEST_CELLS];
	bool recut;			/* there are cuts that @cell does not have */
	struct observed observed[TEST_OBSERVED];	/* the parts of a state */
	bool hiding;			/* while a filter is read: parts become hidden */
	enum quantifier quantifier;
	const struct prop *prop;	/* of the question */
	const struct prop *filter;	/* NULL: none; states in which it is false do not count */
	const char *question;		/* as written, on one line */
};

/* Returns the location @name, which is added if there is none (@size 0: unknown). */
unsigned test_location(struct test *test, const char *name, unsigned size);
/* Return -1 if there is no such location. */
int test_find_location(const struct test *test, const char *name);
int test_location_at(const struct test *test, uint64_t address);
/* Returns the location that the address is in, after its first byte; or -1. */
int test_location_around(const struct test *test, uint64_t address);

/* cell.c: makes the cells from the locations, their sizes and cuts. */
void test_cells(struct test *test);
uint64_t cell_address(const struct test *test, unsigned cell);
/* Returns the cell that begins at this address, or -1. */
int cell_at(const struct test *test, uint64_t address);
/* C: notes that parts of the location are accessed. */
void test_split(struct test *test, unsigned location);
/* C: splits each location that the access overlaps without being exactly the location. */
void cell_split(struct test *test, uint64_t address, unsigned size);
/* Whether the location is one object, whatever the sizes of accesses: in C, unless it is split. */
bool test_is_whole(const struct test *test, const struct location *location);
/* Returns how many cells from this one on an access has, or 0 if it does not end with a cell. */
unsigned cell_span(const struct test *test, unsigned first, unsigned size);
/*
 * Cuts cells so that an access fits, and notes that; a location without a type may grow. False: not
 * all of the bytes are of locations, which lie side by side.
 */
bool cell_cut(struct test *test, uint64_t address, unsigned size);

/* Adds @nr locations, name[0] and so on, side by side. Returns the index of the first. */
unsigned test_array(struct test *test, const char *name, unsigned nr, unsigned size);

/* Returns the register @name, added if there is none; fails if the thread has too many. */
unsigned test_register(struct test *test, unsigned thread, const char *name);
int test_find_register(const struct test *test, unsigned thread, const char *name);
/* Adds a register of the reader's own, which no state shows. */
unsigned test_temporary(struct test *test, unsigned thread);

/*
 * Adds an instruction after the last one; zeroed except @op, @dst, @high and @stored -1, @size 4,
 * and @at. The pointer is valid until the next call.
 */
struct instruction *test_add(struct test *test, unsigned thread, enum op op, const char *at);

/* Adds a row of an assembly test's table. */
void test_row(struct test *test, unsigned thread, const char *begin, const char *end);

/* Makes @what a part of every state. Returns its index in the test's observed. */
unsigned test_observe(struct test *test, struct observed what);

static inline bool test_is_c(const struct test *test)
{
	return test->dialect == DIALECT_KERNEL || test->dialect == DIALECT_C11;
}

static inline struct operand operand_reg(unsigned reg)
{
	return (struct operand) { .is_register = true, .reg = reg };
}

static inline struct operand operand_value(uint64_t value)
{
	return (struct operand) { .value = value };
}

/* alu.c: @size is the result's; a comparison compares @size bytes of both. */
uint64_t alu_result(enum alu alu, uint64_t a, uint64_t b, unsigned size);
/* Returns @value cut to @size bytes, and extended to 8. */
uint64_t extended(uint64_t value, unsigned size, bool sign);

/* prop.c: whether @prop is true of a state, which is a value for each part that @test observes. */
bool prop_holds(const struct prop *prop, const uint64_t *state);

#endif /* NAP_LITMUS_TEST_H */
