/* SPDX-License-Identifier: MIT */
/*
 *	nap-pairs [--ways] MACHINE LISTING LINES CANDIDATES
 *
 * MACHINE: x86_64, aarch64, riscv64; LISTING: objdump -d --no-show-raw-insn of a program;
 * LINES: addr2line -a -i of its instructions; CANDIDATES: lines of FUNCTION FILE:LINE FUNCTION
 * FILE:LINE, a load and a store. Prints each of these lines with its verdict after it. With --ways,
 * before it: the addresses on the way to a store that is not ordered, the last one first.
 */
#include <stdio.h>
#include <string.h>

#include "pairs/walk.h"
#include "read/read.h"

static const struct { const char *name; const struct isa *isa; } machines[] = {
	{ "x86_64", &isa_x86 }, { "aarch64", &isa_aarch64 }, { "riscv64", &isa_riscv },
};

static const struct isa *machine_named(const char *name)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (!strcmp(machines[i].name, name))
			return machines[i].isa;
	return NULL;
}

static void print_reasons(unsigned by)
{
	const char *before = ": ";

	for (int i = 0; i < NR_BY; i++)
		if (by >> i & 1) {
			printf("%s%s", before, by_name[i]);
			before = ", ";
		}
	puts("");
}

static void print_verdict(const struct candidate *candidate, const struct verdict *verdict)
{
	printf("%s %s %s %s: ", candidate->function[0], candidate->place[0], candidate->function[1],
	       candidate->place[1]);
	if (verdict->kind == ORDERED) {
		printf(verdict->dropped ? "dropped" : "ordered");
		print_reasons(verdict->by);
	} else {
		printf("%s: %s\n", verdict->kind == NOT_ORDERED ? "not ordered" : "not judged",
		       verdict->why);
	}
}

static int failed(const struct text *text)
{
	fprintf(stderr, "nap-pairs: %s\n", text->message);
	return 1;
}

static int judge_candidates(const struct isa *isa, struct text text[3], bool ways)
{
	struct program *program;
	struct candidates list;

	if (setjmp(text[0].failed))
		return failed(&text[0]);
	if (setjmp(text[2].failed))
		return failed(&text[2]);
	program = program_read(&text[0], isa);
	program->ways = ways;
	live_compute(program);
	lines_read(program, &text[1]);
	list = list_read(&text[2]);
	for (unsigned i = 0; i < list.nr; i++) {
		struct verdict verdict = judge_pair(program, &list.candidate[i]);

		print_verdict(&list.candidate[i], &verdict);
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool ways = argc > 1 && !strcmp(argv[1], "--ways");
	const struct isa *isa;
	struct arena arena = { 0 };
	struct text text[3];
	int status;

	argv += ways;
	argc -= ways;
	isa = argc == 5 ? machine_named(argv[1]) : NULL;
	if (!isa) {
		fprintf(stderr, "usage: nap-pairs [--ways] x86_64|aarch64|riscv64 LISTING LINES "
			"CANDIDATES\n");
		return 2;
	}
	for (int i = 0; i < 3; i++)
		if (!text_load(&text[i], argv[2 + i], &arena))
			return failed(&text[i]);
	status = judge_candidates(isa, text, ways);
	arena_free(&arena);
	return status;
}
