/* SPDX-License-Identifier: MIT */
/*
 * Executes a thread with expressions for values. Where the next step depends on an expression (a
 * branch, an address, the success of a compare-exchange), the walk takes each path, and each path
 * notes the constraints under which it is taken.
 */
#include <string.h>

#include "path/walk.h"

enum { MAX_PATHS = 100000 /* of a thread */, MAX_STEPS = 100000 /* of a path */ };

const struct expr *walk_operand(struct walk *walk, const struct operand *operand)
{
	if (operand->is_register)
		return walk->reg[operand->reg];
	return expr_number(walk->test->arena, operand->value);
}

struct path_event *walk_event(struct walk *walk, enum event_kind kind, uint64_t tags)
{
	const struct instruction *from = instruction_at(walk);
	struct path_event *event = &walk->event[walk->nr];

	if (walk->nr == PATH_EVENTS)
		text_fail(walk->test->text, from->at, "a thread of more than %d events",
			  PATH_EVENTS);
	walk->nr++;
	*event = (struct path_event) { .kind = kind, .tags = tags, .size = from->size,
				       .sign = from->sign, .ctrl = walk->ctrl,
				       .pick_ctrl = walk->pick_ctrl, .rmw = -1, .from = from,
				       .begin = walk->nr - 1 };
	return event;
}

void walk_constrain(struct walk *walk, const struct expr *expr, bool holds)
{
	bool truth;

	if (!expr->needs) {
		walk->done |= (expr_value(expr, NULL) != 0) != holds;
		return;
	}
	if (walk_implies(walk, expr, &truth)) {
		walk->done |= truth != holds;
		return;
	}
	if (walk->nr_constraints == MAX_CONSTRAINTS)
		text_fail(walk->test->text, instruction_at(walk)->at,
			  "a thread with more than %d decisions", MAX_CONSTRAINTS);
	walk->decisions++;
	walk->constraint[walk->nr_constraints++] = (struct constraint) { expr, holds, false };
}

void walk_fail(struct walk *walk, const struct expr *wanted)
{
	bool weak = instruction_at(walk)->weak;
	unsigned nr = walk->nr_constraints;

	if (weak && !walk->loops)
		return;
	walk_constrain(walk, wanted, walk->by_chance);
	if (walk->nr_constraints > nr)
		walk->constraint[nr].either = weak;
}

static void *path_copied(struct walk *walk, const void *from, size_t size)
{
	void *to = arena_alloc(walk->test->arena, size);

	memcpy(to, from, size);
	return to;
}

/* Ends the path. It is added to @list. */
static struct path *end_path(struct walk *walk, struct path **list)
{
	unsigned nr_registers = walk->test->thread[walk->thread].nr_registers;
	struct path *path = arena_alloc(walk->test->arena, sizeof(*path));

	if (walk->paths->nr++ == MAX_PATHS)
		text_fail(walk->test->text, walk->test->text->begin,
			  "thread %u can go more than %d ways", walk->thread, MAX_PATHS);
	path->nr = walk->nr;
	path->nr_constraints = walk->nr_constraints;
	path->event = path_copied(walk, walk->event, walk->nr * sizeof(*path->event));
	path->constraint = path_copied(walk, walk->constraint,
				       walk->nr_constraints * sizeof(*path->constraint));
	path->reg = path_copied(walk, walk->reg, nr_registers * sizeof(path->reg[0]));
	path->astray = walk->astray;
	path->strays = walk->strays;
	path->next = *list;
	*list = path;
	return path;
}

static void cut(struct walk *walk)
{
	walk->paths->cut = true;
	walk->done = true;
}

/*
 * Counts a jump backwards. A loop whose end depends on no read makes all its iterations. Any other
 * loop makes at most as many as the bound.
 */
static void turn(struct walk *walk)
{
	if (walk->backwards[walk->pc].decisions != walk->decisions &&
	    walk->backwards[walk->pc].turns++ >= walk->how->unroll)
		cut(walk);
	walk->backwards[walk->pc].decisions = walk->decisions;
}

static void path_jump(struct walk *walk, unsigned to)
{
	struct idle idle;

	if (to <= walk->pc && !(walk->loops && loops_idle(walk, to, &idle)))
		turn(walk);
	walk->pc = to;
}

/*
 * Ends the path in a turn that may be repeated for ever, unless such turns end, or a store in this
 * turn has failed by chance.
 */
static void stick(struct walk *walk, const struct idle *idle)
{
	struct path *path;

	walk->done = true;
	if (idle->ends || idle->arrival->chances != walk->chances)
		return;
	path = end_path(walk, &walk->paths->stuck);
	path->stuck = instruction_at(walk);
	path->turn = idle->from;
}

