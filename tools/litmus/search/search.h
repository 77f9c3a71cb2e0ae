/* SPDX-License-Identifier: MIT */
/*
 * The final states that a model allows a test. For each choice of a path of every thread, the
 * search tries each way in which reads read (rf) and writes are ordered (co). A choice that
 * breaks the model is not followed further. Of the ways to one final state the first is enough.
 */
#ifndef NAP_LITMUS_SEARCH_H
#define NAP_LITMUS_SEARCH_H

#include "path/path.h"
#include "relations/relations.h"

/* An execution, complete or not. Events are numbered, initial writes first, then by thread. */
struct execution {
	unsigned n;
	struct path_event event[MATRIX_EVENTS];	/* addr, data and ctrl are not used here */
	int thread[MATRIX_EVENTS];		/* -1: an initial write */
	uint64_t value[MATRIX_EVENTS];		/* of accesses */
	int rf[MATRIX_EVENTS];			/* of a read: the write, or -1 */
	struct facts facts;
};

/* A final state, and an execution that reaches it. */
struct state {
	struct state *next;
	uint64_t *value;			/* of each part that the test observes */
	struct execution *witness;		/* NULL: limits->witness does not ask for it */
};

/* Threads that wait for ever, and an execution in which they do. */
struct stuck {
	struct execution *execution;
	/* the loop in the test's text; NULL: the thread has ended */
	const char *at[TEST_THREADS];
};

enum verdict { VERDICT_ALWAYS, VERDICT_SOMETIMES, VERDICT_NEVER, VERDICT_UNDECIDED };

struct outcome {
	enum verdict verdict;		/* on the question, over the states */
	unsigned nr_states;
	struct state *first;		/* in order of values */
	bool bounded;			/* a loop was cut: there may be more states */
	const struct stuck *stuck;	/* NULL: no thread waits for ever, locks apart */
	bool timeout;
	/* for some bound of loops all executions were tried in time */
	bool whole;
	uint64_t candidates;		/* number of complete executions judged */
	uint64_t flags;			/* for each axiom, whether it flags an allowed execution */
	const char *flag_at[MODEL_AXIOMS];	/* where in the text it flags an instruction */
	/*
	 * If no allowed execution satisfies the question: a forbidden one that does, and what it
	 * breaks.
	 */
	struct execution *forbidden;
	unsigned broken;		/* the axiom */
};

struct limits {
	unsigned unroll;		/* bound of loops */
	bool all_turns;			/* follow turns that change nothing, too */
	double seconds;			/* of CPU time; 0: no limit */
	bool why;			/* find @forbidden */
	bool witness;			/* keep an execution of each state */
	bool asked;			/* only of states that the question asks for */
};

/* Searches. The outcome is in @test's arena. Fails by text_fail() at what cannot be enumerated. */
struct outcome search(struct test *test, const struct rules *rules, const struct limits *limits);

/* Returns the CPU time that this process has used. */
double cpu_seconds(void);

/* The common part of the files of search/. */
struct searching {
	struct test *test;
	const struct rules *rules;
	const struct limits *limits;
	struct outcome *outcome;
	struct execution x;
	struct evaluation *evaluation;
	const struct path *path[TEST_THREADS];
	unsigned base[TEST_THREADS];		/* the number of the thread's first event */
	unsigned nr_reads, read[MATRIX_EVENTS];	/* reads that the state shows first */
	event_set shown;			/* the reads that the state's registers need */
	unsigned nr_lasts, last[TEST_CELLS];	/* cells whose last value the state shows */
	bool coherent;				/* by the model: order_forced() may be used */
	event_set known;			/* accesses whose value is known */
	event_set needs[MATRIX_EVENTS];		/* of a write: the reads that its value needs */
	event_set writes[TEST_CELLS];		/* of each cell, the initial write first */
	event_set accesses[TEST_CELLS], of_thread[TEST_THREADS];
	uint64_t flags;				/* axioms that this choice of paths may break */
	unsigned axioms;			/* how many axioms count, from the first */
	bool forbidden;				/* looking for an execution that axioms forbid */
	bool flagging;				/* looking for what axioms flag, not for states */
	bool sticking;				/* looking for threads that wait for ever */
	event_set awaited;			/* @sticking: reads that must read last writes */
	bool stop;
	uint64_t steps;
	double deadline;
	unsigned nr_buckets;			/* a power of two */
	struct state **bucket;
};

/*
 * size.c: cuts cells where the sizes of accesses differ. Fails if this is not possible.
 * size_recheck() fails if, because of a pointer, only this execution shows that the sizes differ.
 */
void size_check(struct test *test, const struct paths *paths);
void size_recheck(const struct searching *s);
/* Fails if parts of an access are accessed, and the model gives that no meaning. */
void size_must_have_meaning(const struct searching *s, const struct paths *paths);

/* relate.c: program order, locations and dependencies of the events. */
void search_relate(struct searching *s);

/*
 * turns.c: searches with no turn of a loop, then with one, and so on. Leaves in @paths the paths
 * that end.
 */
void search_turns(struct searching *s, struct paths *paths);
/* combine.c: tries all choices of a path of each thread. */
void search_paths(struct searching *s, const struct paths *paths);

/* rf.c: tries all ways to read in this choice of paths. */
void search_rf(struct searching *s);
/* co.c: tries all orders of writes, for a complete rf. */
void search_co(struct searching *s);

/*
 * order.c: puts the write @a before the write @b of the same location in co; and all writes before
 * @a before all writes after @b.
 */
void order_writes(struct searching *s, event_set writes, unsigned a, unsigned b);
/* Puts all writes of the location before @last. False: one has to come after @last. */
bool order_last(struct searching *s, event_set writes, unsigned last);
void order_save(struct searching *s, struct matrix *saved);
void order_restore(struct searching *s, const struct matrix *saved);

/*
 * Adds the orders that coherence forces, by the known part of rf: two accesses of a location, in
 * a thread's order, have their writes in this order, or the same write. False: impossible.
 */
bool order_forced(struct searching *s);

/* state.c: fills in the final state. Hidden values are 0. False: the filter rejects the state. */
bool state_of(const struct searching *s, uint64_t *value);
bool state_known(const struct searching *s, const uint64_t *value);
void state_add(struct searching *s, const uint64_t *value);
/* Sorts the states, and judges the question. */
void state_finish(struct searching *s);

/* Whether an axiom that has flagged no execution may still flag one of a known state. */
static inline bool search_flags(const struct searching *s)
{
	return s->flags & ~s->outcome->flags;
}

/* Counts a step. Returns whether the time is over. */
bool search_is_over(struct searching *s);

#endif /* NAP_LITMUS_SEARCH_H */
