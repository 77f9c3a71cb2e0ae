/* SPDX-License-Identifier: MIT */
#ifndef NAP_TESTS_LAB_BYTES_PRINT_H
#define NAP_TESTS_LAB_BYTES_PRINT_H

#include "bytes.h"

/* Bytes of a register (slot) of a thread, or (thread -1) of a location. */
struct b_key {
	int thread;
	unsigned number, at, size;
};

/* bytes.c: the parts of a state; returns how many. */
unsigned b_keys(const struct b_program *p, struct b_key *key);

/*
 * Prints the test to @path, and its line of expected.csv. The question is whether memory ends as in
 * the state @asked. False: the file cannot be written.
 */
bool bytes_print(FILE *csv, const char *path, const char *model, const struct b_program *p,
		 const struct b_states *states, const uint64_t *asked);

/* bytes_c.c: prints the program in the kernel's C, with its unions. */
void bytes_print_c(FILE *f, const struct b_program *p);

/* Add a step's instructions, one a line. */
#define B_TEXT 4096
void bytes_arm(char *text, const struct step *s, unsigned label);
void bytes_riscv(char *text, const struct step *s, unsigned label);
void bytes_x86(char *text, const struct step *s, unsigned label);

#endif
