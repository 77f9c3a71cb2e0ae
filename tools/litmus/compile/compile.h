/* SPDX-License-Identifier: MIT */
/*
 * A C test as a compiler makes instructions of it: its functions are compiled, disassembled by
 * objdump, and read again as a test of that instruction set. A dependency that the compiler has
 * removed is gone.
 *
 *	functions.c	where the threads' functions stand in the text
 *	emit.c a C file of them, each with one more pointer, to the place where it leaves its
 *			registers
 *	target.c	compilers and machines
 *	listing.c	objdump's lines, as instructions
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
	/* the kernel's primitives are arch/'s functions, else the builtins */
	bool nap;
	const char *flags;
	const struct isa *isa;
	const char *model;		/* that machine's */
};

/* COMPILER:MACHINE[:nap]; false: @message says what was expected. @flags: NULL: -O2. */
bool target_named(struct target *target, const char *name, const char *flags, char *message,
		  size_t size);
/* Its command: "aarch64-linux-gnu-gcc ...", up to the file's name; and objdump's. */
void target_command(const struct target *target, const char *root, char *command, size_t size);
void target_objdump(const struct target *target, char *command, size_t size);

#define MAX_PARAMETERS 8

struct span {
	const char *begin, *end;
};

/* P0 (...) { ... } */
struct function {
	unsigned thread, nr_parameters;
	struct span parameters, parameter[MAX_PARAMETERS];	/* a parameter's name */
	struct span body;					/* within the braces */
};

/* How many; fails by text_fail(). */
unsigned functions_find(struct test *test, struct function *function);

void emit_c(FILE *out, const struct test *test, const struct function *function, unsigned nr,
	    bool nap);

/*
 * The test as @target's compiler makes it, in @test's arena, with the same states. @root: the
 * directory of nap's tree, for its arch/. Fails by text_fail(): a compiler that is not there or
 * does not take the file, an instruction that is not known.
 */
struct test *compile(struct test *test, const struct target *target, const char *root);

/* For the user: what was compiled to what; the text of the listing. */
const char *listing_of(struct test *compiled);

/* listing.c: the functions of objdump's output become the threads of @test. */
void listing_read(struct test *test, const struct isa *isa, struct text *text);
/* The end of an instruction in its line, without what objdump adds for people. */
const char *listing_end(const char *begin, const char *end);

#endif /* NAP_LITMUS_COMPILE_H */
