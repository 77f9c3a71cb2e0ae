/* SPDX-License-Identifier: MIT */
#include "path/walk.h"

static struct value operand_pair(struct walk *walk, const struct operand *low,
				 const struct operand *high)
{
	bool pair = instruction_at(walk)->size > 8;

	return (struct value) { walk_operand(walk, low), pair ? walk_operand(walk, high) : NULL };
}

static void set_pair(struct walk *walk, struct value value)
{
	int high = instruction_at(walk)->high;

	walk_set(walk, value.low);
	if (high >= 0 && value.high)
		walk->reg[high] = value.high;
}

static void path_load(struct walk *walk, unsigned cell)
{
	const struct instruction *instruction = instruction_at(walk);
	int first = (int)walk->nr;

	set_pair(walk, walk_read(walk, cell, instruction->read_tags));
	if (instruction->op == OP_LOAD_EXCLUSIVE)
		walk->reserved = first;
	walk->pc++;
}

static void path_store(struct walk *walk, unsigned cell)
{
	const struct instruction *instruction = instruction_at(walk);

	walk_write(walk, cell, operand_pair(walk, &instruction->a, &instruction->high_a), -1);
	walk->pc++;
}

static struct value path_result(struct walk *walk, struct value old)
{
	const struct instruction *instruction = instruction_at(walk);
	struct value by = operand_pair(walk, &instruction->a, &instruction->high_a);
	struct value result = { NULL, NULL };
	struct arena *arena = walk->test->arena;

	result.low = expr_alu(arena, instruction->alu, old.low, by.low, instruction->size, false);
	if (by.high)
		result.high = expr_alu(arena, instruction->alu, old.high, by.high, 8, false);
	return result;
}

/* The condition on the old value: OP_CAS writes if it is @a, @unless writes if it is not @b. */
static const struct expr *is_as_wanted(struct walk *walk, struct value old)
{
	const struct instruction *instruction = instruction_at(walk);
	struct arena *arena = walk->test->arena;
	const struct expr *low, *high;

	if (instruction->op != OP_CAS)
		return expr_alu(arena, ALU_NE, old.low, walk_operand(walk, &instruction->b),
				instruction->size, false);
	low = expr_alu(arena, ALU_EQ, old.low, walk_operand(walk, &instruction->a),
		       instruction->size, false);
	if (!old.high)
		return low;
	high = expr_alu(arena, ALU_EQ, old.high, walk_operand(walk, &instruction->high_a), 8,
			false);
	return expr_alu(arena, ALU_AND, low, high, 8, false);
}

static bool constrains(const struct instruction *instruction)
{
	return instruction->op == OP_CAS || instruction->unless;
}

/* Sets the register for whether the instruction stored. Its value depends on the comparison. */
static void set_stored(struct walk *walk, const struct expr *wanted, bool stored)
{
	struct arena *arena = walk->test->arena;
	int reg = instruction_at(walk)->stored;

	if (reg < 0)
		return;
	walk->reg[reg] = instruction_at(walk)->weak ?
		expr_alu(arena, ALU_AND, wanted, expr_number(arena, stored), 8, false) : wanted;
}

/* A RISC-V compare-exchange depends on its operands also if it fails. */
static void depend_on_operands(struct walk *walk, unsigned first)
{
	const struct instruction *instruction = instruction_at(walk);
	const struct operand *operands[] = { &instruction->a, &instruction->b, &instruction->high_a,
					     &instruction->high_b };

	for (size_t i = 0; i < sizeof(operands) / sizeof(*operands); i++)
		for (unsigned e = first; e < walk->nr; e++) {
			walk->event[e].data |= walk_operand(walk, operands[i])->taint;
			walk->event[e].pick_data |= walk_operand(walk, operands[i])->pick;
		}
}

static void access_fails(struct walk *walk, unsigned cell)
{
	const struct instruction *instruction = instruction_at(walk);
	unsigned first = walk->nr;
	struct value old = walk_read(walk, cell, instruction->fail_tags);
	const struct expr *wanted = is_as_wanted(walk, old);

	if (instruction->fail_tags & BIT(TAG_FAILED))
		depend_on_operands(walk, first);

	walk_fail(walk, wanted);
	set_pair(walk, old);
	set_stored(walk, wanted, false);
	walk->pc++;
}

static const struct expr *picked_by(struct walk *walk, const struct expr *picked, uint64_t by)
{
	unsigned size = instruction_at(walk)->size;

	picked = expr_alu(walk->test->arena, ALU_FIRST, picked, picked, size < 8 ? size : 8, false);
	return expr_picked(walk->test->arena, picked, by);
}

/*
 * Sets the instruction's register after a success: to @old, or with @pick to @picked, a value that
 * the read of @old has chosen.
 */
static void path_leave(struct walk *walk, struct value old, struct value picked, bool pick)
{
	uint64_t by = old.low->taint | (old.high ? old.high->taint : 0);
	const struct expr *wanted = constrains(instruction_at(walk)) ? is_as_wanted(walk, old) :
								       NULL;

	if (pick) {
		picked.low = picked_by(walk, picked.low, by);
		picked.high = picked.high ? picked_by(walk, picked.high, by) : NULL;
	}
	set_pair(walk, pick ? picked : old);
	if (wanted)
		set_stored(walk, wanted, true);
	walk->pc++;
}

