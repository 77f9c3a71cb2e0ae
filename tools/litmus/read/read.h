/* SPDX-License-Identifier: MIT */
/*
 * From a text to a test. litmus.c reads what all dialects share: the first line, the initial state,
 * the question. A dialect's own file reads the threads.
 *
 *	ARCH name
 *	"a comment"			(* or one of these *)
 *	Key=value			lines that tools wrote; ignored
 *	{ initial state }
 *	threads
 *	locations [...]  filter (...)  exists (...) | ~exists (...) | forall (...)
 */
#ifndef NAP_LITMUS_READ_H
#define NAP_LITMUS_READ_H

#include "test/test.h"
#include "text/lexer.h"

/* Reads a test into @text->arena. Fails by text_fail(). */
struct test *read_litmus(struct text *text);

/* init.c: reads from after the opening brace up to the closing one, which it takes. */
void read_init(struct lexer *lexer, struct test *test);

/* question.c: reads locations, filter and the question, up to the end. */
void read_question(struct lexer *lexer, struct test *test);

/* prop.c: reads 0:r1=1 /\ [x]=2. */
const struct prop *read_prop(struct lexer *lexer, struct test *test);

/* observed.c: reads 0:r1, [x] or x. Returns its index in the test's observed. */
unsigned read_observed(struct lexer *lexer, struct test *test);
/* Whether the right side of a = is a register or a location's content, not a number. */
bool observed_follows(const struct lexer *lexer);

/* value.c: reads a value: a number, -number, or the name of a location for its address. */
uint64_t read_value(struct lexer *lexer, struct test *test);
/* Returns the address of the location, added if there is none; of an array's first element. */
uint64_t address_of(struct test *test, const char *name);

/*
 * c.c: reads the functions P0, P1, ... from @lexer's token up to the question's first word.
 * Decides between the kernel's dialect and C11's by the functions that they call.
 */
void read_c(struct lexer *lexer, struct test *test);

/*
 * Part of the message for a test that is right, but uses what no model here has: "RCU is not
 * modelled: rcu_read_lock()". By this text a count of tests tells such a test from an error.
 */
#define READ_NOT_MODELLED " is not modelled: "

/* columns.c: reads the table of an assembly test from @at on. Returns its end. */
const char *read_columns(struct text *text, struct test *test, const char *at);

/*
 * An instruction set. @instruction reads one instruction from @begin to @end, without a label,
 * and adds its operations; it fails by text_fail() with what was expected. Labels stay in
 * labels.c: the target of a branch is label_number(), and becomes an index at the end.
 */
struct isa {
	const char *name;		/* in the first line of a test */
	enum dialect dialect;
	/* The register's name in states, for any of its names (W0: X0); NULL: no register. */
	const char *(*register_name)(struct arena *arena, const char *begin, const char *end);
	void (*instruction)(struct test *test, unsigned thread, const char *begin, const char *end);
};
extern const struct isa isa_aarch64, isa_riscv, isa_x86;	/* X86_64, in AT&T's syntax */
extern const struct isa isa_x86_intel;			/* herd's X86: the destination first */
const struct isa *isa_of(enum dialect dialect);

/* labels.c: returns the number of the thread's label, seen already or not. */
unsigned label_number(struct test *test, unsigned thread, const char *begin, const char *end);
void label_here(struct test *test, unsigned thread, const char *begin, const char *end);
/* Makes every target an index instead of a label's number. Fails if a label is nowhere. */
void labels_resolve(struct test *test, unsigned thread);

/*
 * operands.c: the words of an instruction, split at commas that are not within [] or (), without
 * blanks. @word[0] is the mnemonic. Fails if there are too many.
 */
#define LINE_WORDS	8
struct words {
	struct text *text;
	unsigned nr;
	struct { const char *begin, *end; } word[LINE_WORDS];
};
void words_split(struct words *words, struct text *text, const char *begin, const char *end);
bool word_is(const struct words *words, unsigned i, const char *what);	/* in any case */

#endif /* NAP_LITMUS_READ_H */
