/* SPDX-License-Identifier: MIT */
/*
 * A counterexample as a file, and running it again. One line an event, in the order of execution:
 *
 *	may-stop MASK			threads that might have stopped; the first line, if there is one
 *	THREAD r WRITER INDEX		a read, and which event it reads; 0 0: the initial value
 *	THREAD w WRITER INDEX		a write, and which of those so far it stands behind in co
 *	THREAD c VALUE			a choice
 *	THREAD e			any other
 *	end THREAD			who ran last
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static struct line {
	unsigned thread;
	char kind;
	unsigned long a, b;
} lines[MAX_EVENTS];
static unsigned nr_lines, last_thread;
static bool loaded;

bool replaying(void)
{
	return loaded;
}

/* ---- saving */

struct saving {
	FILE *out;
	bool seen[MAX_EVENTS];
	unsigned last;
};

static void save_ref(struct saving *saving, unsigned write)
{
	const struct event *w = &graph->event[write];

	if (write)
		fprintf(saving->out, " %u %u\n", w->thread, w->index);
	else
		fprintf(saving->out, " 0 0\n");
}

static void save_event(const struct event *e, void *arg)
{
	struct saving *saving = arg;
	unsigned prev = e->co_prev;

	saving->seen[number_of(graph, e)] = true;
	saving->last = e->thread;
	fprintf(saving->out, "%u ", e->thread);
	switch (e->kind) {
	case E_READ:
		fprintf(saving->out, "r");
		save_ref(saving, e->rf);
		break;
	case E_WRITE:
		while (prev && !saving->seen[prev])
			prev = graph->event[prev].co_prev;
		fprintf(saving->out, "w");
		save_ref(saving, prev);
		break;
	case E_CHOICE:
		fprintf(saving->out, "c %lu\n", e->value);
		break;
	default:
		fprintf(saving->out, "e\n");
	}
}

void replay_save(FILE *out)
{
	static struct saving saving;

	memset(&saving, 0, sizeof(saving));
	saving.out = out;
	fprintf(out, "nap-check 1 %s %u\n", scenario->name, options.model);
	if (options.may_stop)
		fprintf(out, "may-stop %u\n", options.may_stop);
	run_event_order(save_event, &saving);
	fprintf(out, "end %u\n", fault.by < MAX_THREADS ? fault.by : saving.last);
}

/* ---- loading */

static _Noreturn void bad_file(const char *file, unsigned line)
{
	fprintf(stderr, "%s:%u: not a counterexample of nap-check\n", file, line);
	exit(2);
}

static bool parse(char *text, struct line *line)
{
	int n = sscanf(text, "%u %c %lu %lu", &line->thread, &line->kind, &line->a, &line->b);

	if (n < 2 || line->thread >= MAX_THREADS)
		return false;
	switch (line->kind) {
	case 'r':
	case 'w':
		return n == 4 && line->a < MAX_THREADS && line->b <= MAX_LENGTH;
	case 'c':
		return n == 3;
	default:
		return line->kind == 'e' && n == 2;
	}
}

void replay_load(const char *file, char *name, size_t size, unsigned *model)
{
	FILE *in = fopen(file, "r");
	char text[128], format[32];
	unsigned number = 1;

	if (!in) {
		perror(file);
		exit(2);
	}
	snprintf(format, sizeof(format), "nap-check 1 %%%zus", size - 1);
	if (!fgets(text, sizeof(text), in) || sscanf(text, format, name) != 1 ||
	    !strrchr(text, ' ') || sscanf(strrchr(text, ' '), "%u", model) != 1 ||
	    (*model != CHECK_SC && *model != CHECK_TSO && *model != CHECK_RC11))
		bad_file(file, number);
	loaded = false;
	options.may_stop_given = true;
	while (!loaded && number++ && fgets(text, sizeof(text), in)) {
		if (number == 2 && sscanf(text, "may-stop %u", &options.may_stop) == 1)
			continue;
		if (sscanf(text, "end %u", &last_thread) == 1)
			loaded = last_thread < MAX_THREADS;
		else if (nr_lines == MAX_EVENTS || !parse(text, &lines[nr_lines++]))
			bad_file(file, number);
	}
	if (!loaded)
		bad_file(file, number);
	fclose(in);
}

/* ---- running: the graph's next event is line n - 1 */

static const struct line *line_of(const struct event *e)
{
	static const struct line none = { 0, 'r', 0, 0 };
	unsigned n = number_of(graph, e) - 1;

	return n < nr_lines ? &lines[n] : &none;
}

/* What a read has read, or a write stands behind. */
unsigned replay_pick(const struct event *e, const uint16_t *candidates, unsigned nr)
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

uint64_t replay_choice(const struct event *e)
{
	return line_of(e)->kind == 'c' && line_of(e)->a < e->expected ? line_of(e)->a : 0;
}

unsigned replay_thread(uint32_t runnable)
{
	unsigned n = graph->n - 1;
	unsigned thread = n < nr_lines ? lines[n].thread : last_thread;

	if (runnable >> thread & 1)
		return thread;
	if (n < nr_lines)
		fatal("the counterexample is of another program");
	return (unsigned)__builtin_ctz(runnable);
}
