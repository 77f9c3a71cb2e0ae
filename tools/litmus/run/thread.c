/* SPDX-License-Identifier: MIT */
/*
 * Writes a function for each thread:
 *
 *	static void role_0_1(char *lab, uint64_t *out)
 *
 * Thread 0, by layout 1. @lab is the instance, @out gets the registers that states show. The
 * instructions of assembly are one asm statement, and its registers are register variables of C.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "run/plan.h"

#define MOST_REGISTERS 14	/* a compiler takes 30 operands; registers count twice */

static void put_call(FILE *out, const struct plan *plan, const struct function *function)
{
	struct test *test = plan->test;

	fprintf(out, "void P%u();\nstatic void role_%u_%u(char *lab, uint64_t *out)\n{\n\tP%u(",
		function->thread, function->thread, plan->layout, function->thread);
	for (unsigned i = 0; i < function->nr_parameters; i++) {
		const struct span *name = &function->parameter[i];
		int location = location_named(test, name->begin, name->end);

		if (location < 0)
			text_fail(test->text, name->begin, "expected a location's name");
		fprintf(out, "lab + %u, ", plan->offset[location]);
	}
	fputs("out);\n}\n\n", out);
}

static const char *lower(const char *name, char *buffer)
{
	unsigned i;

	for (i = 0; name[i] && i < 15; i++)
		buffer[i] = (char)tolower((unsigned char)name[i]);
	buffer[i] = 0;
	if (buffer[0] == 'e')		/* EAX stands for all of rax */
		buffer[0] = 'r';
	return buffer;
}

static unsigned check_registers(const struct plan *plan, unsigned thread)
{
	const struct thread *t = &plan->test->thread[thread];
	const char *at = plan->test->text->begin;
	unsigned nr = 0;

	for (unsigned i = 0; i < t->nr_registers; i++) {
		const char *name = t->reg[i].name;

		nr += name != NULL;
		if (name && is_among(name, plan->machine->fixed))
			text_fail(plan->test->text, at,
				  "P%u uses %s, which no test that runs can have", thread, name);
	}
	if (nr > MOST_REGISTERS)
		text_fail(plan->test->text, at, "P%u uses more registers than %d", thread,
			  MOST_REGISTERS);
	return nr;
}

/* Returns a register that the thread does not use. */
static const char *choose_base(const struct plan *plan, unsigned thread, char *buffer)
{
	const char *at = plan->machine->base;

	for (size_t length; at && *at; at += length + (at[length] == ' ')) {
		length = strcspn(at, " ");
		snprintf(buffer, 16, "%.*s", (int)length, at);
		if (test_find_register(plan->test, thread, buffer) < 0)
			return buffer;
	}
	if (at)
		text_fail(plan->test->text, plan->test->text->begin, "P%u leaves no register free",
			  thread);
	return NULL;
}

static void put_registers(FILE *out, const struct plan *plan, unsigned thread, const char *base)
{
	const struct thread *t = &plan->test->thread[thread];
	char name[16];

	for (unsigned i = 0; i < t->nr_registers; i++) {
		if (!t->reg[i].name)
			continue;
		fprintf(out, "\tregister uint64_t reg_%u __asm__(\"%s\") = ", i,
			lower(t->reg[i].name, name));
		put_value(out, plan, t->reg[i].initial);
		fputs(";\n", out);
	}
	if (base)
		fprintf(out, "\tregister char *base __asm__(\"%s\") = lab;\n", base);
}

static void put_rows(FILE *out, const struct plan *plan, unsigned thread, const char *base)
{
	const struct thread *t = &plan->test->thread[thread];

	for (unsigned i = 0; i < t->nr_rows; i++) {
		fputs("\t\t\"", out);
		if (plan->machine->dialect == DIALECT_X86) {
			put_x86_row(out, plan, thread, t->row[i], base);
		} else {
			const char *row = put_labels(out, plan, thread, t->row[i]);

			put_text(out, plan, thread, row, row + strlen(row));
		}
		fputs("\\n\"\n", out);
	}
}

static void put_operands(FILE *out, const struct plan *plan, unsigned thread, const char *base)
{
	const struct thread *t = &plan->test->thread[thread];
	const char *comma = "";

	fputs("\t\t: ", out);
	for (unsigned i = 0; i < t->nr_registers; i++) {
		if (!t->reg[i].name)
			continue;
		fprintf(out, "%s\"+r\"(reg_%u)", comma, i);
		comma = ", ";
	}
	fprintf(out, "\n\t\t: %s : \"memory\"%s);\n", base ? "\"r\"(base)" : "",
		plan->machine->dialect == DIALECT_RISCV ? "" : ", \"cc\"");
}

static void put_assembly(FILE *out, const struct plan *plan, unsigned thread)
{
	const struct test *test = plan->test;
	unsigned slot = 0;
	char buffer[16];
	const char *base = choose_base(plan, thread, buffer);

	check_registers(plan, thread);
	fprintf(out, "static __attribute__((noinline, noclone))\n"
		"void role_%u_%u(char *lab, uint64_t *out)\n{\n", thread, plan->layout);
	put_registers(out, plan, thread, base);
	fputs("\n\t__asm__ volatile(\n", out);
	put_rows(out, plan, thread, base);
	fputs("\t\t\"\"\n", out);
	put_operands(out, plan, thread, base);
	for (unsigned i = 0; i < test->nr_observed; i++)
		if (test->observed[i].thread == (int)thread)
			fprintf(out, "\tout[%u] = reg_%u;\n", slot++, test->observed[i].number);
	fputs("}\n\n", out);
}

void put_thread(FILE *out, const struct plan *plan, unsigned thread)
{
	if (!plan->target) {
		put_assembly(out, plan, thread);
		return;
	}
	for (unsigned i = 0; i < plan->nr_functions; i++)
		if (plan->function[i].thread == thread)
			put_call(out, plan, &plan->function[i]);
}
