/* SPDX-License-Identifier: MIT */
/*
 * From a text to a test. litmus.c reads what all dialects share: the first line, the initial state,
 * the question. A dialect's own file reads the threads.
 *
 *	ARCH name
 *	"a comment"			(* or one of these *)
 *	Key=value			lines that tools wrote; not looked at
 *	{ initial state }
 *	threads
 *	locations [...]  filter (...)  exists (...) | ~exists (...) | forall (...)
 */
#ifndef NAP_LITMUS_READ_H
#define NAP_LITMUS_READ_H

#include "test/test.h"
#include "text/lexer.h"

/* Fails by text_fail(). In @text->arena. */
struct test *read_litmus(struct text *text);

/* init.c: @lexer is after the brace; takes the closing one. */
void read_init(struct lexer *lexer, struct test *test);

/* question.c: locations, filter and the question, up to the end. */
void read_question(struct lexer *lexer, struct test *test);

/* prop.c: 0:r1=1 /\ [x]=2. */
const struct prop *read_prop(struct lexer *lexer, struct test *test);

/* observed.c: 0:r1, [x] or x; its number within the test's observed. */
unsigned read_observed(struct lexer *lexer, struct test *test);
/* Whether that stands right of a =: a register, or the content of a location, not a number. */
bool observed_follows(const struct lexer *lexer);

/* value.c: what stands for a value: a number, -number, or the name of a location: its address. */
uint64_t read_value(struct lexer *lexer, struct test *test);
/* Of the location of that name, added if there is none; of an array, its first element's. */
uint64_t address_of(struct test *test, const char *name);

/*
 * c.c: the functions P0, P1, ... from @lexer's token up to the question's first word. Decides
 * between the kernel's dialect and C11's by what they call.
 */
void read_c(struct lexer *lexer, struct test *test);

/*
 * What a message says when a test is right, and uses what no model here has: "RCU is not modelled:
 * rcu_read_lock()". A count of tests counts these by name, and not as errors.
 */
#define READ_NOT_MODELLED " is not modelled: "

/* columns.c: the table of an assembly test, from @at; where it ends. */
const char *read_columns(struct text *text, struct test *test, const char *at);

/*
 * An instruction set. @instruction reads one instruction from @begin to @end, without a label, and
 * adds what it does; fails by text_fail() with what was expected. The labels that branches name are
 * kept by labels.c: the target of a branch is label_number(), and becomes an index at the end.
 */
struct isa {
	const char *name;		/* in the first line of a test */
	enum dialect dialect;
	/* As states show it, of any name that the register has (W0: X0); NULL: it is none. */
	const char *(*register_name)(struct arena *arena, const char *begin, const char *end);
	void (*instruction)(struct test *test, unsigned thread, const char *begin, const char *end);
};
extern const struct isa isa_aarch64, isa_riscv, isa_x86;	/* X86_64, as AT&T writes it */
extern const struct isa isa_x86_intel;			/* herd's X86: the destination first */
const struct isa *isa_of(enum dialect dialect);

/* labels.c: of this thread, whether it has been seen or not. */
unsigned label_number(struct test *test, unsigned thread, const char *begin, const char *end);
void label_here(struct test *test, unsigned thread, const char *begin, const char *end);
/* Every target that is a label's number becomes an index. Fails if a label is nowhere. */
void labels_resolve(struct test *test, unsigned thread);

/*
 * operands.c: an instruction's words: split at commas that are not within [] or (), blanks dropped.
 * @word[0] is the mnemonic. Fails if there are too many.
 */
#define LINE_WORDS	8
struct words {
	struct text *text;
	unsigned nr;
	struct { const char *begin, *end; } word[LINE_WORDS];
};
void words_split(struct words *words, struct text *text, const char *begin, const char *end);
bool word_is(const struct words *words, unsigned i, const char *what);	/* any case */

#endif /* NAP_LITMUS_READ_H */
