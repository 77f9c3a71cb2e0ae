/* SPDX-License-Identifier: MIT */
/*
 * The events of an access: one for each cell that it has. The value of a load is put together from
 * its events' values; the value of a store is taken apart.
 */
#include "path/walk.h"

static const struct expr *path_address(struct walk *walk)
{
	return walk_operand(walk, &instruction_at(walk)->address);
}

static void add_access(struct walk *walk, enum event_kind kind, uint64_t tags, unsigned cell)
{
	struct path_event *event = walk_event(walk, kind, tags);

	event->cell = cell;
	event->location = walk->test->cell[cell].location;
	event->address = path_address(walk);
	event->pointed = event->address->needs != 0;
	event->addr = event->address->taint;
	event->pick_addr = event->address->pick;
}

unsigned walk_parts(const struct walk *walk, unsigned cell)
{
	unsigned size = instruction_at(walk)->size, low, all;

	if (size <= 8)
		return cell_span(walk->test, cell, size);
	low = cell_span(walk->test, cell, size / 2);
	all = cell_span(walk->test, cell, size);
	return low && all > low ? all : 0;
}

void walk_join(struct walk *walk, unsigned first, unsigned parts)
{
	for (unsigned i = first; i < first + parts; i++) {
		walk->event[i].first = first;
		walk->event[i].parts = parts;
	}
}

/*
 * Makes the new events parts of one access. With @parts 0 the access does not fit the cells, and is
 * one event, which search/size.c refuses. The two halves of a pair that a load-exclusive reads are
 * two accesses, until a store-exclusive has stored (Arm's manual, B2.2.1).
 */
static void join_parts(struct walk *walk, unsigned cell, unsigned parts)
{
	const struct instruction *instruction = instruction_at(walk);
	unsigned first = walk->nr - (parts ? parts : 1), low;

	for (unsigned i = first; i < walk->nr; i++) {
		walk->event[i].fits = parts > 0;
		walk->event[i].begin = first;
		if (parts > 1) {
			walk->event[i].size = walk->test->cell[walk->event[i].cell].size;
			walk->event[i].sign = false;
		}
	}
	if (parts > 1 && instruction->size > 8 && instruction->op == OP_LOAD_EXCLUSIVE) {
		low = cell_span(walk->test, cell, instruction->size / 2);
		walk_join(walk, first, low);
		walk_join(walk, first + low, parts - low);
	} else {
		walk_join(walk, first, walk->nr - first);
	}
}

/* Adds a part, @at bytes from the beginning of its half, to the value of the half. */
static const struct expr *with_part(struct walk *walk, const struct expr *value, unsigned event,
				    unsigned at)
{
	const struct instruction *instruction = instruction_at(walk);
	struct arena *arena = walk->test->arena;
	const struct path_event *read = &walk->event[event];
	const struct expr *part = expr_read(arena, event, read->size, read->sign);

	if (!value)
		return part;
	part = expr_alu(arena, ALU_SHL, part, expr_number(arena, 8 * at), 8, false);
	return expr_alu(arena, ALU_OR, value, part, instruction->size, instruction->sign);
}

struct value walk_read(struct walk *walk, unsigned cell, uint64_t tags)
{
	unsigned parts = walk_parts(walk, cell), at = 0, first = walk->nr;
	struct value value = { NULL, NULL };

	do
		add_access(walk, EVENT_READ, tags, cell + walk->nr - first);
	while (walk->nr - first < parts);
	join_parts(walk, cell, parts);
	parts = walk->nr - first;
	for (unsigned i = 0; i < parts; i++) {
		if (at < 8)
			value.low = with_part(walk, value.low, first + i, at);
		else
			value.high = with_part(walk, value.high, first + i, at - 8);
		at += walk->test->cell[cell + i].size;
	}
	return value;
}

/* Returns the bytes of the value from @at on. */
static const struct expr *part_of(struct walk *walk, struct value value, unsigned at)
{
	struct arena *arena = walk->test->arena;
	const struct expr *half = at < 8 ? value.low : value.high;

	return at % 8 ? expr_alu(arena, ALU_SHR, half, expr_number(arena, 8 * (at % 8)), 8, false) :
			half;
}

void walk_write(struct walk *walk, unsigned cell, struct value value, int rmw)
{
	unsigned parts = walk_parts(walk, cell), at = 0, i = 0;

	do {
		struct path_event *event;

		add_access(walk, EVENT_WRITE, instruction_at(walk)->write_tags, cell + i);
		event = &walk->event[walk->nr - 1];
		event->value = part_of(walk, value, at);
		event->data = event->value->taint;
		event->pick_data = event->value->pick;
		event->rmw = rmw < 0 ? -1 : rmw + (int)i;
		at += walk->test->cell[cell + i].size;
	} while (++i < parts);
	join_parts(walk, cell, parts);
}
