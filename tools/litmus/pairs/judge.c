/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "pairs/walk.h"

const char *const by_name[NR_BY] = {
	[BY_DATA] = "data", [BY_ADDRESS] = "address", [BY_CONTROL] = "control",
	[BY_SAME] = "same location", [BY_ACQUIRE] = "acquire", [BY_RELEASE] = "release",
	[BY_FENCE] = "fence", [BY_MACHINE] = "machine",
};

static bool is_load(const struct instruction *instruction)
{
	return instruction->op == OP_LOAD || instruction->op == OP_LOAD_EXCLUSIVE ||
		instruction->op == OP_RMW || instruction->op == OP_CAS;
}

/* Keeps the worst verdict so far. */
static void worse(struct verdict *verdict, int kind, const struct walk *walk, const char *what,
		  int insn)
{
	const struct program *program = walk->program;
	const struct insn *load = &program->insn[program->insn_of[walk->load]];
	const struct insn *at = &program->insn[insn];

	if (verdict->kind == NOT_ORDERED || (verdict->kind == NOT_JUDGED && kind == NOT_JUDGED))
		return;
	verdict->kind = kind;
	snprintf(verdict->why, sizeof(verdict->why), "load %llx, %.60s %llx: %.*s",
		 (unsigned long long)load->address, what, (unsigned long long)at->address,
		 at->end - at->begin > 60 ? 60 : (int)(at->end - at->begin), at->begin);
	for (char *p = verdict->why; *p; p++)
		if (*p == '\t')
			*p = ' ';
}

static bool judge_load(struct program *program, unsigned load, const char *store,
		       struct verdict *verdict)
{
	struct walk walk;

	walk_from(&walk, program, load, store);
	verdict->by |= walk.by;
	verdict->dropped |= walk.dropped;
	if (walk.unordered >= 0)
		worse(verdict, NOT_ORDERED, &walk, "store", walk.unordered);
	else if (walk.doubtful >= 0)
		worse(verdict, NOT_JUDGED, &walk, "between them", walk.doubtful);
	else if (walk.endless)
		worse(verdict, NOT_JUDGED, &walk, "too many ways from",
		      (int)program->insn_of[load]);
	else if (walk.left >= 0 && !walk.reached)
		worse(verdict, NOT_JUDGED, &walk, "leaves at", walk.left);
	if (walk.unordered >= 0 && program->ways)
		walk_print_way(&walk);
	walk_free(&walk);
	return !walk.spill;
}

static unsigned judge_insn(struct program *program, unsigned i, const char *store,
			   struct verdict *verdict)
{
	unsigned end = i + 1 < program->nr ? program->insn[i + 1].first :
		program->test->thread[0].nr;
	unsigned nr = 0;

	if (program->insn[i].kind == INSN_OPAQUE) {
		verdict->kind = NOT_JUDGED;
		snprintf(verdict->why, sizeof(verdict->why), "the load at %llx is not known",
			 (unsigned long long)program->insn[i].address);
		return 1;
	}
	for (unsigned ir = program->insn[i].first; ir < end; ir++)
		if (is_load(program_code(program, ir)))
			nr += judge_load(program, ir, store, verdict);
	return nr;
}

/* Returns the program's pointer for the place; NULL if no instruction is at it. */
static const char *place_of(const struct program *program, const char *place)
{
	for (unsigned i = 0; i < program->nr; i++)
		if (program->insn[i].place && !strcmp(program->insn[i].place, place))
			return program->insn[i].place;
	return NULL;
}

struct verdict judge_pair(struct program *program, const struct candidate *candidate)
{
	struct verdict verdict = { .kind = ORDERED };
	const char *load = place_of(program, candidate->place[0]);
	const char *store = place_of(program, candidate->place[1]);
	unsigned nr = 0;

	for (unsigned i = 0; load && i < program->nr; i++)
		if (program->insn[i].place == load && program->insn[i].atomic)
			nr += judge_insn(program, i, store, &verdict);
	if (!nr) {
		verdict.kind = NOT_JUDGED;
		snprintf(verdict.why, sizeof(verdict.why), "the load's line has no instruction");
	} else if (verdict.kind == ORDERED && !verdict.by && !verdict.dropped) {
		verdict.kind = NOT_JUDGED;
		snprintf(verdict.why, sizeof(verdict.why), "no way leads from the load to a store");
	}
	return verdict;
}
