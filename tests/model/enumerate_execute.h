/* SPDX-License-Identifier: MIT */
/*
 * Candidate executions of a litmus program, first half: each read has been given a write (or the
 * initial one) to read from; what the program does then.
 */
#ifndef NAP_TESTS_MODEL_ENUMERATE_EXECUTE_H
#define NAP_TESTS_MODEL_ENUMERATE_EXECUTE_H

#include "enumerate_models.h"
#include "litmus_ops.h"

#define STEPS (LITMUS_THREADS * LITMUS_OPS)
#define INITIAL (-1)

enum known { UNKNOWN, NO, YES };

/* An operation of the program, and what became of it under the current choice. */
struct step {
	const struct litmus_op *op;
	int thread;
	int source;			/* of a read: the step that wrote, or INITIAL */
	enum known done, wrote;
	int read_value, written_value;
	int read, write;		/* its events */
};

struct candidate {
	const struct litmus_program *program;
	int steps;
	struct step step[STEPS];
	int registers[LITMUS_REGISTERS];
	struct graph graph;
	int events;
	int event_thread[EVENTS], event_location[EVENTS];
	int initial[LITMUS_LOCATIONS];	/* its initial write, by location */
	int last[LITMUS_LOCATIONS];	/* the value last in co */
	void (*judge)(struct candidate *candidate);
};

static bool op_reads(const struct litmus_op *op)
{
	return op->kind != LITMUS_STORE && op->kind <= LITMUS_CAS;
}

static bool op_may_write(const struct litmus_op *op)
{
	return op->kind != LITMUS_LOAD && op->kind <= LITMUS_CAS;
}

static int value_of(const struct candidate *c, struct litmus_value value)
{
	return value.is_register ? c->registers[value.number] : value.number;
}

static void step_write(struct step *step, int value)
{
	step->wrote = YES;
	step->written_value = value;
}

static void step_execute(struct candidate *c, struct step *step)
{
	const struct litmus_op *op = step->op;
	int value = value_of(c, op->value);

	step->done = YES;
	step->wrote = NO;
	switch (op->kind) {
	case LITMUS_STORE:
	case LITMUS_EXCHANGE:
		step_write(step, value);
		break;
	case LITMUS_ADD:
		step_write(step, step->read_value + value);
		break;
	case LITMUS_CAS:
		if (step->read_value == value_of(c, op->expected))
			step_write(step, value);
		break;
	default:
		break;
	}
	if (op_reads(op))
		c->registers[op->result] = step->read_value;
}

/* Takes the value from the source, if there is one yet. */
static bool step_reads(struct candidate *c, struct step *step)
{
	step->read_value = 0;
	if (!op_reads(step->op) || step->source == INITIAL)
		return true;
	step->read_value = c->step[step->source].written_value;
	return c->step[step->source].wrote != UNKNOWN;
}

/* Runs a thread as far as the values that it reads are known; whether some step became known. */
static bool thread_execute(struct candidate *c, int thread)
{
	bool stopped = false, progress = false;

	for (struct step *step = c->step; step < c->step + c->steps; step++) {
		if (step->thread != thread)
			continue;
		if (step->done == UNKNOWN && stopped) {
			step->done = step->wrote = NO;
			progress = true;
		} else if (step->done == UNKNOWN) {
			if (!step_reads(c, step))
				return progress;
			step_execute(c, step);
			progress = true;
		}
		if (step->op->kind == LITMUS_ONLY_IF &&
		    value_of(c, step->op->expected) != value_of(c, step->op->value))
			stopped = true;
	}
	return progress;
}

/*
 * Two read-modify-writes that read the same write: whatever co is, one of them is not atomic. No
 * model has such an execution; leaving them out here saves nearly all of the time.
 */
static bool rmws_collide(const struct candidate *c)
{
	for (int i = 0; i < c->steps; i++) {
		const struct step *a = &c->step[i];

		for (int j = 0; j < i; j++) {
			const struct step *b = &c->step[j];

			if (op_reads(a->op) && op_reads(b->op) && a->wrote == YES &&
			    b->wrote == YES && a->source == b->source &&
			    a->op->location == b->op->location)
				return true;
		}
	}
	return false;
}

/*
 * Finds the values. Not possible when a read's value depends on itself by po and rf: all three
 * models forbid that. A read that does not happen has a choice as well: only the first one counts.
 */
static bool candidate_execute(struct candidate *c)
{
	bool progress = true;

	memset(c->registers, 0, sizeof(c->registers));
	for (int i = 0; i < c->steps; i++)
		c->step[i].done = c->step[i].wrote = UNKNOWN;
	while (progress) {
		progress = false;
		for (int thread = 0; thread < c->program->threads; thread++)
			progress |= thread_execute(c, thread);
	}
	for (int i = 0; i < c->steps; i++) {
		const struct step *step = &c->step[i];

		if (step->done == UNKNOWN)
			return false;
		if (op_reads(step->op) && step->source != INITIAL &&
		    (step->done == NO || c->step[step->source].wrote == NO))
			return false;
	}
	return !rmws_collide(c);
}

#endif /* NAP_TESTS_MODEL_ENUMERATE_EXECUTE_H */