/* Executes a read-modify-write that writes. */
static void access_succeeds(struct walk *walk, unsigned cell, bool pick)
{
	const struct instruction *instruction = instruction_at(walk);
	struct value expected = operand_pair(walk, &instruction->a, &instruction->high_a);
	struct value desired = operand_pair(walk, &instruction->b, &instruction->high_b), old;
	const struct expr *wanted;
	unsigned first;

	if (instruction->around)
		walk_event(walk, EVENT_FENCE, instruction->around);
	first = walk->nr;
	old = walk_read(walk, cell, instruction->read_tags);
	if (instruction->op == OP_RMW)
		desired = path_result(walk, old);
	walk_write(walk, cell, desired, (int)first);
	if (constrains(instruction)) {
		wanted = is_as_wanted(walk, old);
		walk_constrain(walk, wanted, true);
		for (unsigned i = walk->event[walk->nr - 1].first; i < walk->nr; i++)
			walk->event[i].pick_data |= wanted->taint | wanted->pick;
	}
	if (instruction->around)
		walk_event(walk, EVENT_FENCE, instruction->around);
	path_leave(walk, old, expected, pick);
}

static void access_picks(struct walk *walk, unsigned cell)
{
	access_succeeds(walk, cell, true);
}

/*
 * Whether a successful CAS of Arm may leave the value that it compared: then its dependencies
 * differ.
 */
static bool may_pick(const struct walk *walk)
{
	const struct instruction *instruction = instruction_at(walk);

	return instruction->op == OP_CAS && instruction->dst >= 0 &&
		walk->test->dialect == DIALECT_AARCH64;
}

static void read_modify_write(struct walk *walk, unsigned cell)
{
	const struct instruction *instruction = instruction_at(walk);

	if (constrains(instruction) && !instruction->must)
		walk_fork(walk, access_fails, cell);
	if (instruction->weak && walk->loops)
		walk_chance(walk, access_fails, cell);
	if (may_pick(walk))
		walk_fork(walk, access_picks, cell);
	access_succeeds(walk, cell, false);
}

static void store_fails(struct walk *walk, unsigned unused)
{
	(void)unused;
	walk_set(walk, expr_number(walk->test->arena, 1));
	walk->reserved = -1;
	walk->pc++;
}

/* Returns the status after a success. In RISC-V it depends on the store. */
static const struct expr *success(struct walk *walk)
{
	struct arena *arena = walk->test->arena;

	if (walk->test->dialect != DIALECT_RISCV)
		return expr_number(arena, 0);
	return expr_after(arena, walk->nr - 1);
}

/* Whether the store-exclusive is to exactly the bytes that the exclusive load has read. */
static bool same_place(struct walk *walk, const struct path_event *reserved, unsigned cell)
{
	const struct instruction *instruction = instruction_at(walk);

	if (reserved->cell == cell && reserved->from->size != instruction->size &&
	    walk->test->dialect == DIALECT_RISCV)
		text_fail(walk->test->text, instruction->at,
			  "a store-conditional of another size than its "
			  "load-reserve's is not modelled");
	return reserved->cell == cell && reserved->from->size == instruction->size;
}

/*
 * Executes a store-exclusive, which may fail spuriously. It succeeds only after an exclusive load
 * of the location, and uses that load up. After an exclusive load of another location Arm leaves
 * open whether the store-exclusive stores; if it does, it is not atomic together with that load.
 */
static void store_exclusive(struct walk *walk, unsigned cell)
{
	const struct instruction *instruction = instruction_at(walk);
	int reserved = walk->reserved;
	bool other = reserved >= 0 && !same_place(walk, &walk->event[reserved], cell);

	if (reserved < 0 || (other && walk->test->dialect != DIALECT_AARCH64)) {
		store_fails(walk, 0);
		return;
	}
	if (other)
		reserved = -1;
	walk_chance(walk, store_fails, 0);
	if (reserved >= 0)	/* the store makes what was loaded one access: also a pair */
		walk_join(walk, (unsigned)reserved, walk_parts(walk, cell));
	walk_write(walk, cell, operand_pair(walk, &instruction->a, &instruction->high_a), reserved);
	walk_set(walk, success(walk));
	walk->reserved = -1;
	walk->pc++;
}

/* Executes a fence that has a location: it accesses nothing there. */
static void path_fence(struct walk *walk, unsigned cell)
{
	struct path_event *event = walk_event(walk, EVENT_FENCE, instruction_at(walk)->read_tags);

	event->cell = cell;
	event->location = walk->test->cell[cell].location;
	event->located = true;
	walk->pc++;
}

void walk_access_at(struct walk *walk, unsigned cell)
{
	switch (instruction_at(walk)->op) {
	case OP_FENCE:
		path_fence(walk, cell);
		break;
	case OP_LOAD:
	case OP_LOAD_EXCLUSIVE:
		path_load(walk, cell);
		break;
	case OP_STORE:
		path_store(walk, cell);
		break;
	case OP_RMW:
	case OP_CAS:
		read_modify_write(walk, cell);
		break;
	default:
		store_exclusive(walk, cell);
	}
}
