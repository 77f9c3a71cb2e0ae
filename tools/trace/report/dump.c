/* SPDX-License-Identifier: MIT */
#include "report/report.h"

const char *event_name(unsigned kind)
{
	static const char *const names[NAP_TRACE_KINDS] = {
		[NAP_TRACE_SCHEDULE] = "schedule", [NAP_TRACE_BEGIN] = "begin",
		[NAP_TRACE_END] = "end", [NAP_TRACE_JOB_BEGIN] = "job begin",
		[NAP_TRACE_JOB_END] = "job end", [NAP_TRACE_START] = "start",
		[NAP_TRACE_RETIRE] = "retire", [NAP_TRACE_PARK] = "park",
		[NAP_TRACE_UNPARK] = "unpark", [NAP_TRACE_WAKE] = "wake",
		[NAP_TRACE_STEAL] = "steal", [NAP_TRACE_OVERFLOW] = "overflow",
		[NAP_TRACE_FORK_PUBLISH] = "publish", [NAP_TRACE_JOIN_BEGIN] = "join begin",
		[NAP_TRACE_JOIN_END] = "join end", [NAP_TRACE_RANGE] = "range",
		[NAP_TRACE_WAIT_BEGIN] = "wait begin", [NAP_TRACE_WAIT_END] = "wait end",
		[NAP_TRACE_PUSH] = "push", [NAP_TRACE_POP] = "pop", [NAP_TRACE_CANCEL] = "cancel",
		[NAP_TRACE_CLASS_TAKE] = "class take", [NAP_TRACE_CLASS_GIVE] = "class give",
		[NAP_TRACE_BLOCK_BEGIN] = "block begin", [NAP_TRACE_BLOCK_END] = "block end",
		[NAP_TRACE_FIBER_SPAWN] = "fiber spawn", [NAP_TRACE_FIBER_RESUME] = "fiber resume",
		[NAP_TRACE_FIBER_SUSPEND] = "fiber suspend", [NAP_TRACE_FIBER_END] = "fiber end",
		[NAP_TRACE_SEND] = "send", [NAP_TRACE_RECEIVE] = "receive",
		[NAP_TRACE_TIMER] = "timer", [NAP_TRACE_FILE] = "file",
	};

	return kind < NAP_TRACE_KINDS && names[kind] ? names[kind] : NULL;
}

bool event_has_function(unsigned kind)
{
	switch (kind) {
	case NAP_TRACE_SCHEDULE:
	case NAP_TRACE_BEGIN:
	case NAP_TRACE_END:
	case NAP_TRACE_JOB_BEGIN:
	case NAP_TRACE_JOB_END:
	case NAP_TRACE_JOIN_BEGIN:
	case NAP_TRACE_JOIN_END:
	case NAP_TRACE_FIBER_SPAWN:
	case NAP_TRACE_FIBER_RESUME:
	case NAP_TRACE_FIBER_END:
		return true;
	}
	return false;
}

/* A bit of an event's flags, of an UNPARK's reasons, or of a file's readiness. */
struct bit {
	uint64_t bit;
	const char *name;
};

static const struct bit *flags_of(unsigned kind)
{
	static const struct bit schedule[] = { { NAP_TRACE_INJECTED, "injected" },
					       { NAP_TRACE_CLASSED, "in a class" },
					       { NAP_TRACE_IN_ORDER, "in order" },
					       { NAP_TRACE_AT_ONCE, "at once" }, { 0 } };
	static const struct bit task[] = { { NAP_TRACE_IN_ORDER, "in order" },
					   { NAP_TRACE_INNER, "inside a task of nap's" }, { 0 } };
	static const struct bit park[] = { { NAP_TRACE_SPUN, "spins" },
					   { NAP_TRACE_POLLS, "polls" },
					   { NAP_TRACE_DOZES, "dozes" }, { 0 } };
	static const struct bit retire[] = { { 1, "the pool has ended" }, { 0 } };
	static const struct bit steal[] = { { 1, "from its overflow" }, { 0 } };
	static const struct bit cancel[] = { { 1, "its deadline has passed" }, { 0 } };
	static const struct bit resume[] = { { 1, "begins" }, { 0 } };
	static const struct bit none[] = { { 0 } };

	switch (kind) {
	case NAP_TRACE_SCHEDULE:	return schedule;
	case NAP_TRACE_BEGIN:
	case NAP_TRACE_END:		return task;
	case NAP_TRACE_PARK:		return park;
	case NAP_TRACE_RETIRE:		return retire;
	case NAP_TRACE_STEAL:		return steal;
	case NAP_TRACE_CANCEL:		return cancel;
	case NAP_TRACE_FIBER_RESUME:	return resume;
	}
	return none;
}

