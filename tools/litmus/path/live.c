/* SPDX-License-Identifier: MIT */
/* The heads of a thread's loops, and which registers are still needed at each instruction. */
#include "path/loops.h"

static void add_live(struct live *live, unsigned reg)
{
	live->set[reg / 64] |= 1ull << reg % 64;
}

static void remove_live(struct live *live, int reg)
{
	if (reg >= 0)
		live->set[reg / 64] &= ~(1ull << reg % 64);
}

static void add_operand(struct live *live, const struct operand *operand)
{
	if (operand->is_register)
		add_live(live, operand->reg);
}

/* Turns the set of what is needed after an instruction into that of what is needed before it. */
static void live_before(struct live *live, const struct instruction *instruction)
{
	remove_live(live, instruction->dst);
	remove_live(live, instruction->stored);
	remove_live(live, instruction->high);
	if (instruction->op == OP_LOAD_EXCLUSIVE || instruction->op == OP_CLEAR_EXCLUSIVE)
		remove_live(live, LIVE_RESERVED);
	if (instruction->op == OP_STORE_EXCLUSIVE)
		add_live(live, LIVE_RESERVED);
	add_operand(live, &instruction->address);
	add_operand(live, &instruction->a);
	add_operand(live, &instruction->b);
	add_operand(live, &instruction->high_a);
	add_operand(live, &instruction->high_b);
}

/* Adds @more to @to; returns whether @to has grown. */
static bool join(struct live *to, const struct live *more)
{
	bool got = false;

	for (size_t i = 0; i < sizeof(to->set) / sizeof(to->set[0]); i++) {
		got |= (more->set[i] & ~to->set[i]) != 0;
		to->set[i] |= more->set[i];
	}
	return got;
}

static bool update_live(struct loops *loops, const struct thread *thread, unsigned i)
{
	const struct instruction *instruction = &thread->code[i];
	struct live live = { { 0 } };

	if (instruction->op != OP_JUMP)
		join(&live, &loops->live[i + 1]);
	if (instruction->op == OP_JUMP || instruction->op == OP_BRANCH)
		join(&live, &loops->live[instruction->target]);
	live_before(&live, instruction);
	return join(&loops->live[i], &live);
}

/* At a thread's end the registers that the final state shows are needed. */
static void live_at_end(struct live *live, const struct test *test, unsigned thread)
{
	for (unsigned i = 0; i < test->nr_observed; i++)
		if (test->observed[i].thread == (int)thread)
			add_live(live, test->observed[i].number);
}

static bool jumps_back(const struct thread *thread, unsigned i)
{
	enum op op = thread->code[i].op;

	return (op == OP_JUMP || op == OP_BRANCH) && thread->code[i].target <= i;
}

struct loops *loops_of(struct test *test, unsigned thread)
{
	const struct thread *t = &test->thread[thread];
	struct loops *loops = arena_alloc(test->arena, sizeof(*loops));
	bool any = false, more = true;

	loops->head = arena_alloc(test->arena, t->nr + 1);
	loops->live = arena_alloc(test->arena, (t->nr + 1) * sizeof(*loops->live));
	for (unsigned i = 0; i < t->nr; i++)
		if (jumps_back(t, i))
			loops->head[t->code[i].target] = any = true;
	if (!any)
		return NULL;
	live_at_end(&loops->live[t->nr], test, thread);
	while (more) {
		more = false;
		for (unsigned i = t->nr; i-- > 0;)
			more |= update_live(loops, t, i);
	}
	return loops;
}
