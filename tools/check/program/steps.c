/* SPDX-License-Identifier: MIT */
#include "program/cells.h"
#include "program/steps.h"

struct step steps[MAX_STEPS];
unsigned first_step, nr_steps;

static struct step *unsettled;	/* a write that was about to happen */

void steps_clear(void)
{
	first_step = nr_steps = 0;
	unsettled = NULL;
}

void steps_settle(void)
{
	if (unsettled)
		unsettled->value = value_at(unsettled->address, unsettled->size);
	unsettled = NULL;
}

void steps_note(struct step step)
{
	struct step *new = &steps[nr_steps++ % MAX_STEPS];

	steps_settle();
	if (nr_steps - first_step > MAX_STEPS)
		first_step++;
	*new = step;
	new->thread = (uint8_t)self;
	new->after = (uint16_t)threads[self].done;
	if (step.kind == STEP_READ)
		new->value = value_at(step.address, step.size);
	else if (step.kind == STEP_WRITE)
		unsettled = new;
}
