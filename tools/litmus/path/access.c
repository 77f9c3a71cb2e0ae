/* SPDX-License-Identifier: MIT */
#include "path/walk.h"

static const struct expr *path_address(struct walk *walk)
{
	return walk_operand(walk, &instruction_at(walk)->address);
}

static struct path_event *add_access(struct walk *walk, enum event_kind kind, uint64_t tags,
				     unsigned location)
{
	struct path_event *event = walk_event(walk, kind, tags);

	event->location = location;
	event->pointed = path_address(walk)->needs != 0;
	event->addr = path_address(walk)->taint;
	event->pick_addr = path_address(walk)->pick;
	return event;
}

/* Adds a read. The instruction's register now has the value of this read. */
static const struct expr *add_read(struct walk *walk, unsigned location, uint64_t tags)
{
	add_access(walk, EVENT_READ, tags, location);
	return expr_read(walk->test->arena, walk->nr - 1);
}

/* Adds a write. @rmw: the read of the same operation, or -1. */
static void add_write(struct walk *walk, unsigned location, const struct expr *value, int rmw)
{
	struct path_event *event = add_access(walk, EVENT_WRITE, instruction_at(walk)->write_tags,
					      location);

	event->value = value;
	event->data = value->taint;
	event->pick_data = value->pick;
	event->rmw = rmw;
}

static void path_load(struct walk *walk, unsigned location)
{
	const struct instruction *instruction = instruction_at(walk);
	const struct expr *value = add_read(walk, location, instruction->read_tags);

	if (instruction->op == OP_LOAD_EXCLUSIVE)
		walk->reserved = (int)walk->nr - 1;
	walk_set(walk, value);
	walk->pc++;
}

static void path_store(struct walk *walk, unsigned location)
{
	add_write(walk, location, walk_operand(walk, &instruction_at(walk)->a), -1);
	walk->pc++;
}

static const struct expr *path_result(struct walk *walk, const struct expr *old)
{
	const struct instruction *instruction = instruction_at(walk);

	return expr_alu(walk->test->arena, instruction->alu, old,
			walk_operand(walk, &instruction->a), instruction->size, false);
}

