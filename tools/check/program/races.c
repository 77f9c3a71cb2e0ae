/* SPDX-License-Identifier: MIT */
/*
 * Data races: two accesses race when one of them writes, one is plain, and neither happens before
 * the other. A cell keeps those accesses of an execution that a later access could still race
 * with.
 */
#include "program/locations.h"
#include "program/names.h"

static const char *kind_name(unsigned kind)
{
	static const char *const names[] = { "read", "write", "atomic read", "atomic write" };

	return kind & R_FREE ? "free" : names[kind & 3];
}

static void race(const struct record *old, const struct record *new, uintptr_t address)
{
	bool freed = (old->kind | new->kind) & R_FREE;
	char what[96];

	describe_address(address, what, sizeof(what));
	fault.other_key = access_key(old->thread, old->clock, address);
	fault.other_by = old->thread;
	fault.other_clock = old->clock;
	race_at(new->pc, old->pc, "%s: %s by %s and %s by %s of %s",
		freed ? "use of freed memory" : "data race",
		kind_name(old->kind), thread_name(old->thread),
		kind_name(new->kind), thread_name(new->thread), what);
}

static bool conflict(const struct record *a, const struct record *b)
{
	return (a->mask & b->mask) && ((a->kind | b->kind) & R_WRITE) &&
	       !(a->kind & b->kind & R_ATOMIC);
}

/* Whether every later access that races with @old also races with @new. */
static bool replaces(const struct record *new, const struct record *old)
{
	return !(old->mask & ~new->mask) && !(old->kind & R_FREE) &&
	       (new->kind & R_WRITE) >= (old->kind & R_WRITE) &&
	       (new->kind & R_ATOMIC) <= (old->kind & R_ATOMIC);
}

/* Whether @last, which was noted last, is the same access, with no event in between. */
static bool is_noted(const struct record *last, const struct record *new)
{
	return last->thread == new->thread && last->clock == new->clock &&
	       last->mask == new->mask && last->kind == new->kind && last->pc == new->pc;
}

void note_access(struct cell *cell, struct record new, const vector *clock)
{
	unsigned kept = 0;

	if (cell->execution != execution) {
		cell->execution = execution;
		cell->nr = 0;
	}
	if (cell->nr && is_noted(&cell->record[cell->nr - 1], &new))
		return;
	if (cell->nr == 1 && cell->record[0].thread == new.thread &&
	    replaces(&new, &cell->record[0])) {
		cell->record[0] = new;
		return;
	}
	for (unsigned i = 0; i < cell->nr; i++) {
		struct record *old = &cell->record[i];
		bool ordered = old->thread == new.thread ||
			       old->clock <= vector_get(clock, old->thread);

		if (!ordered && conflict(old, &new))
			race(old, &new, cell->key * 8 +
			     (unsigned)__builtin_ctz(old->mask & new.mask));
		if (!ordered || !replaces(&new, old))
			cell->record[kept++] = *old;
	}
	if (kept == CELL_RECORDS)
		give_up("too many unordered accesses of one address");
	cell->record[kept++] = new;
	cell->nr = (uint8_t)kept;
}

void race_atomic(const struct event *e, bool write)
{
	const struct location *location = &locations[e->location];
	struct cell *cell = cell_of[e->location];
	struct record new;

	/* Atomic accesses race with plain ones only. */
	if (is_private(cell) || !cell->plain)
		return;
	new = (struct record){
		.pc = e->pc, .clock = e->index, .thread = e->thread,
		.mask = mask_of(location->address % 8, location->size),
		.kind = R_ATOMIC | (write ? R_WRITE : 0),
	};
	note_access(cell, new, &e->clock);
}
