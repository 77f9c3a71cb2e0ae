/* SPDX-License-Identifier: MIT */
#include "program/references.h"
#include "program/events.h"
#include "program/locations.h"
#include "program/ops.h"
#include "program/stop.h"

static bool shared[KINDS_OF_REFERENCES];	/* in some execution */

void references_shared(enum references kind)
{
	if (shared[kind])
		return;
	shared[kind] = true;
	if (!OUTSIDE)
		must_restart();
}

bool references_are_shared(enum references kind)
{
	return shared[kind];
}

void reference_back(enum references kind, const void *object, uintptr_t pc)
{
	if (OUTSIDE || !shared[kind] || !memory_in_arena((uintptr_t)object))
		return;
	next_operation(pc);
	rmw_events(location_hidden(HIDDEN_REFERENCES, (uintptr_t)object), RMW_ADD, 1, 0, O_ACQ_REL,
		   O_ACQUIRE, 0, pc, executed);
}
