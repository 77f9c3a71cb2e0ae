/* SPDX-License-Identifier: MIT */
/*
 * The parts of the checker and what they need of each other. An execution's road:
 *
 *	program -> __tsan_* (tsan.c) -> operation (ops.c, plain.c, system.c) -> graph (graph.c)
 *	        -> what else it might have read or where else stood (explore.c), if the model
 *	           allows it (coherence.c, axioms.c)
 *	        -> next graph: run again (run.c)
 */
#ifndef NAP_CHECK_CHECK_H
#define NAP_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <nap/check.h>

#include "graph.h"

/* The graph that is being run. */
extern struct graph *graph;

/* What all of it is about; main.c. */
struct options {
	unsigned model;			/* the one that is being checked */
	unsigned long max_executions, max_seconds, random, seed;
	unsigned preemptions;
	bool preemption_bound;		/* @preemptions is one; else partial-order reduction */
	bool distinct;			/* count distinct graphs */
	const char *replay, *trace;
	bool sites, pairs;
};
extern struct options options;
extern const struct check_scenario *scenario;

enum outcome { FOUND_NOTHING, FOUND_FAULT, UNDECIDED };

struct result {
	enum outcome outcome;
	unsigned long executions, blocked, distinct;
	unsigned long witnessed;	/* executions with the outcome that @exists asks for */
	double seconds;
	const char *why;		/* undecided */
};
extern struct result result;

/* Whether the program has made any access in this scenario: else it was not instrumented. */
extern bool saw_access;

/* The first fault of this execution. */
struct fault {
	bool found;
	char text[512];
	uintptr_t pc, other_pc;
	unsigned by;		/* the thread; MAX_THREADS: none */
};
extern struct fault fault;

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

/* ---- explore.c */

void explore(void);

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

/* distinct.c: whether this graph was not met before; for comparing ways of exploring. */
void distinct_clear(void);
bool distinct_graph(const struct graph *g);
double seconds_now(void);

/* A thread in the middle of a read-modify-write, or -1. */
int half_done(const struct graph *g);

/* Whether alternatives are taken one at a time as the run goes (not by revisits). */
bool forward_only(void);

/* ---- run.c: threads */

