/* SPDX-License-Identifier: MIT */
/*
 * The common part of the readers of instructions. What an instruction needs besides, such as an
 * address that is a sum, or a condition on flags, is computed by OP_SETs. These write registers of
 * the reader's own: scratch ones, which last for one instruction, and the flags, which stay.
 */
#ifndef NAP_LITMUS_ASSEMBLY_H
#define NAP_LITMUS_ASSEMBLY_H

#include "read/read.h"

#define LINE_SCRATCH	16

struct label {
	const char *name, *at; /* @at: the first mention; @name NULL: the reader's own */
	int index;			/* of the instruction after the label; -1: not seen yet */
};

struct reading {
	unsigned nr_labels, room;
	struct label *label;
	int end; /* the label after the last instruction; -1: none needed */
	int scratch[LINE_SCRATCH];	/* registers, or -1 */
	int left, right, result;	/* flags: what was compared, and the result; or -1 */
	bool summed, borrow;		/* the flags are those of a sum: flags_summed() */
	bool no_carry;			/* the carry is not known */
};

/* Returns the thread's reading, made at the first call. */
struct reading *reading_of(struct test *test, unsigned thread);

/* An instruction that is being read. */
struct line {
	struct test *test;
	unsigned thread;
	const char *at;			/* the mnemonic */
	struct words words;
	unsigned nr_scratch;
};

void line_start(struct line *line, struct test *test, unsigned thread, const char *begin,
		const char *end);
/* Fails unless there are @least to @most operands. */
void line_operands(const struct line *line, unsigned least, unsigned most);
/* Fails at word @i: "expected @what, not ...". */
void line_fail(const struct line *line, unsigned i, const char *what) __attribute__((noreturn));
void line_fail_at(const struct line *line, const char *begin, const char *end, const char *what)
	__attribute__((noreturn));
static inline bool line_is(const struct line *line, unsigned i, const char *what)
{
	return word_is(&line->words, i, what);
}

/* Returns where @mark begins a remark of objdump's; else @end. */
const char *before_remark(const char *begin, const char *end, const char *mark);
/* Drops the blanks at both ends. */
void trim(const char **begin, const char **end);
bool same_word(const char *begin, const char *end, const char *what);	/* in any case */
/* Whether the word begins with @prefix (in any case). If so, sets @rest to the rest of the word. */
bool has_prefix(const char *begin, const char *end, const char *prefix, const char **rest);
/* Reads a number, with or without @mark before it: 1, -1, 0x10. */
bool read_number(const char *begin, const char *end, char mark, uint64_t *value);

struct instruction *line_add(struct line *line, enum op op, unsigned size);
void line_set(struct line *line, int dst, enum alu alu, unsigned size, struct operand a,
	      struct operand b);
/* Returns a new scratch register. */
unsigned line_scratch(struct line *line);
struct operand line_compute(struct line *line, enum alu alu, unsigned size, struct operand a,
			    struct operand b);
struct operand line_sign_extended(struct line *line, struct operand a, unsigned from);
/* Returns the register @name of the line's thread, which states may show. */
unsigned line_register(struct line *line, const char *name);

/* labels.c */
unsigned label_fresh(struct test *test, unsigned thread);
void label_place(struct test *test, unsigned thread, unsigned number);
unsigned label_end(struct test *test, unsigned thread);
/* Adds an OP_BRANCH or OP_JUMP to the label of this number. */
void line_go(struct line *line, enum op op, struct operand condition, unsigned label);
/* Go to the label that word @i begins with; objdump writes <name+offset> after the label. */
void line_branch(struct line *line, struct operand condition, unsigned i);
void line_jump(struct line *line, unsigned i);
void line_return(struct line *line);

/* flags.c */
enum condition { COND_EQ, COND_NE, COND_LT, COND_LE, COND_GT, COND_GE, COND_LTU, COND_LEU, COND_GTU,
		 COND_GEU, COND_NEGATIVE, COND_POSITIVE, COND_OVERFLOW, COND_NO_OVERFLOW,
		 COND_ALWAYS, NR_CONDITIONS };
struct condition_name {
	const char *name;
	enum condition condition;
};
/* Returns NR_CONDITIONS if the name is no condition. @names ends with a NULL. */
enum condition condition_of(const struct condition_name *names, const char *begin, const char *end);
enum condition condition_not(enum condition condition);
/* Sets the flags as a comparison of @a and @b does; @result is their difference. */
void flags_compared(struct line *line, unsigned size, struct operand a, struct operand b,
		    struct operand result);
/*
 * Sets the flags as a sum does. For a difference the machines have opposite carries: AArch64 sets
 * its carry if the difference needs no borrow, x86 (@borrow) if it needs one.
 */
void flags_summed(struct line *line, unsigned size, struct operand a, struct operand b,
		  struct operand result, bool borrow);
/* Sets the flags as @result leaves them. No instruction may ask for the carry. */
void flags_result(struct line *line, unsigned size, struct operand result);
/* Returns 1 if the condition holds, else 0. */
struct operand flags_hold(struct line *line, enum condition condition);
/* Sets dst = condition ? a : b. The chosen value flows as data; the condition only picks. */
void line_select(struct line *line, int dst, unsigned size, struct operand condition,
		 struct operand a, struct operand b);

#endif /* NAP_LITMUS_ASSEMBLY_H */
