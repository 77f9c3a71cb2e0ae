/* SPDX-License-Identifier: MIT */
/*
 * Execution graphs: what happened in an execution, without saying in which order the threads ran.
 *
 * The number of an event (its stamp) is its place in the order in which events were added. A graph
 * is cut back by dropping its newest events. Event 0 stands for the initial writes of all
 * locations.
 *
 *	po	the events of one thread, by index (from 1)
 *	rf	from a write to the reads of it: event->rf
 *	co	the writes of one location, linked by co_prev and co_next, ordered by pos
 *	fr	from a read to the writes that are co-after the write it reads
 *	porf	(po | rf)+, kept as a vector: event->prefix
 *	hb	happens-before, kept as a vector: event->clock
 *
 * A vector stands for a set of events: it counts, for each thread, how many of the thread's first
 * events are in the set. An event's @prefix and @clock have the event itself, too.
 */
#ifndef NAP_CHECK_GRAPH_H
#define NAP_CHECK_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/vector.h"

#define MAX_EVENTS	4096	/* of an execution */
#define MAX_LOCATIONS	2048

enum kind { E_INIT, E_READ, E_WRITE, E_FENCE, E_CREATE, E_CHOICE };

/* Memory orders, as masks of their parts. */
#define O_RELAXED	0
#define O_ACQUIRE	1
#define O_RELEASE	2
#define O_SC		4
#define O_ACQ_REL	(O_ACQUIRE | O_RELEASE)
#define O_SEQ_CST	(O_ACQ_REL | O_SC)
#define O_PLAIN		8	/* a plain write to a location that is atomic elsewhere */
#define O_SIGNAL	16	/* for printing: a side of membarrier, F_LIGHT or F_HEAVY */
#define O_MEMBARRIER	32

enum rmw { RMW_NONE, RMW_XCHG, RMW_ADD, RMW_SUB, RMW_AND, RMW_OR, RMW_XOR, RMW_NAND, RMW_CAS,
	   RMW_WAIT, RMW_CANCEL, RMW_WAKE, RMW_QUEUE, RMW_SIGNAL };

/* Flags of an event. */
#define F_EXCL		1	/* one half of a read-modify-write that writes */
#define F_KERNEL	2	/* done by the kernel: orders nothing for the program */
#define F_AWAIT		4	/* a read that waited for the only write of its location */
#define F_LIGHT		8	/* a fence: the light side of membarrier, a signal fence */
#define F_HEAVY		16	/* a fence: the heavy side of membarrier, the system call */
#define F_PREEMPTS	32	/* a preemption: the thread that ran before could have gone on */
#define F_FAILURE	64	/* a choice: whether a spawn fails */
#define F_SPURIOUS	128	/* a choice: whether a wait returns spuriously */
#define F_WEAK		512	/* a choice: whether a weak compare-exchange fails spuriously */
#define F_STOP		256	/* a choice: whether the thread stops here, for ever */
#define F_MUTEX		1024	/* the read of a lock: the thread waits while another holds it */
#define F_KEPT		2048	/* no revisit may drop or change this event: revisit.c */

/* The fields that every execution reads are in one cache line; the vectors take two more. */
struct event {
	uint64_t value;		/* read, written, chosen, or the number of the thread created */
	uint64_t expected;	/* of a compare-exchange, a futex wait; of a choice: how many */
	uint64_t operand;
	uintptr_t pc;
	uint16_t index;
	uint16_t location;
	uint16_t rf;
	uint16_t co_prev, co_next, pos;
	uint16_t loc_prev;	/* the access of this location, or the SC fence, before this one */
	uint16_t release_fence;	/* the thread's last release fence, this event included */
	uint16_t flags;
	uint8_t thread, kind, order, fail_order, rmw;
	vector clock, prefix;
	vector message;		/* of a write: the clock that an acquire read of it takes over */
	vector pending;		/* the clock that a later acquire fence takes over */
} __attribute__((aligned(64)));

struct head {
	uint16_t last;			/* the access that was added last */
	uint16_t co_first, co_last;	/* a write, or 0 */
};

/* A location: an address of atomic accesses, or a key of the checker's own. */
struct location {
	uintptr_t address;		/* or a key of the checker's */
	uint64_t initial;
	uint8_t size;			/* 0: a location of the checker's */
	uint8_t waiters;		/* of a queue: the most waiters a signal has ever met */
};