struct thread {
	void *sp;			/* while it does not run */
	unsigned done;			/* events that it has executed in this run */
	const struct event *last;	/* of those */
	unsigned yield_at, yield_before; /* done at the last yield, and at the one before */
	unsigned empty_yields;
	unsigned unsettled;		/* of its last events: plain writes of unknown value */
	enum { T_ABSENT, T_READY, T_BLOCKED, T_SPINS, T_PRUNED, T_ENDED } state;
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

/* Faults of the program's own (SIGSEGV and the like) become faults of the execution. */
void catch_signals(void);

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

void thread_ended(void);			/* system.c: tells who joins it */
_Noreturn void fatal(const char *what);		/* the checker is wrong */
void report_stuck(unsigned thread);
void thread_start(unsigned number, void (*run)(void *arg), void *arg, const char *name);
const char *thread_name(unsigned number);
void run_event_order(void (*visit)(const struct event *e, void *arg), void *arg);
_Noreturn void too_long(unsigned thread);
_Noreturn void give_up(const char *why);	/* undecided */
_Noreturn void abandon(void);			/* this execution */

/* ---- ops.c: operations of the program */

uint64_t op_load(const void *p, unsigned size, unsigned order, uintptr_t pc);
void op_store(void *p, unsigned size, uint64_t value, unsigned order, uintptr_t pc);
uint64_t op_rmw(void *p, unsigned size, enum rmw rmw, uint64_t operand, uint64_t expected,
		unsigned order, unsigned fail_order, uintptr_t pc);
void op_fence(unsigned order, unsigned flags, uintptr_t pc);
void op_yield(uintptr_t pc);
extern bool heavy_fences;
void light_fence(uintptr_t pc);
void create_event(unsigned number, uintptr_t pc);
unsigned op_choose(unsigned n, unsigned flags, uintptr_t pc);

struct event *add_read(unsigned location, unsigned order, enum rmw rmw, uint64_t operand,
		       uint64_t expected, unsigned fail_order, unsigned flags, uintptr_t pc);
struct event *add_write(unsigned location, uint64_t value, unsigned order, unsigned flags,
			uintptr_t pc);
uint64_t rmw_value(enum rmw rmw, uint64_t old, uint64_t operand, unsigned size);

/* system.c: what the kernel makes of a futex's queue. */
uint64_t futex_value(enum rmw rmw, uint64_t queue, uint64_t operand);

/* Operations on locations of the checker's own. */
uint64_t hidden_rmw(unsigned location, enum rmw rmw, uint64_t operand, uint64_t expected,
		    uintptr_t pc);
void hidden_store(unsigned location, unsigned order, unsigned flags, uintptr_t pc);
void hidden_await(unsigned location, unsigned order, unsigned flags, bool timed, uintptr_t pc);
uint64_t kernel_load(const void *p, uintptr_t pc);

/* The value of a plain write is in memory by now. */
void settle_writes(void);
static inline void settle(void)
{
	if (__builtin_expect(threads[self].unsettled, 0))
		settle_writes();
}

/* ---- locations.c: addresses, and plain accesses for race detection */

void locations_clear(void);		/* when another scenario begins */
void locations_begin(void);		/* when an execution begins */
unsigned location_of(const void *p, unsigned size, uintptr_t pc);
unsigned location_hidden(unsigned kind, uint64_t key);
enum { HIDDEN_FUTEX, HIDDEN_WAKE, HIDDEN_END };
void race_atomic(const struct event *e, bool write);
void plain_access_slowly(uintptr_t address, size_t size, bool write, uintptr_t pc);
void plain_free(uintptr_t begin, size_t size, uintptr_t pc);
void memory_write(const struct event *e);
void must_restart(void);		/* a location turned out to be atomic */
extern bool restart;

/* ---- memory.c: everything that the program can write, put back between executions */

#define MEMORY_BASE	((uintptr_t)0x100000000000)
#define ARENA_SIZE	((size_t)1 << 20)	/* one a thread, and one for setup */
#define STACK_SIZE	((size_t)64 << 10)
#define MEMORY_SIZE	((MAX_THREADS + 1) * ARENA_SIZE + MAX_THREADS * STACK_SIZE)

void memory_restore(void);		/* as the program began */
void memory_forget_setup(void);
void memory_snapshot(void);		/* behind setup: what every execution begins with */
void memory_reset(void);
bool memory_in_arena(uintptr_t address);
extern bool memory_has_freed;
const char *memory_freed(uintptr_t address);	/* NULL, or what to say of it */
uintptr_t memory_stack(unsigned thread);	/* its top */
bool memory_is_stack(uintptr_t address);
unsigned memory_thread(uintptr_t address);	/* whose stack it is */

/*
 * A byte for each 8 of the program's: OWNED_BY(thread), with SHADOW_WRITTEN when that has written
 * it, for what no other thread has ever touched. Most accesses are to such memory: the stack.
 */
#define OWNED_BY(thread)	((thread) + 1)
#define OWNED_BY_NOBODY		0x7f
#define SHADOW_WRITTEN		0x80
#define LOW_SIZE		((size_t)16 << 20)	/* where static storage is */
extern uint8_t shadow_low[LOW_SIZE / 8], shadow_high[MEMORY_SIZE / 8];
extern uint8_t shadow_mine;	/* the running thread's OWNED_BY() */

static inline uint8_t *shadow_of(uintptr_t address)
{
	if (address < LOW_SIZE)
		return &shadow_low[address / 8];
	if (address - MEMORY_BASE < MEMORY_SIZE)
		return &shadow_high[(address - MEMORY_BASE) / 8];
	return NULL;
}

static inline void plain_access(const void *p, size_t size, bool write, uintptr_t pc)
{
	uintptr_t address = (uintptr_t)p;
	const uint8_t *byte = shadow_of(address);

	if (byte && address % 8 + size <= 8 && (*byte == (shadow_mine | SHADOW_WRITTEN) ||
						(!write && *byte == shadow_mine)))
		return;
	plain_access_slowly(address, size, write, pc);
}

/* ---- report.c, symbols.c, replay.c, sites.c */

/* This execution is a counterexample; @pc and @other_pc (or 0): where. */
_Noreturn void fault_at(uintptr_t pc, uintptr_t other_pc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void report_print(FILE *out);
struct place {
	char line[96], function[64];	/* file:line */
};
void places_of(const uintptr_t *pc, unsigned nr, struct place *out);
void describe_location(unsigned location, char *out, size_t size);
void describe_address(uintptr_t address, char *out, size_t size);
void names_clear(void);
const char *object_at(uintptr_t address, uintptr_t *offset);	/* elf.c */
const char *order_name(unsigned order);
void replay_save(FILE *out);
void replay_load(const char *file, char *name, size_t size, unsigned *model);
bool replaying(void);
unsigned replay_read(const struct event *e, const uint16_t *candidates, unsigned nr);
unsigned replay_write(const struct event *e, const uint16_t *candidates, unsigned nr);
uint64_t replay_choice(const struct event *e);
unsigned replay_thread(uint32_t runnable);

/* The order that the mutation in force gives to the access at @pc. */
unsigned site_order(uintptr_t pc, unsigned order, unsigned kind);
void site_weaken(const char *spec);
void sites_next_scenario(void);
void sites_print(void);
void pairs_note(const struct event *e);
void pairs_print(void);

#endif /* NAP_CHECK_CHECK_H */