/* The condition on the old value: OP_CAS writes if it is @a, @unless writes if it is not @b. */
static const struct expr *is_as_wanted(struct walk *walk, const struct expr *old)
{
	const struct instruction *instruction = instruction_at(walk);

	if (instruction->op == OP_CAS)
		return expr_alu(walk->test->arena, ALU_EQ, old, walk_operand(walk, &instruction->a),
				instruction->size, false);
	return expr_alu(walk->test->arena, ALU_NE, old, walk_operand(walk, &instruction->b),
			instruction->size, false);
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

static void access_fails(struct walk *walk, unsigned location)
{
	const struct instruction *instruction = instruction_at(walk);
	const struct expr *old = add_read(walk, location, instruction->fail_tags);
	const struct expr *wanted = is_as_wanted(walk, old);

	if (!instruction->weak)
		walk_constrain(walk, wanted, false);
	walk_set(walk, old);
	set_stored(walk, wanted, false);
	walk->pc++;
}

/* Sets the value after a success: @old, or (@pick) @picked, which the read of @old only chose. */
static void path_leave(struct walk *walk, const struct expr *old, const struct expr *picked,
		       bool pick)
{
	const struct instruction *instruction = instruction_at(walk);

	picked = expr_alu(walk->test->arena, ALU_FIRST, picked, picked, instruction->size, false);
	if (pick)
		walk_set(walk, expr_picked(walk->test->arena, picked, old->taint));
	else
		walk_set(walk, old);
	if (constrains(instruction))
		set_stored(walk, is_as_wanted(walk, old), true);
	walk->pc++;
}

/* Executes a read-modify-write that writes. */
static void access_succeeds(struct walk *walk, unsigned location, bool pick)
{
	const struct instruction *instruction = instruction_at(walk);
	const struct expr *expected = walk_operand(walk, &instruction->a);
	const struct expr *desired = walk_operand(walk, &instruction->b), *old, *wanted;

	if (instruction->around)
		walk_event(walk, EVENT_FENCE, instruction->around);
	old = add_read(walk, location, instruction->read_tags);
	if (instruction->op == OP_RMW)
		desired = path_result(walk, old);
	add_write(walk, location, desired, (int)walk->nr - 1);
	if (constrains(instruction)) {
		wanted = is_as_wanted(walk, old);
		walk_constrain(walk, wanted, true);
		walk->event[walk->nr - 1].pick_data |= wanted->taint | wanted->pick;
	}
	if (instruction->around)
		walk_event(walk, EVENT_FENCE, instruction->around);
	path_leave(walk, old, expected, pick);
}

static void access_picks(struct walk *walk, unsigned location)
{
	access_succeeds(walk, location, true);
}

/*
 * Whether a successful CAS of Arm may leave the value that it read or the value that it compared.
 * The two are equal, but their dependencies are not. The walk tries both.
 */
static bool may_pick(const struct walk *walk)
{
	const struct instruction *instruction = instruction_at(walk);

	return instruction->op == OP_CAS && instruction->dst >= 0 &&
		walk->test->dialect == DIALECT_AARCH64;
}

static void read_modify_write(struct walk *walk, unsigned location)
{
	const struct instruction *instruction = instruction_at(walk);

	if (constrains(instruction) && !instruction->must)
		walk_fork(walk, access_fails, location);
	if (may_pick(walk))
		walk_fork(walk, access_picks, location);
	access_succeeds(walk, location, false);
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

/*
 * Executes a store-exclusive, which may fail spuriously. It succeeds only after an exclusive load
 * of the location, and uses that load up. Arm leaves open what it does after an exclusive load of
 * another location: it may store, but nothing makes the two atomic.
 */
static void store_exclusive(struct walk *walk, unsigned location)
{
	int reserved = walk->reserved;
	bool other = reserved >= 0 && walk->event[reserved].location != location;

	if (reserved < 0 || (other && walk->test->dialect != DIALECT_AARCH64)) {
		store_fails(walk, 0);
		return;
	}
	if (other)
		reserved = -1;
	walk_fork(walk, store_fails, 0);
	add_write(walk, location, walk_operand(walk, &instruction_at(walk)->a), reserved);
	walk_set(walk, success(walk));
	walk->reserved = -1;
	walk->pc++;
}

/* Executes a fence that has a location: it accesses nothing there. */
static void path_fence(struct walk *walk, unsigned location)
{
	struct path_event *event = walk_event(walk, EVENT_FENCE, instruction_at(walk)->read_tags);

	event->location = location;
	event->located = true;
	walk->pc++;
}

static void access(struct walk *walk, unsigned location)
{
	switch (instruction_at(walk)->op) {
	case OP_FENCE:
		path_fence(walk, location);
		break;
	case OP_LOAD:
	case OP_LOAD_EXCLUSIVE:
		path_load(walk, location);
		break;
	case OP_STORE:
		path_store(walk, location);
		break;
	case OP_RMW:
	case OP_CAS:
		read_modify_write(walk, location);
		break;
	default:
		store_exclusive(walk, location);
	}
}

static void access_if_there(struct walk *walk, unsigned location)
{
	struct arena *arena = walk->test->arena;
	const struct expr *there = expr_number(arena, walk->test->location[location].address);

	walk_constrain(walk, expr_alu(arena, ALU_EQ, path_address(walk), there, 8, false), true);
	access(walk, location);
}

static void go_astray(struct walk *walk, unsigned unused)
{
	(void)unused;
	walk->astray = path_address(walk);
	walk->strays = instruction_at(walk);
	walk->pc = walk->test->thread[walk->thread].nr;
}

void path_refuse(struct test *test, const struct instruction *instruction, uint64_t address)
{
	int around = test_location_around(test, address);

	if (around >= 0)
		text_fail(test->text, instruction->at, "an access of %u bytes at %s+%u, within %s: mixed "
			  "sizes are not modelled", instruction->size, test->location[around].name,
			  (unsigned)(address - test->location[around].address),
			  test->location[around].name);
	text_fail(test->text, instruction->at, "expected the address of a location, not %#llx",
		  (unsigned long long)address);
}

/* Executes the access. An address that depends on a read is that of any location, or of none. */
void walk_access(struct walk *walk)
{
	const struct expr *address = path_address(walk);
	unsigned last = walk->test->nr_locations;
	int location;

	if (address->kind == EXPR_NUMBER) {
		location = test_location_at(walk->test, address->number);
		if (location < 0)
			path_refuse(walk->test, instruction_at(walk), address->number);
		access(walk, (unsigned)location);
		return;
	}
	if (address->needs)
		walk_fork(walk, go_astray, 0);
	while (last-- > 1)
		walk_fork(walk, access_if_there, last);
	if (walk->test->nr_locations)
		access_if_there(walk, 0);
	else
		walk->done = true;
}
