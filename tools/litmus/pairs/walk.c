/* SPDX-License-Identifier: MIT */
/*
 * Walks every path from the load on, until all later stores are ordered. No state is walked
 * twice. A path ends at a branch that depends on the load, and at a fence.
 */
#include <stdio.h>
#include <string.h>

#include "pairs/walk.h"

#define MAX_SEEN 60000

struct seen {
	struct seen *next, *from;	/* the next state with this hash; the state that led here */
	struct state state;
};

void walk_depends(struct walk *walk, const struct state *state, enum by by)
{
	if (state->passed)
		walk->unordered = (int)state->passed - 1;
	else
		walk->by |= 1u << by;
}

bool walk_fenced(struct walk *walk, const struct state *state, enum by by)
{
	if (!state->passed)
		walk->by |= 1u << by;
	return !state->passed;
}

void walk_leaves(struct walk *walk, const struct state *state, unsigned insn)
{
	if (state->passed)
		walk->unordered = (int)state->passed - 1;
	else
		walk->left = (int)insn;
}

static size_t hash(const struct state *state)
{
	const unsigned char *p = (const unsigned char *)state;
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < sizeof(*state); i++)
		h = (h ^ p[i]) * 16777619u;
	return h;
}

/* Whether the state is new. A new state is kept. */
static bool is_new(struct walk *walk, const struct state *state)
{
	struct seen **list = &walk->seen[hash(state) % (sizeof(walk->seen) / sizeof(*walk->seen))];
	struct seen *seen;

	for (seen = *list; seen; seen = seen->next)
		if (!memcmp(&seen->state, state, sizeof(*state)))
			return false;
	seen = arena_alloc(&walk->arena, sizeof(*seen));
	seen->state = *state;
	seen->from = walk->now;
	seen->next = *list;
	*list = seen;
	walk->newest = seen;
	walk->nr_seen++;
	return true;
}

void walk_go_on(struct walk *walk, const struct state *state)
{
	if (state->ir >= walk->program->test->thread[0].nr)
		return;
	if (walk->nr_seen == MAX_SEEN) {
		walk->endless = true;
		return;
	}
	if (!is_new(walk, state))
		return;
	if (walk->nr_todo == walk->room) {
		struct seen **old = walk->todo;

		walk->room = walk->room ? 2 * walk->room : 64;
		walk->todo = arena_alloc(&walk->arena, walk->room * sizeof(*old));
		if (walk->nr_todo)
			memcpy(walk->todo, old, walk->nr_todo * sizeof(*old));
	}
	walk->todo[walk->nr_todo++] = walk->newest;
}

static bool asks_status(const struct walk *walk, const struct state *state)
{
	const struct operand *on = &program_code(walk->program, state->ir)->a;

	return on->is_register && state_has(state->status, (int)on->reg);
}

/*
 * The branch asks whether a store-exclusive has failed. If the branch goes back, it begins the loop
 * again because of a failure: on this path the loaded value was not used.
 */
static void tell_status(const struct state *state, struct state *taken, struct state *passed)
{
	if (state->used != USED_IF_STORED)
		return;
	taken->used = passed->used = USED;
	if (taken->ir > state->ir)
		return;
	taken->used = UNUSED;
	taken->after = -1;
	taken->after_offset = 0;
}

/*
 * Whether the branch repeats the load because the store of a load-exclusive has failed. The
 * loaded value is dropped.
 */
static bool is_retry(const struct walk *walk, const struct state *state, unsigned target)
{
	return program_code(walk->program, walk->load)->op == OP_LOAD_EXCLUSIVE &&
		asks_status(walk, state) &&
		walk->program->insn_of[target] == walk->program->insn_of[walk->load];
}

static void walk_branch(struct walk *walk, const struct state *state)
{
	int target = program_target(walk->program, state->ir);
	struct state taken = *state, passed = *state;

	if (state_depends(state, program_code(walk->program, state->ir)->a) && !state->in_arm) {
		walk_depends(walk, state, BY_CONTROL);
		return;
	}
	taken.ir = (uint32_t)target;
	if (asks_status(walk, state))
		tell_status(state, &taken, &passed);
	if (target < 0) {
		walk_leaves(walk, state, walk->program->insn_of[state->ir]);
	} else if (!is_retry(walk, state, (unsigned)target)) {
		walk_go_on(walk, &taken);
	}
	passed.ir++;
	walk_go_on(walk, &passed);
}

static void walk_jump(struct walk *walk, struct state *state)
{
	int target = program_target(walk->program, state->ir);

	if (target < 0) {
		walk_leaves(walk, state, walk->program->insn_of[state->ir]);
		return;
	}
	state->ir = (uint32_t)target;
	walk_go_on(walk, state);
}

/* Whether the loaded value is dropped, at the start of an instruction. */
static bool has_dropped(struct walk *walk, struct state *state)
{
	if (state->ir != walk->program->insn[walk->program->insn_of[state->ir]].first)
		return false;
	state_forget_dead(walk, state);
	if (!state_is_dropped(state))
		return false;
	walk->dropped = true;
	return true;
}

/* Takes one step. False: the path has ended, or goes on elsewhere. */
static bool walk_step(struct walk *walk, struct state *state)
{
	const struct instruction *instruction = program_code(walk->program, state->ir);
	const struct insn *insn = &walk->program->insn[walk->program->insn_of[state->ir]];
	bool on = true;

	if (has_dropped(walk, state))
		return false;
	switch (instruction->op) {
	case OP_SET:
		state_computed(walk, state);
		break;
	case OP_FENCE:
		if (insn->kind != INSN_READ) {
			outside_goes(walk, state, insn);
			return false;
		}
		on = access_fence(walk, state, instruction->read_tags);
		break;
	case OP_BRANCH:
		walk_branch(walk, state);
		return false;
	case OP_JUMP:
		walk_jump(walk, state);
		return false;
	case OP_ARM_BEGIN:
		state->in_arm++;
		break;
	case OP_ARM_END:
		state->in_arm--;
		break;
	case OP_CLEAR_EXCLUSIVE:
		break;
	default:
		on = access_passes(walk, state);
	}
	state->ir++;
	return on;
}

static unsigned stack_pointer(const struct program *program)
{
	static const char *const names[] = { [DIALECT_AARCH64] = "SP", [DIALECT_RISCV] = "x2",
					     [DIALECT_X86] = "rsp" };

	return test_register(program->test, 0, names[program->test->dialect]);
}

void walk_from(struct walk *walk, struct program *program, unsigned load, const char *store)
{
	struct state state;

	memset(&state, 0, sizeof(state));
	*walk = (struct walk) { .program = program, .store = store, .load = load, .unordered = -1,
				.doubtful = -1, .left = -1, .sp = stack_pointer(program) };
	state.ir = load;
	if (access_is_spill(walk, load)) {
		walk->spill = true;
		return;
	}
	if (!access_begins(walk, &state))
		return;
	state.ir++;
	walk_go_on(walk, &state);
	while (walk->nr_todo && walk->unordered < 0) {
		walk->now = walk->todo[--walk->nr_todo];
		state = walk->now->state;
		while (state.ir < program->test->thread[0].nr && walk_step(walk, &state))
			;
	}
}

void walk_print_way(const struct walk *walk)
{
	printf("#\tway, from its end:");
	for (const struct seen *seen = walk->now; seen; seen = seen->from)
		printf(" %llx", (unsigned long long)
		       walk->program->insn[walk->program->insn_of[seen->state.ir]].address);
	puts("");
}

void walk_free(struct walk *walk)
{
	arena_free(&walk->arena);
}