/* The walk comes to the head of a loop, and may end if the last turn has changed nothing. */
static void come_to_head(struct walk *walk)
{
	struct idle idle;

	if (!loops_idle(walk, walk->pc, &idle)) {
		loops_arrive(walk);
		return;
	}
	walk->paths->idle = true;
	if (walk->kept++ >= walk->how->kept)
		stick(walk, &idle);
}

static void path_step(struct walk *walk);

static void walk_on(struct walk *walk)
{
	while (!walk->done && walk->pc < walk->test->thread[walk->thread].nr) {
		if (++walk->steps > MAX_STEPS)
			cut(walk);
		if (walk->loops && walk->loops->head[walk->pc])
			come_to_head(walk);
		if (!walk->done)
			path_step(walk);
	}
	if (!walk->done)
		end_path(walk, &walk->paths->first);
}

void walk_fork(struct walk *walk, void (*go)(struct walk *, unsigned), unsigned which)
{
	struct walk copy;

	walk->decisions++;
	copy = *walk;
	go(&copy, which);
	copy.by_chance = false;
	walk_on(&copy);
}

void walk_chance(struct walk *walk, void (*go)(struct walk *, unsigned), unsigned which)
{
	walk->by_chance = true;
	walk->chances++;
	walk_fork(walk, go, which);
	walk->chances--;
	walk->by_chance = false;
}

void walk_set(struct walk *walk, const struct expr *value)
{
	int dst = instruction_at(walk)->dst;

	if (dst >= 0)
		walk->reg[dst] = value;
}

static const struct expr *branch_on(struct walk *walk)
{
	return walk_operand(walk, &instruction_at(walk)->a);
}

static void path_branch(struct walk *walk, unsigned taken)
{
	walk_constrain(walk, branch_on(walk), taken);
	if (walk->done)
		return;
	walk->ctrl |= branch_on(walk)->taint;
	walk->pick_ctrl |= branch_on(walk)->pick;
	if (taken)
		path_jump(walk, instruction_at(walk)->target);
	else
		walk->pc++;
}

static void either_branch(struct walk *walk)
{
	const struct expr *on = branch_on(walk);

	if (on->kind == EXPR_NUMBER) {
		path_branch(walk, on->number != 0);
		return;
	}
	walk_fork(walk, path_branch, true);
	path_branch(walk, false);
}

static void begin_arm(struct walk *walk)
{
	if (walk->nr_arms == MAX_ARMS)
		text_fail(walk->test->text, instruction_at(walk)->at,
			  "more than %d ifs in each other", MAX_ARMS);
	walk->arm[walk->nr_arms][0] = walk->ctrl;
	walk->arm[walk->nr_arms++][1] = walk->pick_ctrl;
}

static const struct expr *path_computed(struct walk *walk, const struct instruction *instruction)
{
	const struct expr *a = walk_operand(walk, &instruction->a);
	const struct expr *b = walk_operand(walk, &instruction->b);

	if (instruction->pick)
		return expr_picked(walk->test->arena, a, b->taint | b->pick);
	return expr_alu(walk->test->arena, instruction->alu, a, b, instruction->size,
			instruction->sign);
}

static void path_step(struct walk *walk)
{
	const struct instruction *instruction = instruction_at(walk);

	switch (instruction->op) {
	case OP_SET:
		walk_set(walk, path_computed(walk, instruction));
		break;
	case OP_FENCE:
		if (instruction->located) {
			walk_access(walk);
			return;
		}
		walk_event(walk, EVENT_FENCE, instruction->read_tags);
		break;
	case OP_CLEAR_EXCLUSIVE:
		walk->reserved = -1;
		break;
	case OP_BRANCH:
		either_branch(walk);
		return;
	case OP_JUMP:
		path_jump(walk, instruction->target);
		return;
	case OP_ARM_BEGIN:
		begin_arm(walk);
		break;
	case OP_ARM_END:
		walk->ctrl = walk->arm[--walk->nr_arms][0];
		walk->pick_ctrl = walk->arm[walk->nr_arms][1];
		break;
	default:
		walk_access(walk);
		return;
	}
	walk->pc++;
}

struct paths paths_of(struct test *test, unsigned thread, const struct turns *turns)
{
	struct paths paths = { 0 };
	struct walk walk = { .test = test, .paths = &paths, .thread = thread, .how = turns,
			     .reserved = -1 };

	if (test->thread[thread].nr > MAX_CODE)
		text_fail(test->text, test->text->begin, "a thread of more than %d instructions",
			  MAX_CODE);
	walk.loops = turns->all ? NULL : loops_of(test, thread);
	for (unsigned i = 0; i < test->thread[thread].nr_registers; i++)
		walk.reg[i] = expr_number(test->arena, test->thread[thread].reg[i].initial);
	walk_on(&walk);
	return paths;
}
