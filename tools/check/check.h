/* SPDX-License-Identifier: MIT */
/*
 * The parts of the checker and what they need of each other. An execution's road:
 *
 *	program -> __tsan_* (tsan.c) -> operation (ops.c, plain.c, hidden.c, system.c)
 *	        -> event (events.c, graph.c), race (races.c)
 *	        -> what else it might have read or where else stood (explore.c, revisit.c), if the
 *	           model allows it (coherence.c, axioms.c)
 *	        -> next graph (search.c): run again (run.c)
 */
#ifndef NAP_CHECK_CHECK_H
#define NAP_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <nap/check.h>

#include "graph/graph.h"
#include "program/memory.h"
#include "program/shadow.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* ---- main.c, options.c, verdict.c: a program of scenarios */

struct options {
	unsigned model;			/* the one that is being checked */
	unsigned only_model;		/* instead of the scenarios' own; or 0 */
	unsigned long max_executions, max_seconds, random, seed;
	unsigned preemptions;
	uint32_t may_stop;		/* threads, a bit each: the scenario's, unless given */
	bool may_stop_given;
	bool preemption_bound;		/* @preemptions is one; else partial-order reduction */
	bool exhaustive;		/* whatever the scenarios say */
	bool distinct;			/* count distinct graphs */
	bool sites, pairs, quiet;
	const char *replay, *trace;
};
extern struct options options;

#define NR_MODELS 3
extern const struct model { unsigned model; const char *name; } models[NR_MODELS];

/* Returns the index in @argv of what is no option. */
int parse_options(int argc, char **argv);
_Noreturn void bad_usage(const char *what, const char *arg);

extern const struct check_scenario *scenario;	/* what all of it is about */
void list_scenarios(void);

/* Whether the program has made any access in this scenario: else it was not instrumented. */
extern bool saw_access;

void verdict_print(void);
int verdict_total(void);			/* returns the exit status */
_Noreturn void fatal(const char *what);		/* the checker is wrong */

/* ---- search.c */

enum outcome { FOUND_NOTHING, FOUND_FAULT, UNDECIDED };

struct result {
	enum outcome outcome;
	unsigned long executions, blocked, distinct;
	unsigned long witnessed;	/* executions with the outcome that @exists asks for */
	double seconds;
	const char *why;		/* undecided */
};
extern struct result result;

void explore(void);

/* Begin the search anew: something was learnt of the program that makes what was done void. */
_Noreturn void must_restart(void);

/* distinct.c: whether this graph was not met before; for comparing ways of exploring. */
void distinct_clear(void);
bool distinct_graph(const struct graph *g);

/* ---- explore.c, revisit.c, schedule.c */

/* The graph that is being run. */
extern struct graph *graph;

/* Whether alternatives are taken one at a time as the run goes (not by revisits). */
bool forward_only(void);

/* An event was added; what else it might be is noted. */
void added_read(struct event *e, const uint16_t *candidates, unsigned nr);
void added_write(struct event *e, const uint16_t *candidates, unsigned nr);
void added_choice(struct event *e);

/* A read will not be added, because nothing that it may read is free. */
void dropped_read(const struct event *e, const uint16_t *candidates, unsigned nr);

/* The thread that is to add the next event. */
unsigned pick_thread(unsigned current, uint32_t runnable);

/* Whether the event that is being added begins after a preemption; asked once. */
bool take_preemption(void);

/* A thread in the middle of a read-modify-write, or -1. */
int half_done(const struct graph *g);

/* ---- coherence.c: what a read may read and where a write may stand, as far as hb decides it */

/* The oldest position in co that what @clock counts of @location leaves. */
unsigned coherence_floor(const struct graph *g, unsigned location, const vector *clock);

/* The writes that @e (computed up to its rf) may read, the newest first. Returns how many. */
unsigned read_candidates(struct graph *g, struct event *e, uint16_t *out);

/* The writes that the write @e may be put behind, the newest first. */
unsigned write_candidates(struct graph *g, struct event *e, unsigned floor, uint16_t *out);

/* Whether the kernel's rules let @e read what it reads. */
bool kernel_allows(struct graph *g, const struct event *e);

/* ---- axioms.c: what hb does not decide */

/*
 * Whether the model of options.model allows the graph, coherence taken for granted, and that it did
 * without the events @changed and @also (or 0), nothing of which is followed by others.
 */
bool axioms_hold(struct graph *g, unsigned changed, unsigned also);

/* ---- run.c: threads */

struct thread {
	void *sp;			/* while it does not run */
	unsigned done;			/* events that it has executed in this run */
	const struct event *last;	/* of those */
	unsigned yield_at;		/* done at the last yield */
	unsigned empty_yields;
	unsigned unsettled;		/* of its last events: plain writes of unknown value */
	enum { T_ABSENT, T_READY, T_BLOCKED, T_SPINS, T_PRUNED, T_ENDED, T_STOPPED } state;
	void (*run)(void *arg);
	void *arg;
	const char *name;
	unsigned waits;			/* futex waits begun */
	unsigned nr_spun;		/* events of the turn that changed nothing */
	unsigned fresh;			/* reads to come that take the newest write only */
	unsigned awaits;		/* the location that it is to be woken by */
	bool timed;			/* it waits with a deadline */
	uintptr_t waits_at;
};
extern struct thread threads[MAX_THREADS];
extern unsigned self;			/* the thread that runs, MAX_THREADS outside of them */
extern uint32_t execution;		/* the number of this one, of all scenarios' */

