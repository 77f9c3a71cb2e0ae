/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "run/plan.h"

#define TEXT(name, file) \
	__asm__(".section .rodata\n.globl " name "\n" name ":\n" \
		".incbin \"" file "\"\n.byte 0\n.previous\n")
TEXT("program_lab", "run/program/lab.c");
TEXT("program_table", "run/program/table.h");

/* Returns how many registers states show of the thread that has most of them. */
static unsigned most_slots(const struct test *test)
{
	unsigned most = 1;

	for (unsigned thread = 0; thread < test->nr_threads; thread++) {
		unsigned nr = 0;

		for (unsigned i = 0; i < test->nr_observed; i++)
			nr += test->observed[i].thread == (int)thread;
		most = nr > most ? nr : most;
	}
	return most;
}

/* Whether a thread jumps backwards: it may wait for another thread. */
static bool has_loops(const struct test *test)
{
	for (unsigned thread = 0; thread < test->nr_threads; thread++)
		for (unsigned i = 0; i < test->thread[thread].nr; i++) {
			const struct instruction *at = &test->thread[thread].code[i];

			if ((at->op == OP_BRANCH || at->op == OP_JUMP) && at->target <= i)
				return true;
		}
	return false;
}

static void put_sizes(FILE *out, const struct plan *plan)
{
	const struct test *test = plan->test;

	fprintf(out, "#define ROLES %u\n#define LOCATIONS %u\n#define SLOTS %u\n#define VALUES %u\n"
		"#define STRIDE %u\n#define LOOPS %d\n\n", test->nr_threads,
		test->nr_locations ? test->nr_locations : 1, most_slots(test),
		test->nr_observed ? test->nr_observed : 1, plan->stride, has_loops(plan->judged));
	fputs("static const unsigned place[LOCATIONS] = { 0", out);
	for (unsigned i = 1; i < test->nr_locations; i++)
		fprintf(out, ", %u", plan->offset[i]);
	fputs(" };\nstatic const uint64_t address[LOCATIONS] = { ", out);
	for (unsigned i = 0; i < test->nr_locations; i++)
		fprintf(out, "%lluull, ", (unsigned long long)test->location[i].address);
	fputs("};\n\nstatic uint64_t shown(const char *lab, uint64_t value);\n\n", out);
}

static void put_prepare(FILE *out, const struct plan *plan)
{
	const struct test *test = plan->test;

	fputs("static void prepare(char *lab)\n{\n", out);
	for (unsigned i = 0; i < test->nr_locations; i++) {
		fprintf(out, "\t*(volatile uint%u_t *)(lab + %u) = ", 8 * plan->size[i],
			plan->offset[i]);
		put_value(out, plan, test->location[i].initial);
		fputs(";\n", out);
	}
	fputs("}\n\n", out);
}

static void put_observe(FILE *out, const struct plan *plan)
{
	const struct test *test = plan->test;
	unsigned slot[TEST_THREADS] = { 0 };

	fputs("static void observe(const char *lab, uint64_t **out, uint64_t *value)\n{\n"
	      "\tvalue[0] = 0;\n", out);
	for (unsigned i = 0; i < test->nr_observed; i++) {
		const struct observed *what = &test->observed[i];

		if (what->thread >= 0)
			fprintf(out, "\tvalue[%u] = shown(lab, out[%d][%u]);\n", i, what->thread,
				slot[what->thread]++);
		else
			fprintf(out, "\tvalue[%u] = shown(lab, *(volatile uint%u_t *)"
				"(lab + %u));\n", i, 8 * plan->size[what->number],
				plan->offset[what->number]);
	}
	fputs("}\n\n", out);
}

void put_test(FILE *out, const struct plan *plan)
{
	put_sizes(out, plan);
	put_prepare(out, plan);
	put_observe(out, plan);
	for (unsigned i = 0; i < plan->test->nr_threads; i++)
		put_thread(out, plan, i);
	fputs("static void (*const role[ROLES])(char *, uint64_t *) = { ", out);
	for (unsigned i = 0; i < plan->test->nr_threads; i++)
		fprintf(out, "role_%u, ", i);
	fputs("};\n", out);
}
