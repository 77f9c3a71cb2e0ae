/* SPDX-License-Identifier: MIT */
/*
 * Kinds of work beside the tasks in rings, overflows and the injection queue. Each is an option of
 * the library: one file that has a struct nap__source, and one row of the table in source.c. The
 * rest of the pool asks the table.
 *
 * A kind that a pool has never had costs it nothing, because the kind's bit in pool->kinds is not
 * set. Typically no bit is set, and each question is one load. The questions come with a search
 * that finds nothing, with a park, and at the pool's end; nap_schedule() and the run of a ring ask
 * none.
 *
 * A thread that queues something of a kind calls source_link() first, every time. So no wake-up is
 * lost when the first of a kind is queued beside a worker that parks:
 *
 * 	queues					worker
 * 	------					------
 * 	the kind's bit is set, or was		registered as idle
 * 	queue it				full fence of its protocol
 * 	full fence of nap__idle_notify()	is the kind's bit set? is anything queued?
 * 	is a worker idle? wake it		no: park
 *
 * A worker that does not find the bit has fenced before the other thread, which has set the bit or
 * found it set. So the other thread finds the worker registered. No order is needed on the bit
 * itself, because the table is constant. [S1], [O1], [C1]
 */
#ifndef NAP_SOURCE_H
#define NAP_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"

struct nap__remaining;
struct nap_worker;

/* The rows, in the order in which they are asked. */
enum nap__kind {
	KIND_JOBS,		/* src/fork/jobs.c */
	KIND_CALLS,		/* src/fork/call_list.c */
	KIND_CLASSES,		/* src/kit/class_take.c */
	KIND_ENDS,		/* src/kit/ends.c */
	NAP__KINDS
};

/* The news that the waiters of a kind may have waited for. */
enum nap__news {
	NEWS_GUEST_LEFT,	/* any thread, after a full fence: a guest's record is free */
	NEWS_STOPPED,		/* any thread, after a full fence: the phase says so */
	NEWS_RESTED,		/* any thread, after a full fence, outside the intake: was busy */
	NEWS_GONE,		/* as above for @worker, the last act of its thread */
	NEWS_OVER,		/* the joiner: everything was run, or the threads have ended */
};

/* A kind may omit a function: NULL. */
struct nap__source {
	/*
	 * Any thread that knows that the pool is there: whether something is queued. @takeable:
	 * whether a search would find something. Reads no worker's record.
	 */
	bool (*queued)(struct nap_pool *pool, bool takeable);
	/* Worker that begins a round through all workers: takes a task for nap__run(), or NULL. */
	struct nap_task *(*take)(struct nap_worker *worker);
	/*
	 * Worker: replaces nap__search(), and calls it when that is due. One kind at most has this.
	 * Notifies others of what remains.
	 */
	struct nap_task *(*dequeue)(struct nap_worker *worker);
	/*
	 * Worker: takes the oldest of @victim's that others can see, or the next of its own: a task
	 * for nap__run() that is not counted. Sets *@more, because there may be others soon. For
	 * KIND_JOBS alone, in the worker's record: steal_job(), own_job().
	 */
	struct nap_task *(*steal)(struct nap_worker *worker, struct nap_worker *victim, bool *more);
	struct nap_task *(*own)(struct nap_worker *worker);
	/*
	 * Worker that is registered as idle and about to sleep, or that has taken a notification
	 * which others rely on; after a full fence. Makes visible what workers keep to themselves,
	 * and has further such work notify. Returns how many workers have such work:
	 *
	 *	0	it may sleep
	 *	1	it searches instead
	 *	more	it notifies, too: others may have searched before, and sleep
	 */
	uint32_t (*reveal)(struct nap_worker *worker);
	/* Worker that stops searching: notifies others of what its search was to find. */
	void (*settle)(struct nap_worker *worker);
	/* Joiner, with nobody else inside: takes the next remaining task in its queues, or NULL. */
	struct nap_task *(*left)(struct nap_pool *pool);
	/* Any thread inside: waiters for @news check again. @worker: for NEWS_GONE only. */
	void (*hear)(struct nap_pool *pool, enum nap__news news, struct nap_worker *worker);
	/* Any thread inside the visits: adds how much is queued. */
	void (*count)(struct nap_pool *pool, struct nap__remaining *left);
};

/* By enum nap__kind. NULL: no part of the program has asked for this kind. */
extern const struct nap__source *const nap__sources[] __attribute__((visibility("hidden")));

/* Any thread inside, in the file with the row of @kind: has the pool ask for it from now on. */
static inline void source_link(struct nap_pool *pool, enum nap__kind kind)
{
	if (!(nap_load_relaxed(&pool->kinds) & 1u << kind))
		nap_fetch_or_relaxed(&pool->kinds, 1u << kind);
}

/* Whether work of @kind was ever queued in the pool. */
static inline bool source_is_linked(struct nap_pool *pool, enum nap__kind kind)
{
	return nap_load_relaxed(&pool->kinds) & 1u << kind;
}

/*
 * Loops over the sources of @pool; @source is a const struct nap__source *. Bit by bit: where no
 * instruction finds the next set bit, the compiler calls its own library, which a bare program is
 * not linked with.
 */
#define for_each_source(source, pool)						\
	for (uint32_t kinds = nap_load_relaxed(&(pool)->kinds), kind = 0; kinds;	\
	     kinds >>= 1, kind++)						\
		if ((kinds & 1) && ((source) = nap__sources[kind], true))

/* See struct nap__source. */
bool nap__sources_queued(struct nap_pool *pool, bool takeable);
struct nap_task *nap__sources_take(struct nap_worker *worker);
uint32_t nap__sources_reveal(struct nap_worker *worker);
void nap__sources_settle(struct nap_worker *worker);
struct nap_task *nap__sources_left(struct nap_pool *pool);
void nap__sources_hear(struct nap_pool *pool, enum nap__news news, struct nap_worker *worker);

#endif /* NAP_SOURCE_H */
