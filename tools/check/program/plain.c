/* SPDX-License-Identifier: MIT */
/* Plain accesses are no events, but may race. Plain writes to atomic locations are events, too. */
#include "program/bounds.h"
#include "program/events.h"
#include "program/foreign_writes.h"
#include "program/heap.h"
#include "program/locals.h"
#include "program/locations.h"
#include "program/ops.h"
#include "program/outside.h"
#include "program/overlays.h"
#include "program/scenario.h"
#include "program/siblings.h"
#include "program/steps.h"
#include "program/tls.h"

static void touch(uintptr_t address, bool write)
{
	if (__builtin_expect(siblings_watched >> self & 1, 0))
		siblings_touch(address, write);
}

/* Adds a plain write to an atomic location. Its value is known when the write has been done. */
static void plain_event(unsigned location, uintptr_t pc)
{
	struct event *e = recorded();

	location_touched(location);
	if (!e)
		e = add_write(location, 0, O_PLAIN, 0, pc);
	else if (e->kind != E_WRITE || e->location != location)
		give_up("the program does not repeat itself: another plain write than before");
	memory_write(e);
	executed(e);
	threads[self].unsettled++;
}

void settle_writes(void)
{
	struct thread *t = &threads[self];

	for (; t->unsettled; t->unsettled--) {
		struct event *e = &graph->event[graph->event_of[self][t->done - t->unsettled]];

		e->value = value_at(locations[e->location].address, locations[e->location].size);
	}
}

void plain_unseen(unsigned location, uintptr_t pc)
{
	plain_event(location, pc);
	settle();
}

/* Begins anew if atomic accesses of the cell were not noted, because no plain access was known. */
static void is_plain(struct cell *cell)
{
	if (cell->plain)
		return;
	cell->plain = true;
	if (cell->atomic)
		must_restart();
}

static void remember_private(uintptr_t address, bool written)
{
	uint8_t *byte = shadow_of(address);

	if (byte && (!memory_in_arena(address) || heap_cell_is_plain(address)) &&
	    !locals_are_watched(address))
		*byte = (uint8_t)(OWNED_BY(self) | (written ? SHADOW_WRITTEN : 0));
}

/*
 * Notes an access while callers_find() runs the execution again: perhaps its callers are asked for.
 * @cell may be NULL: the table has none, so no thread has accessed it.
 */
static void note_step(const struct cell *cell, uintptr_t address, unsigned size,
		      enum step_kind kind, uintptr_t pc)
{
	callers_watch(pc, access_key(self, threads[self].done + 1, address));
	steps_note((struct step) {
		.pc = pc, .address = address, .size = (uint8_t)size, .kind = (uint8_t)kind,
		.shared = cell && cell->owner == SHARED,
	});
}

static void plain_cell(struct cell *cell, uintptr_t address, unsigned size, bool write,
		       uintptr_t pc)
{
	struct record new = {
		.pc = pc, .clock = (uint16_t)(threads[self].done + 1), .thread = (uint8_t)self,
		.mask = mask_of(address % 8, size), .kind = write ? R_WRITE : 0,
	};

	if (__builtin_expect(callers_wanted, 0))
		note_step(cell, address, size, write ? STEP_WRITE : STEP_READ, pc);
	if (is_private(cell)) {
		cell->plain = true;
		remember_private(address, write && !cell->atomic);
	} else {
		is_plain(cell);
		note_access(cell, new, clock_now());
		if (!write && size == 8) {
			not_tls(value_at(address, 8), 8);
			siblings_may_meet(value_at(address, 8), 8);
		}
	}
	if (!write)
		return;
	cell->written = true;
	if (!cell->atomic)
		return;
	if (cell->overlaid) {
		for (unsigned l = 0; (l = overlay_written(cell, l, new.mask)); )
			plain_event(l - 1, pc);
		return;
	}
	for (unsigned i = address % 8; i < address % 8 + size; i++)
		if (cell->location[i] &&
		    (i == address % 8 || cell->location[i] != cell->location[i - 1]))
			plain_event(cell->location[i] - 1u, pc);
}

static void plain_cells(uintptr_t address, uintptr_t end, bool write, uintptr_t pc)
{
	while (address < end) {
		unsigned part = 8 - (unsigned)(address % 8);

		if (part > end - address)
			part = (unsigned)(end - address);
		plain_cell(cell_at(address / 8), address, part, write, pc);
		address += part;
	}
}

/*
 * Called before an access is noted. The compiler reports all that a statement accesses before the
 * statement does it, of a structure that is copied first the write and then the read. So a read
 * leaves writes open.
 */
