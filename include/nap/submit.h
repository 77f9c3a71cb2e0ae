/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_submit - run functions, a bounded number at a time
 *
 * A program that has no structure to embed a task in submits a function and its argument.
 *
 *	static struct nap_slot slots[1000];
 *	static struct nap_submitter submit = NAP_SUBMIT_INIT(&pool, slots, 1000);
 *
 *	err = nap_submit(&submit, hash, request);	-EAGAIN: 1,000 are under way
 *
 * The memory of the submitter and its slots stays until three kinds of calls have returned:
 * nap_pool_join(), because a worker may still touch the memory after the last slot is free;
 * nap_submit_end_left() for the tasks that the join leaves; and every call that submits, because
 * such a call may still call @mark.
 *
 * The number of slots is the most functions that are queued or run at once. Nothing is allocated.
 * When all slots are taken a submit is refused, or waits. To slow down earlier, a program sets
 * marks. When @high slots are taken, @mark is called, and the program stops reading from its
 * sockets, say. When only @low slots are still taken, @mark is called again, and the program reads
 * on.
 *
 * In the child of a fork the slots that were taken stay taken: the child initialises submitter and
 * slots again, as it does the pool.
 */
#ifndef NAP_SUBMIT_H
#define NAP_SUBMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "group.h"
#include "state.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_submitter;

/** typedef nap_submit_fn - a function to submit; left by return only, as a task is (nap/task.h) */
typedef void (*nap_submit_fn)(void *arg);

/**
 * typedef nap_mark_fn - called when the high or the low mark was passed
 *
 * Called on the thread that has passed the mark: a thread that submits, when its function is
 * scheduled; a worker; or a thread in nap_submit_end_left(). A submit to a pool that was shut down,
 * or in the child of a fork, passes no mark; but if the shutdown comes during the submit, @mark may
 * be called twice, for a slot that was taken and given back. No other thread waits for the call to
 * return. Two threads may be in @mark at the same time, and the calls may come in another order
 * than the marks were passed. So no argument says which mark was passed: @mark reads
 * nap_submit_is_high() and acts on the answer, both under a lock; or @mark lets a loop do both, by
 * nap_cq_push(). @mark may do what a task may, except submit to the same submitter.
 *
 * With @high equal to @count, and @low one less, @mark is called when a slot is free again after
 * all were taken. This is for a program that waits for a slot by its own means.
 */
typedef void (*nap_mark_fn)(struct nap_submitter *submit);

/** struct nap_slot - memory for one function; the caller's memory, private in every field */
struct nap_slot {
	struct nap_task task nap__zero;
	nap_submit_fn fn nap__zero;
	void *arg nap__zero;
	struct nap_submitter *submit nap__zero;
	uint32_t next nap__zero;	/* A: src/kit/slots.h */
};

/** NAP_SLOTS - the most slots that a struct nap_submitter can have */
#define NAP_SLOTS 0xffffffu

/**
 * struct nap_submitter - where functions are submitted
 * @pool:  the pool that runs the functions
 * @slots: zeroed memory, the caller's; it stays as long as the submitter
 * @count: the number of slots, 1 to NAP_SLOTS
 * @high:  @mark is called when this many slots are taken; 0: never
 * @low:   @mark is called again when only this many are still taken; less than @high
 * @mark:  called when a mark is passed; or NULL
 * @arg:   the program's
 *
 * The caller sets these before the first use, and never again. Only nap_submit_init() refuses marks
 * that are wrong: a static submitter whose @low is not less than @high calls @mark at any time, and
 * one whose @high is over @count never. Access letters: A: atomic.
 */
struct nap_submitter {
	struct nap_pool *pool;
	struct nap_slot *slots;
	uint32_t count;
	uint32_t high nap__zero;
	uint32_t low nap__zero;
	nap_mark_fn mark nap__zero;
	void *arg nap__zero;
	/* Each submit writes the fields below, and reads the fields above. */
	uint64_t taken nap__zero;	/* A: src/kit/slots.h */
	uint64_t free nap__zero;		/* A */
	/* A: the futex of threads from outside that wait for a slot */
	uint32_t event nap__zero;
	uint32_t most nap__zero;		/* A: the most that were taken at once */
	uint64_t refused nap__zero;		/* A: submits that were refused with -EAGAIN */
	uintptr_t waiters nap__zero;		/* A: workers that wait: src/sync/waitlist.h */
	/* A: workers that wait and cannot run tasks: src/kit/submit_stuck.h */
	uint64_t stuck nap__zero;
	uint32_t limit nap__zero;		/* A: slots that may be taken; 0: @count */
	uint32_t which nap__zero;		/* the class that @schedule schedules in */
	int (*schedule)(struct nap_pool *pool, uint32_t which, struct nap_task *task) nap__zero;
};

/** NAP_SUBMIT_INIT() - static initialiser: pool @p, @n zeroed slots at @s, no marks */
#define NAP_SUBMIT_INIT(p, s, n) { (p), (s), (n), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * nap_submit_init() - prepare a submitter at run time
 *
 * @slots need not be zeroed. No thread may use @submit or @slots during the call. Returns 0, or
 * -EINVAL when a pointer is NULL, @submit is not aligned as a pointer is, @count is 0 or over
 * NAP_SLOTS, or, with @high, @low is not less than @high or @high is over @count.
 */
