/* SPDX-License-Identifier: MIT */
/*
 * Which final states a model allows a test: for each choice of a path of every thread, each way in
 * which reads read (rf) and writes are ordered (co) that the model does not forbid. A choice that
 * is broken already is not followed further; of the ways to one final state, the first is enough.
 */
#ifndef NAP_LITMUS_SEARCH_H
#define NAP_LITMUS_SEARCH_H

#include "path/path.h"
#include "relations/relations.h"

/* An execution, complete or not: events are numbered, initial writes first, then by thread. */
struct execution {
	unsigned n;
	struct path_event event[MATRIX_EVENTS];	/* addr, data and ctrl are not used here */
	int thread[MATRIX_EVENTS];		/* -1: an initial write */
	uint64_t value[MATRIX_EVENTS];		/* of accesses */
	int rf[MATRIX_EVENTS];			/* of reads: the write, or -1 */
	struct facts facts;
};

/* A final state, and how it is reached. */
struct state {
	struct state *next;
	uint64_t *value;			/* of each that the test observes */
	struct execution *witness;		/* NULL: limits->witness did not ask for it */
};

enum verdict { VERDICT_ALWAYS, VERDICT_SOMETIMES, VERDICT_NEVER, VERDICT_UNDECIDED };

struct outcome {
	enum verdict verdict;		/* of the question, over the states */
	unsigned nr_states;
	struct state *first;		/* in order of values */
	bool bounded;			/* a loop went on: there may be more */
	bool timeout;
	uint64_t candidates;		/* complete ones that were looked at */
	uint64_t flags;			/* of the model: by axiom, whether an allowed one is flagged */
	/* Of a question that no allowed execution satisfies, one that does, and what forbids it. */
	struct execution *forbidden;
	unsigned broken;		/* the axiom */
};

struct limits {
	unsigned unroll;		/* of loops */
	double seconds;			/* of CPU time; 0: none */
	bool why;			/* find @forbidden */
	bool witness;			/* keep an execution of each state */
};

/* Memory of @test's arena. Fails by text_fail(): what cannot be enumerated, by name. */
struct outcome search(struct test *test, const struct rules *rules, const struct limits *limits);

/* That this process has used. */
double cpu_seconds(void);

/* Within: what combine.c, rf.c, co.c and state.c share. */
struct searching {
	struct test *test;
	const struct rules *rules;
	const struct limits *limits;
	struct outcome *outcome;
	struct execution x;
	struct evaluation *evaluation;
	const struct path *path[TEST_THREADS];
	unsigned base[TEST_THREADS];		/* the number of its first event */
	unsigned nr_reads, read[MATRIX_EVENTS];	/* those that the state shows first */
	event_set shown;			/* without which the state's registers are not known */
	bool shows_memory;
	bool coherent;				/* the model says so: order_forced() may be used */
	event_set known;			/* accesses whose value is */
	event_set needs[MATRIX_EVENTS];		/* writes: the reads that their value is made of */
	event_set writes[TEST_LOCATIONS];	/* to each, the initial one first */
	event_set accesses[TEST_LOCATIONS], of_thread[TEST_THREADS];
	uint64_t flags;				/* that this choice of paths may break, by axiom */
	unsigned axioms;			/* how many of the axioms count, from the first */
	bool forbidden;				/* looking for what is asked for, which they forbid */
	bool stop;
	uint64_t steps;
	double deadline;
	unsigned nr_buckets;			/* a power of two */
	struct state **bucket;
};

/* size.c: fails if accesses of a location have different sizes; or, through pointers, if this execution's have. */
void size_check(struct test *test, const struct paths *paths);
void size_recheck(const struct searching *s);

/* rf.c: all ways of this choice of paths. */
void search_rf(struct searching *s);
/* co.c: rf is complete. */
void search_co(struct searching *s);

/*
 * order.c: of the writes of a location, @a comes before @b, and so all before @a before all after
 * @b.
 */
void order_writes(struct searching *s, event_set writes, unsigned a, unsigned b);
void order_save(struct searching *s, struct matrix *saved);
void order_restore(struct searching *s, const struct matrix *saved);

/*
 * The orders that coherence forces by what is known of rf: two accesses of a location, one after
 * the other in a thread, have their writes in that order, or the same one. False: there is none.
 */
bool order_forced(struct searching *s);

/* state.c: the final state; values that states do not show are 0. False: the filter rejects it. */
bool state_of(const struct searching *s, uint64_t *value);
bool state_known(const struct searching *s, const uint64_t *value);
void state_add(struct searching *s, const uint64_t *value);
/* Sorted, and judged. */
void state_finish(struct searching *s);

/*
 * Whether another execution of a known state may still be flagged by an axiom that has flagged
 * none.
 */
static inline bool search_flags(const struct searching *s)
{
	return s->flags & ~s->outcome->flags;
}

/* Whether the time is over; counts. */
bool search_is_over(struct searching *s);

#endif /* NAP_LITMUS_SEARCH_H */