/* Run the graph as far as it goes; true: nothing was cut short and no fault was found. */
bool run_graph(void);

/* The recorded event that the thread is to execute next, when what it reads has been; or NULL. */
struct event *recorded(void);

/* Wait until it is this thread's turn to add an event. */
void await_turn(void);

/* @e, the thread's next, has been executed. */
void executed(struct event *e);

/* Give up: the thread cannot go on in this graph. */
_Noreturn void thread_stops(int state);

/* Sleep until @location has a store; @timed: a deadline would end it. */
void thread_waits(unsigned location, bool timed, uintptr_t pc);
void threads_wake(unsigned location);

/* In forward-only modes: until what it has read is old. */
void thread_spins(void);

void thread_start(unsigned number, void (*run)(void *arg), void *arg, const char *name);
const char *thread_name(unsigned number);
void run_event_order(void (*visit)(const struct event *e, void *arg), void *arg);
_Noreturn void too_long(void);
_Noreturn void give_up(const char *why);	/* undecided */
_Noreturn void abandon(void);			/* this execution */

/* ---- judge.c: when no thread can move any more */

/* Whether every thread has come as far as it ever will. */
bool is_complete(void);
void judge(void);

/* ---- fault.c */

/* The first fault of this execution. */
struct fault {
	bool found;
	char text[512];
	uintptr_t pc, other_pc;
	unsigned by;		/* the thread; MAX_THREADS: none */
};
extern struct fault fault;

/* This execution is a counterexample; @pc and @other_pc (or 0): where. */
_Noreturn void fault_at(uintptr_t pc, uintptr_t other_pc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Faults of the program's own (SIGSEGV and the like) become faults of the execution. */
void catch_signals(void);

/* ---- ops.c, spin.c: operations of the program */

uint64_t op_load(const void *p, unsigned size, unsigned order, uintptr_t pc);
void op_store(void *p, unsigned size, uint64_t value, unsigned order, uintptr_t pc);
uint64_t op_rmw(void *p, unsigned size, enum rmw rmw, uint64_t operand, uint64_t expected,
		unsigned order, unsigned fail_order, uintptr_t pc);
void op_fence(unsigned order, unsigned flags, uintptr_t pc);
void op_yield(void);
extern bool execution_spun;	/* some thread has, in this execution */
bool spun_on_old(unsigned thread);
uint64_t rmw_value(enum rmw rmw, uint64_t old, uint64_t operand, unsigned size);

/* ---- hidden.c: operations of the checker's own, and of the kernel */

uint64_t hidden_rmw(unsigned location, enum rmw rmw, uint64_t operand, uint64_t expected,
		    uintptr_t pc);
void hidden_store(unsigned location, unsigned order, unsigned flags, uintptr_t pc);
void hidden_await(unsigned location, unsigned order, unsigned flags, bool timed, uintptr_t pc);
uint64_t kernel_load(const void *p, uintptr_t pc);
void create_event(unsigned number, uintptr_t pc);
unsigned op_choose(unsigned n, unsigned flags, uintptr_t pc);

/* ---- system.c */

extern bool heavy_fences;			/* the program uses membarrier */
void light_fence(uintptr_t pc);
void thread_ended(void);			/* tells who joins it */

/* What the kernel makes of a futex's queue. */
uint64_t futex_value(enum rmw rmw, uint64_t queue, uint64_t operand);

/* ---- locations.c, races.c, plain.c: addresses, and plain accesses for race detection */

void locations_clear(void);		/* when another scenario begins */
void locations_begin(void);		/* when an execution begins */
unsigned location_of(const void *p, unsigned size, uintptr_t pc);
unsigned location_hidden(unsigned kind, uint64_t key);
enum { HIDDEN_FUTEX, HIDDEN_WAKE, HIDDEN_END };
void memory_write(const struct event *e);
void race_atomic(const struct event *e, bool write);
void plain_free(uintptr_t begin, size_t size, uintptr_t pc);

/* The value of a plain write is in memory by now. */
void settle_writes(void);
static inline void settle(void)
{
	if (__builtin_expect(threads[self].unsettled, 0))
		settle_writes();
}

/* ---- report.c, symbols.c, elf.c: what is said of it */

void report_print(FILE *out);
const char *order_name(unsigned order);
struct place {
	char line[96], function[64];	/* file:line */
};
void places_of(const uintptr_t *pc, unsigned nr, struct place *out);
void describe_location(unsigned location, char *out, size_t size);
void describe_address(uintptr_t address, char *out, size_t size);
void names_clear(void);
const char *object_at(uintptr_t address, uintptr_t *offset);

/* ---- replay.c */

void replay_save(FILE *out);
void replay_load(const char *file, char *name, size_t size, unsigned *model);
bool replaying(void);
unsigned replay_pick(const struct event *e, const uint16_t *candidates, unsigned nr);
uint64_t replay_choice(const struct event *e);
unsigned replay_thread(uint32_t runnable);

/* ---- sites.c */

/* The order that the mutation in force gives to the access at @pc. */
unsigned site_order(uintptr_t pc, unsigned order, unsigned kind);
void site_weaken(const char *spec);
void sites_next_scenario(void);
void sites_print(void);
void pairs_of(struct graph *g);
void pairs_print(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_CHECK_H */