static void settle_before(bool write)
{
	if (!write)
		return;
	settle();
	if (__builtin_expect(callers_wanted, 0))
		steps_settle();
}

/* Notes the effects of a write on everything except the cells. */
static void wrote(uintptr_t address, size_t size)
{
	if (!is_on_own_stack(address))
		wrote_elsewhere(address, size);
	foreign_write(address, size);
	locals_wrote(address, size);
	if (memory_in_arena(address))
		heap_written(address, size);
}

/* @for_value: a byte of the range must have been written. */
static void access_range(uintptr_t address, size_t size, bool write, bool for_value, uintptr_t pc)
{
	if (!size)
		return;
	touch(address, write);
	if (is_tls(address)) {
		writes_elsewhere += write;
		saw_access = true;
		return;
	}
	if (self == MAX_THREADS) {
		if (is_outside())
			check_bounds(address, size, pc);
		return;
	}
	saw_access = true;
	settle_before(write);
	check_bounds(address, size, pc);
	if (write)
		wrote(address, size);
	else if (for_value && memory_in_arena(address))
		heap_check_written(address, size, pc);
	else if (for_value && memory_is_stack(address))
		locals_check(address, size, pc);
	plain_cells(address, address + size, write, pc);
}

void plain_range(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
	access_range(address, size, write, false, pc);
}

/*
 * Whether the access lies within one cell. If it does, and an equal access was checked before, it
 * is not checked again. On stacks each access is checked, because frames come and go.
 */
static bool in_one_cell(uintptr_t address, size_t size)
{
	return self != MAX_THREADS && address % 8 + size <= 8 && !is_tls(address) &&
	       !memory_is_stack(address);
}

void plain_access_slowly(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
	bool one = in_one_cell(address, size);
	struct cell *cell = one ? cell_at(address / 8) : NULL;
	uint8_t mask = one ? mask_of(address % 8, (unsigned)size) : 0;

	if (one && is_fine(cell, mask)) {
		touch(address, write);
		settle_before(write);
		if (write)
			wrote(address, size);
		plain_cell(cell, address, (unsigned)size, write, pc);
	} else {
		access_range(address, size, write, true, pc);
		if (one)
			now_fine(cell, mask, heap_is_lasting(address));
	}
	leave_checker();
}

void plain_copy(void *to, const void *from, size_t size, uintptr_t pc)
{
	uintptr_t source = (uintptr_t)from, target = (uintptr_t)to;
	size_t begin, end;

	plain_range(source, size, false, pc);
	if (!memory_in_arena(source) || !memory_in_arena(target) || self == MAX_THREADS) {
		plain_range(target, size, true, pc);
		return;
	}
	for (begin = 0; begin < size; begin = end) {
		bool is = heap_is_written(source + begin);

		for (end = begin + 1; end < size && heap_is_written(source + end) == is; end++)
			;
		if (is)
			plain_range(target + begin, end - begin, true, pc);
	}
	if (size)
		check_bounds(target, size, pc);
}

static void free_cell(uintptr_t address, uintptr_t pc)
{
	struct cell *cell = cell_at(address / 8);
	struct record new = {
		.pc = pc, .clock = (uint16_t)(threads[self].done + 1),
		.thread = (uint8_t)self, .mask = 0xff, .kind = R_WRITE | R_FREE,
	};

	shadow_forget(address);
	cell->fine_in = cell->lasting = 0;
	if (!is_private(cell)) {
		is_plain(cell);
		note_access(cell, new, clock_now());
	}
}

static void note_free_steps(uintptr_t begin, uintptr_t end, uintptr_t pc)
{
	for (uintptr_t address = begin; address < end; address += 8) {
		bool found = heap_cell_from(address, address + 8) == address;

		note_step(found ? cell_at(address / 8) : NULL, address, 8, STEP_FREE, pc);
	}
}

/*
 * Counts as a write to the whole range, but writes nothing. A cell that was never accessed needs no
 * note: an access after this finds that the object is freed or, if the object has been allocated
 * again, that the thread does not know of that.
 */
void plain_free(uintptr_t begin, size_t size, uintptr_t pc)
{
	uintptr_t end = begin + size, address = begin;

	if (self == MAX_THREADS)
		return;
	touch(begin, true);
	settle();
	if (__builtin_expect(callers_wanted, 0))
		note_free_steps(begin, end, pc);
	while ((address = heap_cell_from(address, end)) < end) {
		free_cell(address, pc);
		address += 8;
	}
}
