/* SPDX-License-Identifier: MIT */
/*
 *	nap-pairs [--ways] MACHINE LISTING LINES CANDIDATES
 *
 * MACHINE: x86_64, aarch64, riscv64; LISTING: objdump -d --no-show-raw-insn of a program; LINES:
 * addr2line -a -i of its instructions; CANDIDATES: lines of FUNCTION FILE:LINE FUNCTION FILE:LINE,
 * a load and a store. Prints each line of CANDIDATES with its verdict. With --ways, a line whose
 * store is not ordered comes after the addresses on a way to this store, the last address first.
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

struct judging {
	const struct isa *isa;
	struct text *text;
	bool ways;
};

static void judge_candidates(void *with)
{
	const struct judging *judging = with;
	struct program *program = program_read(&judging->text[0], judging->isa);
	struct candidates list;

	program->ways = judging->ways;
	live_compute(program);
	lines_read(program, &judging->text[1]);
	list = list_read(&judging->text[2]);
	for (unsigned i = 0; i < list.nr; i++) {
		struct verdict verdict = judge_pair(program, &list.candidate[i]);

		print_verdict(&list.candidate[i], &verdict);
	}
}

int main(int argc, char **argv)
{
	bool ways = argc > 1 && !strcmp(argv[1], "--ways");
	const struct isa *isa;
	struct arena arena = { 0 };
	struct text text[3];
	const struct text *wrong;

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
	wrong = text_try(judge_candidates, &(struct judging) { isa, text, ways });
	if (wrong)
		failed(wrong);
	arena_free(&arena);
	return wrong != NULL;
}