/* Prints the names of the bits that are set, and what is left of them as a number. */
static void say_bits(FILE *to, const char *before, uint64_t bits, const struct bit *names)
{
	for (; names->bit; names++)
		if (bits & names->bit) {
			fprintf(to, "%s%s", before, names->name);
			before = ", ";
			bits &= ~names->bit;
		}
	if (bits)
		fprintf(to, "%s0x%llx", before, (unsigned long long)bits);
}

static void say_why(FILE *to, const struct nap_trace_event *at)
{
	static const struct bit reasons[] = { { 2, "work" }, { 4, "a wait is over" },
					      { 8, "the pool's state has changed" },
					      { 16, "the pool has ended" }, { 32, "a message" },
					      { 64, "called back" }, { 128, "timers" }, { 0 } };

	say_bits(to, " ", at->a, reasons);
	if (at->b)
		fprintf(to, "%sa file is ready", at->a ? ", " : " ");
	else if (!at->a)
		fprintf(to, " its time is over");
}

/* Prints @a and @b; of a SUSPEND the flags, too, because they say what @b is. */
static void say_values(FILE *to, const struct trace *trace, const struct nap_trace_event *at)
{
	/* the bits of epoll(7), which are the same on each machine */
	static const struct bit ready[] = { { 1, "readable" }, { 2, "urgent" }, { 4, "writable" },
					    { 8, "error" }, { 0x10, "hung up" },
					    { 0x2000, "closed by the peer" }, { 0 } };
	unsigned long long a = at->a, b = at->b;
	char text[TIME_TEXT];

	switch (at->kind) {
	case NAP_TRACE_UNPARK:
		say_why(to, at);
		return;
	case NAP_TRACE_FILE:
		fprintf(to, " %llu", a);
		say_bits(to, " ", b, ready);
		return;
	case NAP_TRACE_TIMER:
		fprintf(to, " 0x%llx %s late", a, time_text((int64_t)b, text));
		return;
	case NAP_TRACE_FIBER_SUSPEND:
		fprintf(to, " 0x%llx waits for %s", a, wait_name(at->flags));
		if (b)
			fprintf(to, at->flags == NAP_TRACE_ON_FILE ? ", %llu" : ", 0x%llx", b);
		return;
	}
	fprintf(to, " 0x%llx", a);
	if (event_has_function(at->kind))
		fprintf(to, " %s", function_name(trace, names_find(&trace->names, at->b)));
	else
		fprintf(to, " 0x%llx", b);
}

/*
 * Prints the next begin or end of a pause, if that is before @now. @nr have been printed already.
 */
static bool say_pause(FILE *to, const struct trace *trace, size_t nr, int64_t now)
{
	const struct pause *pause = &trace->pause[nr / 2];
	int64_t ns;

	if (nr / 2 >= trace->nr_pauses)
		return false;
	ns = nr % 2 ? pause->end : pause->begin;
	if (ns > now || (nr % 2 && ns == trace->end))
		return false;
	fprintf(to, "%14.3f us  %s\n", (double)ns / 1000,
		nr % 2 ? "THE TRACE GOES ON" : "THE TRACE PAUSES");
	return true;
}

void report_dump(FILE *to, const struct trace *trace)
{
	size_t pauses = 0;

	for (size_t i = 0; i < trace->nr_events; i++) {
		const struct event *event = &trace->event[i];
		const char *name = event_name(event->at.kind);
		char lane[LANE_NAME];

		while (say_pause(to, trace, pauses, event->ns))
			pauses++;
		fprintf(to, "%14.3f us  %-12s ", (double)event->ns / 1000,
			lane_name(trace, &trace->lane[event->lane], lane));
		if (name)
			fprintf(to, "%-14s", name);
		else
			fprintf(to, "kind %-9u", event->at.kind);
		say_values(to, trace, &event->at);
		if (event->at.other < NAP_TRACE_NOBODY)
			fprintf(to, " other %u", event->at.other);
		if (event->at.kind != NAP_TRACE_FIBER_SUSPEND)
			say_bits(to, " ", event->at.flags, flags_of(event->at.kind));
		fputc('\n', to);
	}
	while (say_pause(to, trace, pauses, trace->end))
		pauses++;
}
