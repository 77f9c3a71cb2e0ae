/* SPDX-License-Identifier: MIT */
/*
 * What the readers of instructions share. Some parts of an instruction, such as a sum that is its
 * address or a condition of flags, are computed by OP_SETs. These write registers of the reader's
 * own: scratch ones, which last for one instruction, and the flags, which stay.
 */
#ifndef NAP_LITMUS_ASSEMBLY_H
#define NAP_LITMUS_ASSEMBLY_H

#include "read/read.h"

#define LINE_SCRATCH	16

struct label {
	const char *name, *at; /* @at: of its first mention; name NULL: the reader's own */
	int index;			/* of the instruction after it; -1: not seen yet */
};

struct reading {
	unsigned nr_labels, room;
	struct label *label;
	int end; /* the label after the last instruction; -1: none is needed */
	int scratch[LINE_SCRATCH];	/* registers, or -1 */
	int left, right, result;	/* the flags: what was compared, and what came out; or -1 */
	bool summed, borrow;		/* ... or what was added: flags_summed() */
	bool no_carry;			/* the flags are not known */
};

/* Of the thread; made when it is first asked for. */
struct reading *reading_of(struct test *test, unsigned thread);

/* One instruction, while it is read. */
struct line {
	struct test *test;
	unsigned thread;
	const char *at;			/* the mnemonic */
	struct words words;
	unsigned nr_scratch;
};

void line_start(struct line *line, struct test *test, unsigned thread, const char *begin,
		const char *end);
/* Fails if there are fewer operands than @least, or more than @most. */
void line_operands(const struct line *line, unsigned least, unsigned most);
/* "expected @what, not ...", at word @i. */
void line_fail(const struct line *line, unsigned i, const char *what) __attribute__((noreturn));
void line_fail_at(const struct line *line, const char *begin, const char *end, const char *what)
	__attribute__((noreturn));
static inline bool line_is(const struct line *line, unsigned i, const char *what)
{
	return word_is(&line->words, i, what);
}

/* Up to @mark, which begins an explanation of objdump's; else @end. */
const char *before_remark(const char *begin, const char *end, const char *mark);
/* Without blanks at both ends. */
void trim(const char **begin, const char **end);
bool same_word(const char *begin, const char *end, const char *what);	/* any case */
/* Whether the word begins with @prefix (any case); then @rest is what follows. */
bool has_prefix(const char *begin, const char *end, const char *prefix, const char **rest);
/* A number: 1, -1, 0x10, with or without @mark before it. */
bool read_number(const char *begin, const char *end, char mark, uint64_t *value);

struct instruction *line_add(struct line *line, enum op op, unsigned size);
void line_set(struct line *line, int dst, enum alu alu, unsigned size, struct operand a,
	      struct operand b);
/* Into scratch. */
unsigned line_scratch(struct line *line);
struct operand line_compute(struct line *line, enum alu alu, unsigned size, struct operand a,
			    struct operand b);
struct operand line_sign_extended(struct line *line, struct operand a, unsigned from);
/* The register @name of the line's thread, in states too. */
unsigned line_register(struct line *line, const char *name);

/* labels.c */
unsigned label_fresh(struct test *test, unsigned thread);
void label_place(struct test *test, unsigned thread, unsigned number);
unsigned label_end(struct test *test, unsigned thread);
/* OP_BRANCH or OP_JUMP to the label of that number. */
void line_go(struct line *line, enum op op, struct operand condition, unsigned label);
/* To the label that word @i begins with; objdump writes <name+offset> after it. */
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
/* NR_CONDITIONS: it is none. @names ends with a NULL. */
enum condition condition_of(const struct condition_name *names, const char *begin, const char *end);
enum condition condition_not(enum condition condition);
/* As a comparison of @a and @b leaves them; @result is their difference. */
void flags_compared(struct line *line, unsigned size, struct operand a, struct operand b,
		    struct operand result);
/*
 * As a sum leaves them. AArch64's carry is that of the sum, and set by a difference that needs
 * none; x86's is a @borrow: set by a difference that needs one.
 */
void flags_summed(struct line *line, unsigned size, struct operand a, struct operand b,
		  struct operand result, bool borrow);
/* As @result leaves them; nothing may ask for the carry. */
void flags_result(struct line *line, unsigned size, struct operand result);
/* 1 if it holds, else 0. */
struct operand flags_hold(struct line *line, enum condition condition);
/* dst = condition ? a : b. The chosen value flows as data; the condition only picks. */
void line_select(struct line *line, int dst, unsigned size, struct operand condition,
		 struct operand a, struct operand b);

#endif /* NAP_LITMUS_ASSEMBLY_H */
