/* SPDX-License-Identifier: MIT */
/* Where an access is: at a number, or wherever the values that are read may lead it. */
#include "path/walk.h"

static const struct expr *path_address(struct walk *walk)
{
	return walk_operand(walk, &instruction_at(walk)->address);
}

static void access_if_there(struct walk *walk, unsigned cell)
{
	struct arena *arena = walk->test->arena;
	const struct expr *there = expr_number(arena, cell_address(walk->test, cell));

	walk_constrain(walk, expr_alu(arena, ALU_EQ, path_address(walk), there, 8, false), true);
	walk_access_at(walk, cell);
}

static void go_astray(struct walk *walk, unsigned unused)
{
	(void)unused;
	walk->astray = path_address(walk);
	walk->strays = instruction_at(walk);
	walk->pc = walk->test->thread[walk->thread].nr;
}

/* Fails if the address is one of a location's, and not a multiple of the access's size. */
static void refuse_unaligned(struct test *test, const struct instruction *instruction,
			     uint64_t address)
{
	int around = test_location_around(test, address), cell = cell_at(test, address);

	if (around < 0 && cell >= 0)
		around = (int)test->cell[cell].location;
	if (around >= 0 && address % instruction->size)
		text_fail(test->text, instruction->at,
			  "an access of %u bytes at %s+%u, which is not aligned, is not modelled",
			  instruction->size, test->location[around].name,
			  (unsigned)(address - test->location[around].address));
}

void path_refuse(struct test *test, const struct instruction *instruction, uint64_t address)
{
	int around = test_location_around(test, address);

	refuse_unaligned(test, instruction, address);
	if (around >= 0)
		text_fail(test->text, instruction->at,
			  "an access of %u bytes at %s+%u, within %s: "
			  "mixed sizes through a pointer are not modelled",
			  instruction->size, test->location[around].name,
			  (unsigned)(address - test->location[around].address),
			  test->location[around].name);
	text_fail(test->text, instruction->at, "expected the address of a location, not %#llx",
		  (unsigned long long)address);
}

/*
 * Executes an access whose address is a number. If the access does not fit the cells, they are cut,
 * and all threads are walked once more (search/turns.c). In C a location is one object until an
 * access shows that it is not.
 */
static void access_number(struct walk *walk, uint64_t address)
{
	unsigned size = instruction_at(walk)->size;
	int cell;

	if (test_is_c(walk->test) && !instruction_at(walk)->loose)
		cell_split(walk->test, address, size);
	cell = cell_at(walk->test, address);
	if (cell >= 0 && walk_parts(walk, (unsigned)cell)) {
		walk_access_at(walk, (unsigned)cell);
		return;
	}
	refuse_unaligned(walk->test, instruction_at(walk), address);
	if (cell_cut(walk->test, address, size < 8 ? size : 8) &&
	    (size <= 8 || cell_cut(walk->test, address + 8, 8))) {
		walk->done = true;
		return;
	}
	if (cell < 0)
		path_refuse(walk->test, instruction_at(walk), address);
	walk_access_at(walk, (unsigned)cell);	/* search/size.c refuses it */
}

/* Executes the access. An address that depends on a read is that of any cell, or of none. */
void walk_access(struct walk *walk)
{
	const struct expr *address = path_address(walk);
	unsigned last = walk->test->nr_cells;

	if (address->kind == EXPR_NUMBER) {
		access_number(walk, address->number);
		return;
	}
	if (address->needs)
		walk_fork(walk, go_astray, 0);
	while (last-- > 1)
		walk_fork(walk, access_if_there, last);
	if (walk->test->nr_cells)
		access_if_there(walk, 0);
	else
		walk->done = true;
}
