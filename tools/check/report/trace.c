/* SPDX-License-Identifier: MIT */
/* A counterexample as a file: explore/replay.h says what is in it. */
#include <string.h>

#include "program/fault.h"
#include "program/freed.h"
#include "program/memory.h"
#include "program/scenario.h"
#include "program/threads.h"
#include "report/report.h"

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

void trace_save(FILE *out)
{
	static struct saving saving;

	memset(&saving, 0, sizeof(saving));
	saving.out = out;
	fprintf(out, "nap-check 1 %s %u\n", scenario->name, search.model->bit);
	fprintf(out, "of %lx\n", memory_code_sum());
	if (may_stop)
		fprintf(out, "may-stop %u\n", may_stop);
	if (reuse_wanted)
		fputs("reuse\n", out);
	run_event_order(save_event, &saving);
	fprintf(out, "end %u\n", fault.by < MAX_THREADS ? fault.by : saving.last);
}