struct graph {
	const struct location *locations;	/* owned and extended by program/ */
	unsigned n;
	unsigned nr_locations;		/* heads in use: the locations of the last run */
	unsigned nr_sc_fences, nr_sc_accesses, nr_barriers;
	unsigned last_sc_fence;		/* linked by loc_prev; 0: there is none */
	uint16_t count[MAX_THREADS];
	uint16_t creator[MAX_THREADS];	/* the E_CREATE event of a spawned thread */
	uint16_t event_of[MAX_THREADS][MAX_EVENTS];
	struct head head[MAX_LOCATIONS];
	struct event event[MAX_EVENTS];
};

/* Whether @v counts @e. */
static inline bool vector_has(const vector *v, const struct event *e)
{
	return e->index <= vector_get(v, e->thread);
}

static inline bool is_access(const struct event *e)
{
	return e->kind == E_READ || e->kind == E_WRITE;
}

static inline uint64_t value_of(const struct graph *g, unsigned write, unsigned location)
{
	return write ? g->event[write].value : g->locations[location].initial;
}

/* Returns the position in co of a write, or of the write that a read reads. */
static inline unsigned co_pos(const struct graph *g, const struct event *e)
{
	return e->kind == E_READ ? g->event[e->rf].pos : e->pos;
}

static inline unsigned co_next_of(const struct graph *g, unsigned write, unsigned location)
{
	return write ? g->event[write].co_next : g->head[location].co_first;
}

/* Whether no write may follow @write directly in co: a read-modify-write has read @write. */
static inline bool co_closed(const struct graph *g, unsigned write, unsigned location)
{
	unsigned next = co_next_of(g, write, location);

	return next && (g->event[next].flags & F_EXCL);
}

static inline struct event *pred_of(struct graph *g, const struct event *e)
{
	if (e->index > 1)
		return &g->event[g->event_of[e->thread][e->index - 2]];
	return NULL;
}

/* Returns the event before @e in its thread, else its thread's creation, else event 0. */
static inline const struct event *origin_of(struct graph *g, const struct event *e)
{
	const struct event *pred = pred_of(g, e);

	return pred ? pred : &g->event[g->creator[e->thread]];
}

static inline struct event *last_of(struct graph *g, unsigned thread)
{
	return g->count[thread] ? &g->event[g->event_of[thread][g->count[thread] - 1]] : NULL;
}

/* Makes the graph empty: it has only the initial writes of @locations, which stay the caller's. */
void graph_clear(struct graph *g, const struct location *locations);

/*
 * Adds an event after the last event of @thread. The caller fills in the event's other fields and
 * calls graph_compute(). Returns NULL if the graph is full, which GRAPH_IS_FULL tells the user.
 */
#define GRAPH_IS_FULL "the bound on an execution's length (--unroll=N bounds a loop's turns; " \
	"with --turns=yields, one that spins needs a check_yield())"
struct event *graph_append(struct graph *g, unsigned thread, enum kind kind);

/* Computes what follows from the fields of an event and from the write that it reads. */
void graph_compute(struct graph *g, struct event *e);

/* As the model has it: whether later stores of the same thread belong to a release sequence. */
extern bool stores_continue;

/*
 * Enters the event into the lists of the graph: the accesses of its location, the beginnings of
 * threads, the fences.
 */
void graph_list(struct graph *g, struct event *e);

void graph_co_insert(struct graph *g, struct event *e, unsigned after);
void graph_co_unlink(struct graph *g, struct event *e);

/* Drops all events newer than @last. */
void graph_cut(struct graph *g, unsigned last);

/*
 * copy.c: fills the empty graph @to with a part of @from: the events up to the read @r, the events
 * in the prefix of the write @a, and then @a itself, last in co. The number of @r stays. Returns
 * the new number of @a.
 */
unsigned graph_copy_for(const struct graph *from, struct graph *to, unsigned r, unsigned a);

/*
 * copy.c: fills the empty graph @to with the events of @from that @all has. @all has to be closed:
 * what comes in porf before an event of @all is in @all, too.
 */
void graph_copy_part(const struct graph *from, struct graph *to, const vector *all);

/* order_name.c: returns the name that nap-check(1) has for the order. */
const char *order_name(unsigned order);

static inline unsigned number_of(const struct graph *g, const struct event *e)
{
	return (unsigned)(e - g->event);
}

#endif /* NAP_CHECK_GRAPH_H */
