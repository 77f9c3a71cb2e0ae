/* SPDX-License-Identifier: MIT */
#include "program/cells.h"
#include "program/steps.h"

struct step steps[MAX_STEPS];
unsigned first_step, nr_steps;

static unsigned nr_settled;	/* the writes behind these were about to happen */

void steps_clear(void)
{
	first_step = nr_steps = nr_settled = 0;
}

void steps_settle(void)
{
	if (nr_settled < first_step)
		nr_settled = first_step;
	for (; nr_settled < nr_steps; nr_settled++) {
		struct step *step = &steps[nr_settled % MAX_STEPS];

		if (step->kind == STEP_WRITE)
			step->value = value_at(step->address, step->size);
	}
}

void steps_note(struct step step)
{
	struct step *new = &steps[nr_steps++ % MAX_STEPS];

	if (nr_steps - first_step > MAX_STEPS)
		first_step++;
	*new = step;
	new->thread = (uint8_t)self;
	new->after = (uint16_t)threads[self].done;
	if (step.kind == STEP_READ)
		new->value = value_at(step.address, step.size);
}
