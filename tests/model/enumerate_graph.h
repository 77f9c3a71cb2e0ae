/* SPDX-License-Identifier: MIT */
/*
 * Candidate executions of a litmus program, second half: the graph of what it did, with every
 * order of the writes of each location. No other idea than to try them all.
 */
#ifndef NAP_TESTS_MODEL_ENUMERATE_GRAPH_H
#define NAP_TESTS_MODEL_ENUMERATE_GRAPH_H

#include "enumerate_execute.h"

static int event_add(struct candidate *c, int thread, int location, event_set *kind)
{
	int event = c->events++;

	if (event == EVENTS)
		abort();
	c->event_thread[event] = thread;
	c->event_location[event] = location;
	*kind |= (event_set)1 << event;
	return event;
}

static void event_order(struct graph *g, int event, int order)
{
	event_set bit = (event_set)1 << event;
	bool acquires = order == LITMUS_ACQ || order == LITMUS_AR || order == LITMUS_SC;
	bool releases = order == LITMUS_REL || order == LITMUS_AR || order == LITMUS_SC;

	if (acquires && !(g->writes & bit))
		g->acquire |= bit;
	if (releases && !(g->reads & bit))
		g->release |= bit;
	if (order == LITMUS_SC)
		g->sc |= bit;
}

static void step_fence(struct candidate *c, const struct step *step)
{
	struct graph *g = &c->graph;
	int event = event_add(c, step->thread, -1, &g->fences);

	if (step->op->kind == LITMUS_SIGNAL) {
		g->light |= (event_set)1 << event;
		return;
	}
	if (step->op->kind == LITMUS_MEMBARRIER)
		g->heavy |= (event_set)1 << event;
	event_order(g, event, step->op->kind == LITMUS_MEMBARRIER ? LITMUS_SC : step->op->order);
}

static void step_access(struct candidate *c, struct step *step)
{
	const struct litmus_op *op = step->op;
	bool failed = op->kind == LITMUS_CAS && step->wrote == NO;
	int order = failed ? op->failure : op->order;
	struct graph *g = &c->graph;
	event_set mine;

	if (op_reads(op)) {
		step->read = event_add(c, step->thread, op->location, &g->reads);
		event_order(g, step->read, order);
	}
	if (step->wrote == YES) {
		step->write = event_add(c, step->thread, op->location, &g->writes);
		event_order(g, step->write, order);
	}
	mine = (op_reads(op) ? (event_set)1 << step->read : 0) |
		(step->wrote == YES ? (event_set)1 << step->write : 0);
	if (op->kind > LITMUS_STORE || (op->kind == LITMUS_STORE && order == LITMUS_SC))
		g->locked |= mine;
	if (op_reads(op) && step->wrote == YES)
		g->rmw.row[step->read] |= (event_set)1 << step->write;
}

/* po, loc and external follow from the events' numbers, threads and locations. */
static void graph_relate(struct candidate *c)
{
	for (int a = 0; a < c->events; a++) {
		for (int b = 0; b < c->events; b++) {
			bool same = c->event_thread[a] == c->event_thread[b];

			if (c->event_location[a] >= 0 &&
			    c->event_location[a] == c->event_location[b])
				c->graph.loc.row[a] |= (event_set)1 << b;
			if (!same)
				c->graph.external.row[a] |= (event_set)1 << b;
			if (same ? c->event_thread[a] >= 0 && a < b : c->event_thread[a] < 0)
				c->graph.po.row[a] |= (event_set)1 << b;
		}
	}
}

static void graph_build(struct candidate *c)
{
	c->graph = (struct graph){ 0 };
	c->events = 0;
	for (int location = 0; location < LITMUS_LOCATIONS; location++)
		c->initial[location] = event_add(c, -1, location, &c->graph.writes);
	for (struct step *step = c->step; step < c->step + c->steps; step++) {
		if (step->done == NO || step->op->kind == LITMUS_ONLY_IF)
			continue;
		if (step->op->kind <= LITMUS_CAS)
			step_access(c, step);
		else
			step_fence(c, step);
	}
	for (struct step *step = c->step; step < c->step + c->steps; step++) {
		if (step->done == YES && op_reads(step->op)) {
			int from = step->source == INITIAL ? c->initial[step->op->location] :
				c->step[step->source].write;

			c->graph.rf.row[from] |= (event_set)1 << step->read;
		}
	}
	graph_relate(c);
}

/* Every order of the writes of @location from its initial one on, then those of the next. */
static void graph_orders(struct candidate *c, int location, event_set placed)
{
	bool complete = true;

	if (location == LITMUS_LOCATIONS) {
		c->judge(c);
		return;
	}
	for (struct step *step = c->step; step < c->step + c->steps; step++) {
		event_set bit = (event_set)1 << step->write;
		int value = c->last[location];

		if (step->wrote != YES || step->op->location != location || placed & bit)
			continue;
		complete = false;
		for (event_set left = placed; left; left &= left - 1)
			c->graph.co.row[__builtin_ctz(left)] |= bit;
		c->last[location] = step->written_value;
		graph_orders(c, location, placed | bit);
		c->last[location] = value;
		for (event_set left = placed; left; left &= left - 1)
			c->graph.co.row[__builtin_ctz(left)] &= ~bit;
	}
	if (complete)
		graph_orders(c, location + 1, (event_set)1 << (location + 1));
}

#endif /* NAP_TESTS_MODEL_ENUMERATE_GRAPH_H */