int nap_submit_init(struct nap_submitter *submit, struct nap_pool *pool, struct nap_slot *slots,
		    uint32_t count, uint32_t high, uint32_t low, nap_mark_fn mark, void *arg);

/**
 * nap_submit_set_class() - submit in a class of the pool (nap/class.h)
 * @which: one of the pool's classes
 *
 * Call it after nap_pool_init(), before the first use of @submit. Returns 0, or -EINVAL when
 * @submit is NULL, or its pool has no such class.
 */
int nap_submit_set_class(struct nap_submitter *submit, uint32_t which);

/**
 * nap_submit_set_count() - change how many slots may be taken
 * @count: 1 to submit->count
 *
 * Any thread, at any time. If more slots are taken, no slot can be taken until enough have been
 * given back; a submit that is under way may still use the old count. When the count grows, threads
 * that wait for a slot are notified. The marks do not change: a mark above @count is never passed.
 * Returns 0, or -EINVAL.
 */
int nap_submit_set_count(struct nap_submitter *submit, uint32_t count);

/**
 * nap_submit() - have @fn called with @arg on some worker, soon
 *
 * Any thread; as nap_schedule(), the call never blocks on other threads. Returns 0; -EAGAIN when
 * every slot is taken; -ESHUTDOWN when the pool was shut down, even if every slot is taken; -EINVAL
 * when @submit or @fn is NULL, or @submit has no pool, no slots, or a count that is 0 or over
 * NAP_SLOTS.
 */
int nap_submit(struct nap_submitter *submit, nap_submit_fn fn, void *arg);

/**
 * nap_submit_wait() - nap_submit() that waits while every slot is taken
 * @timeout_ns: how long to wait for a slot (see nap_group_wait_for)
 *
 * Any thread. During its wait the caller runs tasks of the pool. (If the caller is a worker, these
 * are nested in the task that submits, and run only while the stack has room.) When there are no
 * tasks the caller sleeps until a slot is free. A fiber waits as a thread does: its worker runs
 * tasks on the fiber's stack, and the fiber goes on there.
 *
 * A submitted function that waits for a slot has a slot itself. So the functions in all slots may
 * wait for a slot of @submit, without a deadline. Then one of these waits returns -EDEADLK, if
 * every worker of the pool waits in one of these functions, no other thread is about to schedule a
 * slot, and this has lasted for a tenth of a second. Functions that wait for each other in another
 * way, by two submitters, say, wait for ever. A wait without a deadline also returns -EDEADLK if
 * the caller is a worker of another pool, its stack has no room for a task, the pool has no worker
 * and can start none, and functions are queued.
 *
 * Returns 0; -ETIMEDOUT when no slot became free in that time; -EDEADLK when no thread would give a
 * slot back, as above; -ESHUTDOWN when the pool was shut down, also during the wait;
 * -EINVAL as nap_submit().
 */
int nap_submit_wait(struct nap_submitter *submit, nap_submit_fn fn, void *arg, uint64_t timeout_ns);

/**
 * nap_submit_wait_until() - nap_submit_wait() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_submit_wait_until(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
			  uint64_t deadline);

/**
 * nap_submit_wait_only() - nap_submit_wait_until() that runs no tasks while it waits
 *
 * So a pool of one worker runs one function at a time, in the order in which a thread submits. A
 * caller that is a worker of the pool runs nothing while it waits: so the call also returns
 * -EDEADLK when no other thread could run what is queued. If the caller is outside, or a worker of
 * another pool, and the pool has no worker and can start none, the caller still runs the pool's
 * tasks, one at a time, because no other thread would.
 */
int nap_submit_wait_only(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
			 uint64_t deadline);

/** nap_submit_is_high() - whether the high mark was passed last, not the low mark; any thread */
bool nap_submit_is_high(const struct nap_submitter *submit);

/**
 * struct nap_submit_stats - how full a submitter is
 * @taken:   slots whose functions are queued or run
 * @most:    the most slots that were taken at once; a submit that was refused because the pool was
 *           shut down may count
 * @count:   how many slots may be taken
 * @refused: submits that were answered -EAGAIN
 */
struct nap_submit_stats {
	uint32_t taken, most, count;
	uint32_t reserved;
	uint64_t refused;
	uint64_t reserved_too[2];
};

/**
 * nap_submit_get_stats() - read the counters; any thread; each number was right at some time during
 * the call
 *
 * Returns 0, or -EINVAL when a pointer is NULL.
 */
int nap_submit_get_stats(const struct nap_submitter *submit, struct nap_submit_stats *stats);

/**
 * nap_submit_end_left() - give back the slots of functions that a stopped pool has left
 * @left:  the batch of nap_pool_join(); tasks that were not submitted stay in it
 * @ended: called with each function that does not run, and its argument; or NULL
 *
 * Returns how many slots were given back.
 */
size_t nap_submit_end_left(struct nap_batch *left, void (*ended)(nap_submit_fn fn, void *arg));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SUBMIT_H */
