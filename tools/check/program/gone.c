/* SPDX-License-Identifier: MIT */
#include "program/fault.h"
#include "program/gone.h"
#include "program/memory.h"
#include "program/ops.h"

#define MAX_VISITS 512

/* The last visit of each visitor to each place. */
static struct visit {
	uintptr_t address, pc;
	/* covered by vectors that count at least this event of the visitor */
	uint16_t clock;
	uint8_t visitor;
} visits[MAX_VISITS];
unsigned nr_visits;

static _Noreturn void is_gone(uintptr_t address, unsigned visitor, uintptr_t pc)
{
	settle();
	fault_at(pc, 0, "a stack frame that is gone: %s uses a variable of %s, "
		 "which has left its function", thread_name(visitor),
		 thread_name(memory_thread(address)));
}

void visit_stack(uintptr_t address, uintptr_t pc)
{
	const struct thread *owner = &threads[memory_thread(address)];
	struct visit *visit = visits;

	if (owner->state == T_ABSENT || owner->state == T_ENDED || address < owner->frames)
		is_gone(address, self, pc);
	while (visit < visits + nr_visits && (visit->address != address || visit->visitor != self))
		visit++;
	if (visit == visits + MAX_VISITS)
		give_up("the bound on uses of other threads' stacks");
	if (visit == visits + nr_visits)
		nr_visits++;
	*visit = (struct visit){ address, pc, (uint16_t)(threads[self].done + 1), (uint8_t)self };
}

void leave_frames_below(uintptr_t sp)
{
	for (unsigned i = 0; i < nr_visits; i++) {
		const struct visit *visit = &visits[i];

		if (visit->address >= sp || memory_thread(visit->address) != self)
			continue;
		if (vector_get(clock_now(), visit->visitor) < visit->clock)
			is_gone(visit->address, visit->visitor, visit->pc);
		visits[i--] = visits[--nr_visits];
	}
}
