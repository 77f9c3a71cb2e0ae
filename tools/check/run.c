/* SPDX-License-Identifier: MIT */
/*
 * Running a graph: the program is run anew from its beginning, its threads as coroutines.
 *
 * First every thread executes the events that the graph has of it; what they read comes from the
 * graph. A thread waits until what it is to read has been written, so the order is one of porf, and
 * plain memory, which is the program's own, holds what it should. Then threads add events, the one
 * first that explore.c picks.
 */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "check.h"

struct thread threads[MAX_THREADS];
unsigned self = MAX_THREADS;
bool restart;
struct fault fault;

static void *scheduler_sp;
static bool extending, aborted;
static bool half_done_elsewhere;	/* a thread is to write what it has read to change */
static uint32_t run_number, executed_in[MAX_EVENTS];
static uint16_t order[MAX_EVENTS];
static unsigned nr_order;

/* arch/<isa>/context.S: save the callee's registers and *@save = sp; go on with @sp. */
void nap__context_switch(void **save, void *sp);

static void switch_out(void)
{
	unsigned number = self;

	self = MAX_THREADS;
	shadow_mine = OWNED_BY_NOBODY;
	nap__context_switch(&threads[number].sp, scheduler_sp);
}

static void resume(unsigned number)
{
	self = number;
	shadow_mine = (uint8_t)OWNED_BY(number);
	nap__context_switch(&scheduler_sp, threads[number].sp);
}

_Noreturn void abandon(void)
{
	aborted = true;
	if (self == MAX_THREADS)
		fatal("abandoned outside of a thread");
	for (;;)
		switch_out();
}

_Noreturn void give_up(const char *why)
{
	result.outcome = UNDECIDED;
	result.why = why;
	abandon();
}

_Noreturn void too_long(unsigned thread)
{
	(void)thread;
	give_up("the bound on an execution's length (a loop that spins needs a check_yield())");
}

_Noreturn void thread_stops(int state)
{
	threads[self].state = state;
	for (;;)
		switch_out();
}

void thread_waits(unsigned location, bool timed, uintptr_t pc)
{
	threads[self].waits_at = pc;
	threads[self].awaits = location;
	threads[self].timed = timed;
	threads[self].state = T_BLOCKED;
	switch_out();
}

void threads_wake(unsigned location)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (threads[t].state == T_BLOCKED && threads[t].awaits == location)
			threads[t].state = T_READY;
}

void thread_spins(void)
{
	threads[self].state = T_SPINS;
	switch_out();
}

/* Whether one of the reads of a turn that spun would find a newer write now. */
static bool spun_on_old(unsigned number)
{
	for (unsigned i = graph->count[number] - threads[number].nr_spun;
	     i < graph->count[number]; i++) {
		const struct event *e = &graph->event[graph->event_of[number][i]];

		if (e->kind == E_READ && co_next_of(graph, e->rf, e->location))
			return true;
	}
	return false;
}

static uint32_t runnable(void)
{
	uint32_t mask = 0;

	for (unsigned t = 0; t < MAX_THREADS; t++) {
		/* where those who spin go on in the same graph */
		if (threads[t].state == T_SPINS && forward_only() && spun_on_old(t))
			threads[t].state = T_READY;
		mask |= (uint32_t)(threads[t].state == T_READY) << t;
	}
	return mask;
}

/* Without schedules of their own, threads go on until one before them can. */
static bool may_go_on(void)
{
	for (unsigned t = 0; t < self; t++)
		if (threads[t].state == T_READY)
			return false;
	return !half_done_elsewhere;
}

void await_turn(void)
{
	if (extending && !forward_only() ? !may_go_on() :
	    !extending || pick_thread(self, runnable()) != self)
		switch_out();
}

struct event *recorded(void)
{
	struct thread *t = &threads[self];
	struct event *e;

	if (t->done >= graph->count[self])
		return NULL;
	e = &graph->event[graph->event_of[self][t->done]];
	while (e->kind == E_READ && e->rf && executed_in[e->rf] != run_number) {
		if (extending)
			fatal("an event reads what is not there");
		switch_out();
	}
	return e;
}

void executed(struct event *e)
{
	unsigned number = number_of(graph, e);

	threads[self].done++;
	threads[self].last = e;
	executed_in[number] = run_number;
	order[nr_order++] = (uint16_t)number;
}

void run_event_order(void (*visit)(const struct event *e, void *arg), void *arg)
{
	for (unsigned i = 0; i < nr_order; i++)
		visit(&graph->event[order[i]], arg);
}

