/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unwind.h>

#include "program/callers.h"
#include "program/fault.h"
#include "program/memory.h"
#include "program/steps.h"
#include "program/threads.h"

bool callers_wanted, callers_walk;
static struct callers of_event[MAX_EVENTS];

struct walk {
	struct callers *out;
	unsigned nr;
};

static _Unwind_Reason_Code next_caller(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	uintptr_t pc = _Unwind_GetIP(context), sp = _Unwind_GetCFA(context);

	if (memory_is_stack(sp) && sp >= memory_stack(memory_thread(sp)) - 2 * sizeof(uintptr_t))
		return _URC_END_OF_STACK;
	if (memory_is_code(pc))
		walk->out->pc[walk->nr++] = pc;
	return walk->nr < MAX_CALLERS ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void callers_now(struct callers *out)
{
	struct walk walk = { .out = out };

	memset(out, 0, sizeof(*out));
	callers_walk = true;
	_Unwind_Backtrace(next_caller, &walk);
	callers_walk = false;
}

void callers_watch(uintptr_t pc, uintptr_t key)
{
	if (pc == fault.other_pc && key == fault.other_key)
		callers_now(&fault.other_callers);
}

void callers_note(unsigned event, uintptr_t pc, uintptr_t key)
{
	steps_settle();
	callers_now(&of_event[event]);
	callers_watch(pc, key);
}

const struct callers *callers_of(unsigned event)
{
	return &of_event[event];
}

void callers_find(void)
{
	static struct thread kept[MAX_THREADS];
	const struct result found = result;
	struct fault at = fault;
	unsigned nr = nr_threads;

	memcpy(kept, threads, sizeof(kept));
	memset(of_event, 0, sizeof(of_event));
	memset(&fault.other_callers, 0, sizeof(fault.other_callers));
	steps_clear();
	callers_wanted = true;
	run_recorded();
	callers_wanted = false;
	steps_settle();
	at.other_callers = fault.other_callers;
	fault = at;
	result = found;
	memcpy(threads, kept, sizeof(kept));
	nr_threads = nr;
}
