/* SPDX-License-Identifier: MIT */
/*
 * Kinds of work besides the tasks in rings, overflows and the injection queue. Each kind is an
 * option of the library: a file with a struct nap__source, and a row of the table in source.c. The
 * rest of the pool uses this table.
 *
 * A kind that a pool has never had costs it nothing, because the kind's bit in pool->kinds is not
 * set. Typically no bit is set, and each check is one load. The checks come in a search that finds
 * no task, before a worker parks, and at the pool's end; scheduling, and running the tasks of a
 * ring, have no check.
 *
 * A thread that queues something of a kind calls source_link() first, every time. So no wake-up is
 * lost when the first of a kind is queued beside a worker that parks:
 *
 * 	queues					worker
 * 	------					------
 * 	set the kind's bit, or find it set	register as idle
 * 	queue it				full fence of its protocol
 * 	full fence of nap__idle_notify()	is the kind's bit set? is anything queued?
 * 	is a worker idle? wake it		no: park
 *
 * If the worker does not see the bit, its fence came before the fence of the other thread, which
 * has set the bit or found it set. So the other thread sees the worker registered as idle. No order
 * is needed on the bit itself, because the table is constant. [S1], [O1], [C1]
 */
#ifndef NAP_SOURCE_H
#define NAP_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"

struct nap__remaining;
struct nap_worker;

/* The rows of the table, in the order in which they are checked. */
enum nap__kind {
	KIND_JOBS,		/* src/fork/jobs.c */
	KIND_CALLS,		/* src/fork/call_list.c */
	KIND_CLASSES,		/* src/kit/class_take.c */
	KIND_ENDS,		/* src/kit/ends.c */
	NAP__KINDS
};

/* Changes of a pool that waiters of a kind may wait for. */
enum nap__news {
	/* sent by any thread, after a full fence: a guest's record is free */
	NEWS_GUEST_LEFT,
	NEWS_STOPPED,		/* sent by any thread, after a full fence: the pool was stopped */
	/*
	 * sent by any thread, after a full fence, outside the intake: the thread is no longer busy
	 */
	NEWS_RESTED,
	NEWS_GONE,		/* as NEWS_RESTED, for @worker: the last act of its thread */
	/* sent by the joiner: every task was run, or the threads have ended */
	NEWS_OVER,
};

/* The functions of a kind. A kind may omit a function (NULL). */
struct nap__source {
	/*
	 * Any thread that knows that the pool exists: whether work is queued. @takeable: whether a
	 * search would find work. Reads no worker's record.
	 */
	bool (*queued)(struct nap_pool *pool, bool takeable);
	/* Worker that begins a round through all workers: takes a task for nap__run(), or NULL. */
	struct nap_task *(*take)(struct nap_worker *worker);
	/*
	 * Worker: is called instead of nap__search(), and itself calls nap__search() when it is the
	 * turn of ordinary tasks. At most one kind has this function. Notifies other workers of
	 * remaining work.
	 */
	struct nap_task *(*dequeue)(struct nap_worker *worker);
	/*
	 * Worker: steal() takes the oldest public work of @victim, own() the next work of the
	 * worker itself: a task for nap__run(), which is not counted as a task. Sets *@more,
	 * because there may be more work soon. Only KIND_JOBS has these functions, because its work
	 * is in the worker's record: steal_job(), own_job().
	 */
	struct nap_task *(*steal)(struct nap_worker *worker, struct nap_worker *victim, bool *more);
	struct nap_task *(*own)(struct nap_worker *worker);
	/*
	 * Worker that is registered as idle and about to sleep, or that has taken a notification
	 * which others rely on; after a full fence. Makes visible the work that workers keep
	 * private, and has the workers notify of later private work. Returns how many workers have
	 * such work:
	 *
	 *	0	the caller may sleep
	 *	1	the caller searches instead
	 *	more	the caller notifies, too: others may have searched before, and sleep
	 */
	uint32_t (*reveal)(struct nap_worker *worker);
	/*
	 * Worker that stops searching: notifies other workers of work that its search would have
	 * found.
	 */
	void (*settle)(struct nap_worker *worker);
	/*
	 * Joiner, when no other thread is inside: takes the next remaining task of this kind, or
	 * NULL.
	 */
	struct nap_task *(*left)(struct nap_pool *pool);
	/* Any thread inside: waiters for @news check again. @worker: for NEWS_GONE only. */
	void (*hear)(struct nap_pool *pool, enum nap__news news, struct nap_worker *worker);
	/* Any thread inside the visits: adds the amount of queued work to @left. */
	void (*count)(struct nap_pool *pool, struct nap__remaining *left);
};

/* The table, by enum nap__kind. NULL: the kind is not linked. */
extern const struct nap__source *const nap__sources[] __attribute__((visibility("hidden")));

/* Called by any thread inside, in the file of @kind: has the pool check this kind from now on. */
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
 * Loops over the sources of @pool; @source is a const struct nap__source *. The loop tests each
 * bit, because on a machine without an instruction for the next set bit the compiler would call its
 * own library, which a bare program does not link.
 */
#define for_each_source(source, pool)						\
	for (uint32_t kinds = nap_load_relaxed(&(pool)->kinds), kind = 0; kinds;	\
	     kinds >>= 1, kind++)						\
		if ((kinds & 1) && ((source) = nap__sources[kind], true))

/* These functions call those of struct nap__source, for all kinds. */
bool nap__sources_queued(struct nap_pool *pool, bool takeable);
struct nap_task *nap__sources_take(struct nap_worker *worker);
uint32_t nap__sources_reveal(struct nap_worker *worker);
void nap__sources_settle(struct nap_worker *worker);
struct nap_task *nap__sources_left(struct nap_pool *pool);
void nap__sources_hear(struct nap_pool *pool, enum nap__news news, struct nap_worker *worker);

#endif /* NAP_SOURCE_H */
