/* SPDX-License-Identifier: MIT */
/*
 * A compiled test. The functions of a C test are compiled, disassembled by objdump, and read again
 * as a test in instructions. A dependency that the compiler has removed is gone.
 *
 *	functions.c	finds the threads' functions in the text
 *	emit.c		writes a C file of these functions, each with one more parameter: where
 *			the function stores its registers
 *	kernel.c	the kernel's functions, made of the few that emit.c takes from the
 *			compiler or from nap
 *	target.c	compilers and machines
 *	listing.c	reads objdump's lines as instructions
 */
#ifndef NAP_LITMUS_COMPILE_H
#define NAP_LITMUS_COMPILE_H

#include <stdio.h>

#include "test/test.h"

struct isa;

struct target {
	char name[64];			/* gcc:aarch64:nap -O2 */
	const char *compiler;		/* gcc, clang */
	const char *machine;		/* x86_64, aarch64, aarch64+lse, riscv64 */
	/* true: the kernel's primitives are arch/'s functions; false: builtins */
	bool nap;
	const char *flags;
	const struct isa *isa;
	const char *model;		/* the machine's */
};

/*
 * @name: COMPILER:MACHINE[:nap]. @flags NULL: -O2. False: @message says what was expected instead.
 */
bool target_named(struct target *target, const char *name, const char *flags, char *message,
		  size_t size);
/* Writes the compiler's command, up to the file: "aarch64-linux-gnu-gcc ..."; or objdump's. */
void target_command(const struct target *target, const char *root, char *command, size_t size);
void target_objdump(const struct target *target, char *command, size_t size);

#define MAX_PARAMETERS 8

struct span {
	const char *begin, *end;
};

/* The function of a thread: P0 (...) { ... } */
struct function {
	unsigned thread, nr_parameters;
	struct span parameters, parameter[MAX_PARAMETERS];	/* the parameters' names */
	struct span body;					/* within the braces */
};

/* Finds the functions; returns how many. Fails by text_fail(). */
unsigned functions_find(struct test *test, struct function *function);

void emit_c(FILE *out, const struct test *test, const struct function *function, unsigned nr,
	    bool nap);

void emit_kernel(FILE *out);	/* the kernel's functions, as macros */

/*
 * Returns the test as @target's compiler makes it, in @test's arena, with the same states. @root:
 * the directory of nap's tree, for its arch/. Fails by text_fail() if the compiler is not there
 * or does not take the file, or an instruction is unknown.
 */
struct test *compile(struct test *test, const struct target *target, const char *root);

/* Whether the test can be compiled: it is in C, and has neither RCU nor locks of the kernel's. */
bool is_compilable(const struct test *test);

/* Returns the text of objdump's listing, for the user. */
const char *listing_of(struct test *compiled);

/* listing.c: makes the functions of objdump's output the threads of @test. */
void listing_read(struct test *test, const struct isa *isa, struct text *text);
/* Returns the end of the instruction in a line, before what objdump adds for people. */
const char *listing_end(const char *begin, const char *end);

#endif /* NAP_LITMUS_COMPILE_H */