/* What comes first on a thread's stack. */
static void thread_main(void)
{
	struct thread *t = &threads[self];

	t->run(t->arg);
	settle();
	thread_ended();
	thread_stops(T_ENDED);
}

void thread_start(unsigned number, void (*run)(void *arg), void *arg, const char *name)
{
	struct thread *t = &threads[number];
	void **sp = (void **)memory_stack(number);

	memset(t, 0, sizeof(*t));
	t->run = run;
	t->arg = arg;
	t->name = name;
	t->state = T_READY;
	/* As nap__context_switch() left it: a return address, below it six registers. */
	*--sp = NULL;
	*--sp = (void *)thread_main;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	t->sp = sp;
}

const char *thread_name(unsigned number)
{
	static char names[MAX_THREADS][4];

	if (threads[number].name)
		return threads[number].name;
	snprintf(names[number], sizeof(names[number]), "T%u", number % MAX_THREADS);
	return names[number];
}

/* Whether it cannot go on before others have executed more of their recorded events. */
static bool behind(unsigned number)
{
	return threads[number].state == T_READY && threads[number].done < graph->count[number];
}

static void replay_recorded(void)
{
	bool progress, more;

	do {
		progress = more = false;
		for (unsigned t = 0; t < MAX_THREADS && !aborted; t++) {
			unsigned before = threads[t].done;

			if (!behind(t))
				continue;
			resume(t);
			progress |= threads[t].done != before;
			more |= behind(t);
		}
		for (unsigned t = 0; t < MAX_THREADS; t++)
			more |= behind(t);
	} while (progress && more && !aborted);
	for (unsigned t = 0; t < MAX_THREADS && !aborted; t++)
		if (threads[t].done < graph->count[t])
			fatal("the program does not repeat itself: fewer events than before");
}

static void extend(void)
{
	uint32_t mask;

	extending = true;
	half_done_elsewhere = false;
	while (!aborted && (mask = runnable())) {
		const struct event *last = &graph->event[graph->n - 1];

		half_done_elsewhere = half_done(graph) >= 0;
		resume(pick_thread(graph->n > 1 ? last->thread : MAX_THREADS, mask));
	}
}

/* Whether a thread that stopped waits for what will never come; else the graph is cut short. */
static bool waits_for_ever(unsigned number)
{
	const struct thread *t = &threads[number];

	return t->state == T_BLOCKED ? !t->timed : t->state == T_SPINS && !spun_on_old(number);
}

bool check_waits(unsigned number)
{
	return number < MAX_THREADS && (threads[number].state == T_BLOCKED ||
					threads[number].state == T_SPINS);
}

bool check_ran(unsigned number)
{
	return number < MAX_THREADS && threads[number].state != T_ABSENT;
}

unsigned check_self(void)
{
	return self;
}

static void judge(void)
{
	for (unsigned t = 0; t < MAX_THREADS && !scenario->may_block; t++)
		if (threads[t].state == T_BLOCKED || threads[t].state == T_SPINS) {
			report_stuck(t);
			return;
		}
	if (scenario->finally)
		scenario->finally();
	if (!fault.found && scenario->exists && scenario->exists())
		result.witnessed++;
}

/* Whether every thread has come as far as it ever will. */
static bool is_complete(void)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (threads[t].state > T_READY && threads[t].state != T_ENDED &&
		    !waits_for_ever(t))
			return false;
	return true;
}

/* The program's own fault. The handler's stack is left for good: the kernel looks at sp only. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	(void)info;
	if (self == MAX_THREADS)
		fatal(strsignal(signal));
	fault_at((uintptr_t)c->uc_mcontext.gregs[REG_RIP] + 1, 0, "signal: %s",
		 strsignal(signal));
}

void catch_signals(void)
{
	static char stack[65536];
	stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};

	sigaltstack(&alternative, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
}

bool run_graph(void)
{
	memory_reset();
	locations_begin();
	run_number++;
	nr_order = 0;
	fault.found = aborted = extending = false;
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		const struct check_thread *thread = &scenario->threads[t];

		threads[t].state = T_ABSENT;
		threads[t].done = threads[t].unsettled = 0;
		if (thread->run)
			thread_start(t, thread->run, thread->arg, thread->name);
	}
	replay_recorded();
	if (!aborted)
		extend();
	self = MAX_THREADS;
	if (aborted || !is_complete())
		return false;
	judge();
	return true;
}
