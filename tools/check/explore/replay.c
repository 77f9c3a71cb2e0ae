/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/alternatives.h"
#include "explore/replay.h"
#include "graph/fatal.h"

static struct line {
	unsigned thread;
	char kind;
	unsigned long a, b;
} lines[MAX_EVENTS];
static unsigned nr_lines, last_thread;

/* ---- loading */

static _Noreturn void bad_file(const char *file, unsigned line)
{
	fprintf(stderr, "%s:%u: not a counterexample of nap-check\n", file, line);
	leave(2);
}

static bool parse(char *text, struct line *line)
{
	int n = sscanf(text, "%u %c %lu %lu", &line->thread, &line->kind, &line->a, &line->b);

	if (n < 2 || line->thread >= MAX_THREADS)
		return false;
	switch (line->kind) {
	case 'r':
	case 'w':
		return n == 4 && line->a < MAX_THREADS && line->b <= MAX_EVENTS;
	case 'c':
		return n == 3;
	default:
		return line->kind == 'e' && n == 2;
	}
}

static void load_lines(FILE *in, const char *file, struct counterexample *of)
{
	unsigned number = 2;
	bool ends = false;
	char text[128];

	for (; !ends && fgets(text, sizeof(text), in); number++) {
		if (number == 2 && sscanf(text, "of %lx", &of->program) == 1)
			continue;
		if (number == 3 && sscanf(text, "may-stop %u", &of->may_stop) == 1)
			continue;
		if (!nr_lines && !strcmp(text, "reuse\n")) {
			of->reuse = true;
			continue;
		}
		if (sscanf(text, "end %u", &last_thread) == 1)
			ends = last_thread < MAX_THREADS;
		else if (nr_lines == MAX_EVENTS || !parse(text, &lines[nr_lines++]))
			bad_file(file, number);
	}
	if (!ends)
		bad_file(file, number);
}

void replay_load(const char *file, struct counterexample *of)
{
	FILE *in = fopen(file, "r");
	char text[128], format[32];

	if (!in) {
		perror(file);
		leave(2);
	}
	*of = (struct counterexample){ 0 };
	snprintf(format, sizeof(format), "nap-check 1 %%%zus", sizeof(of->scenario) - 1);
	if (!fgets(text, sizeof(text), in) || sscanf(text, format, of->scenario) != 1 ||
	    !strrchr(text, ' ') || sscanf(strrchr(text, ' '), "%u", &of->model) != 1 ||
	    !model_of(of->model))
		bad_file(file, 1);
	load_lines(in, file, of);
	fclose(in);
}

/* ---- running: line n - 1 is the next event of the graph */

static const struct line *line_of(const struct event *e)
{
	static const struct line none = { 0, 'r', 0, 0 };
	unsigned n = number_of(graph, e) - 1;

	return n < nr_lines ? &lines[n] : &none;
}

/* Returns the recorded write that the read @e reads, or that the write @e follows in co. */
static unsigned recorded_write(const struct event *e, const uint16_t *candidates, unsigned nr)
{
	const struct line *line = line_of(e);
	unsigned write = 0;

	if (number_of(graph, e) > nr_lines)
		return candidates[0];
	if (line->b && line->b <= graph->count[line->a])
		write = graph->event_of[line->a][line->b - 1];
	for (unsigned i = 0; i < nr; i++)
		if (candidates[i] == write)
			return write;
	fatal("the counterexample is of another program");
}

static void replay_read(struct event *e, const uint16_t *candidates, unsigned nr)
{
	take_read(graph, (struct item){ .event = (uint16_t)number_of(graph, e),
					.to = (uint16_t)recorded_write(e, candidates, nr) });
}

static void replay_write(struct event *e, const uint16_t *candidates, unsigned nr)
{
	take_write(graph, (struct item){ .event = (uint16_t)number_of(graph, e),
					 .to = (uint16_t)recorded_write(e, candidates, nr) });
}

static void replay_choice(struct event *e)
{
	e->value = line_of(e)->kind == 'c' && line_of(e)->a < e->expected ? line_of(e)->a : 0;
}

bool replay_chooses(unsigned thread)
{
	unsigned n = graph->n - 1;

	while (n < nr_lines && lines[n].thread != thread)
		n++;
	return n < nr_lines && lines[n].kind == 'c';
}

static unsigned replay_pick(unsigned current, uint32_t runnable)
{
	unsigned n = graph->n - 1;
	unsigned thread = n < nr_lines ? lines[n].thread : last_thread;

	(void)current;
	if (runnable >> thread & 1)
		return thread;
	if (n < nr_lines)
		fatal("the counterexample is of another program");
	return (unsigned)__builtin_ctz(runnable);
}

static bool replay_next(void)
{
	return false;
}

const struct strategy strategy_replay = {
	.counted = "", .extent = " in this execution",
	.next = replay_next, .pick = replay_pick,
	.read = replay_read, .write = replay_write, .choice = replay_choice,
};
