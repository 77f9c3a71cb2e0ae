/* SPDX-License-Identifier: MIT */
/*
 * The language of the litmus shapes, and its parser. Threads are parted by ||, operations by ;
 * and words by blanks:
 *
 *	W x 1 rel		store		A x 1 ar a	fetch-add
 *	R x acq a		load		X x 1 ar a	exchange
 *	F sc			thread fence	C x 0 1 ar rlx a	strong compare-exchange
 *	S			signal fence	M		membarrier
 *	? a 1			the rest of the thread only if a is 1
 *
 * u to z are locations, 0 at first; a to t are registers, 0 at first, each of one thread; where a
 * value stands a register may stand. A compare-exchange (here of 0 by 1) has the order of its
 * failure second. What is read, also by one that fails, goes to the register.
 *
 * The outcome asked for: "a=0 x=2", registers and final values.
 */
#ifndef NAP_TESTS_MODEL_LITMUS_OPS_H
#define NAP_TESTS_MODEL_LITMUS_OPS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LITMUS_LOCATIONS 6
#define LITMUS_REGISTERS 20
#define LITMUS_THREADS 5
#define LITMUS_OPS 6
#define LITMUS_TERMS 5

enum litmus_kind {
	LITMUS_LOAD, LITMUS_STORE, LITMUS_ADD, LITMUS_EXCHANGE, LITMUS_CAS,
	LITMUS_FENCE, LITMUS_SIGNAL, LITMUS_MEMBARRIER, LITMUS_ONLY_IF,
	LITMUS_KINDS
};

enum litmus_order { LITMUS_RLX, LITMUS_ACQ, LITMUS_REL, LITMUS_AR, LITMUS_SC, LITMUS_ORDERS };

/* All small: the checker copies what a program has in static storage before every execution. */
struct litmus_value {
	bool is_register;
	unsigned char number;	/* the register's, or the value */
};

struct litmus_op {
	unsigned char kind, order, failure;
	unsigned char location, result;
	struct litmus_value expected, value;
};

struct litmus_thread {
	unsigned char number, ops;
	struct litmus_op op[LITMUS_OPS];
};

struct litmus_term {
	bool is_register;
	unsigned char number, value;
};

struct litmus_program {
	unsigned char threads, terms;
	unsigned char owner[LITMUS_REGISTERS];	/* a register's thread */
	struct litmus_thread thread[LITMUS_THREADS];
	struct litmus_term term[LITMUS_TERMS];
};

/*
 * The letter of each kind and what follows it: Location, Expected value, Value, Order, order on
 * Failure, Result
 */
static const struct {
	char letter;
	const char *operands;
} litmus_syntax[LITMUS_KINDS] = {
	[LITMUS_LOAD] = { 'R', "LOR" },
	[LITMUS_STORE] = { 'W', "LVO" },
	[LITMUS_ADD] = { 'A', "LVOR" },
	[LITMUS_EXCHANGE] = { 'X', "LVOR" },
	[LITMUS_CAS] = { 'C', "LEVOFR" },
	[LITMUS_FENCE] = { 'F', "O" },
	[LITMUS_SIGNAL] = { 'S', "" },
	[LITMUS_MEMBARRIER] = { 'M', "" },
	[LITMUS_ONLY_IF] = { '?', "EV" },
};

/* The table is at fault: nothing that a program could go on with. */
__attribute__((noreturn)) static void litmus_error(const char *at)
{
	fprintf(stderr, "litmus: cannot parse at \"%s\"\n", at);
	abort();
}

static const char *litmus_skip(const char *s)
{
	return s + strspn(s, " ");
}

static unsigned char litmus_letter(const char **s, char first, unsigned int count)
{
	const char *at = litmus_skip(*s);

	if (*at < first || *at >= first + (int)count)
		litmus_error(at);
	*s = at + 1;
	return (unsigned char)(*at - first);
}

static bool litmus_at_register(const char *s)
{
	s = litmus_skip(s);
	return *s >= 'a' && *s < 'a' + LITMUS_REGISTERS;
}

static struct litmus_value litmus_value(const char **s)
{
	struct litmus_value value = { .is_register = litmus_at_register(*s) };

	value.number = value.is_register ? litmus_letter(s, 'a', LITMUS_REGISTERS) :
		litmus_letter(s, '0', 10);
	return value;
}

static unsigned char litmus_order(const char **s)
{
	static const char names[LITMUS_ORDERS][4] = { "rlx", "acq", "rel", "ar", "sc" };
	const char *at = litmus_skip(*s);
	size_t length = strcspn(at, " ;|");

	for (unsigned char order = 0; order < LITMUS_ORDERS; order++) {
		if (strlen(names[order]) == length && !strncmp(at, names[order], length)) {
			*s = at + length;
			return order;
		}
	}
	litmus_error(at);
}

static void litmus_operand(const char **s, char what, struct litmus_op *op)
{
	switch (what) {
	case 'L':
		op->location = litmus_letter(s, 'u', LITMUS_LOCATIONS);
		break;
	case 'E':
		op->expected = litmus_value(s);
		break;
	case 'V':
		op->value = litmus_value(s);
		break;
	case 'O':
		op->order = litmus_order(s);
		break;
	case 'F':
		op->failure = litmus_order(s);
		break;
	default:
		op->result = litmus_letter(s, 'a', LITMUS_REGISTERS);
		break;
	}
}

static void litmus_op(const char **s, struct litmus_op *op)
{
	const char *at = litmus_skip(*s);

	for (unsigned char kind = 0; kind < LITMUS_KINDS; kind++) {
		if (*at != litmus_syntax[kind].letter)
			continue;
		*op = (struct litmus_op){ .kind = kind };
		*s = at + 1;
		for (const char *what = litmus_syntax[kind].operands; *what; what++)
			litmus_operand(s, *what, op);
		return;
	}
	litmus_error(at);
}

static const char *litmus_thread(const char *s, struct litmus_program *program)
{
	struct litmus_thread *thread = &program->thread[program->threads];

	if (program->threads == LITMUS_THREADS)
		litmus_error(s);
	thread->number = program->threads++;
	do {
		struct litmus_op *op = &thread->op[thread->ops];

		if (thread->ops++ == LITMUS_OPS)
			litmus_error(s);
		litmus_op(&s, op);
		if (strchr(litmus_syntax[op->kind].operands, 'R'))
			program->owner[op->result] = thread->number;
		s = litmus_skip(s);
	} while (*s == ';' && s++);
	return s;
}

static void litmus_exists(const char *s, struct litmus_program *program)
{
	for (s = litmus_skip(s); *s; s = litmus_skip(s)) {
		struct litmus_term *term = &program->term[program->terms];

		if (program->terms++ == LITMUS_TERMS)
			litmus_error(s);
		term->is_register = litmus_at_register(s);
		term->number = term->is_register ? litmus_letter(&s, 'a', LITMUS_REGISTERS) :
			litmus_letter(&s, 'u', LITMUS_LOCATIONS);
		if (*s++ != '=')
			litmus_error(s - 1);
		term->value = litmus_letter(&s, '0', 10);
	}
}

static void litmus_parse(struct litmus_program *program, const char *text, const char *exists)
{
	for (;;) {
		text = litmus_thread(text, program);
		if (!*text)
			break;
		if (strncmp(text, "||", 2))
			litmus_error(text);
		text += 2;
	}
	litmus_exists(exists, program);
}

#endif /* NAP_TESTS_MODEL_LITMUS_OPS_H */
