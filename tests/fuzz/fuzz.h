/* SPDX-License-Identifier: MIT */
/*
 * The API, driven by a byte string, against a model of what it promises.
 *
 *	api.c		the driver: every byte string is a program of calls; tidies up at the end
 *	calls.c		the calls of driver and tasks, each with the results that are right
 *	driver.c	calls that only the driver makes; work.c: the driver's schedules
 *	loops.c		loops, sorts, broadcasts
 *	tasks.c		what tasks do: schedule others, wait, help, shut down, ...
 *	model.c		the model of pools, groups and tasks; slots.c: the slots for tasks
 *	seam.c		the system, which fails and wakes for nothing on demand
 *	replay.c	main() without libFuzzer
 *	daemon/		another driver, of the calls that daemons make: works, queues, slots
 *
 * The model, by what the headers promise:
 *
 *	tasks	an accepted task is run once or returned once, by the pool that accepted it. A
 *		refused task is neither run nor returned. A call may refuse only if a shutdown has
 *		begun, and may accept only if no shutdown is over.
 *	pools	after a successful quiesce every task that was on the pool has ended, and the pool's
 *		counters are the model's. A pool of one worker runs the driver's tasks in the order
 *		of their scheduling.
 *	groups	a wait ends when the model's counter is 0, or with a documented error.
 *	system	at the end every thread is joined, and every mapping given back.
 *
 * Only the driver adds to groups, initialises and joins pools, and reuses tasks. So the model knows
 * that the driver makes only allowed calls: it does not reuse a pool on which a task of another
 * pool may still call, and adds no members to a group that may have waiters. Tasks that block stand
 * at the door, which the driver opens before it waits without a time limit.
 */
#ifndef NAP_TESTS_FUZZ_H
#define NAP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fuzz/seam.h"

#define POOLS		3	/* the first is static */
#define GROUPS		3
#define SLOTS		24
#define CHILDREN	6
#define NONE		0xffu	/* no pool, no group */

enum kind {
	PLAIN,		/* has no other effect */
	AGAIN,		/* schedules itself, @arg times */
	SINGLY,		/* schedules @arg children one by one */
	BATCH,		/* schedules @arg children as a batch */
	OTHER,		/* schedules a child on another pool */
	FORK,		/* schedules @arg children and waits for them */
	WAIT,		/* waits for a group */
	END,		/* shuts a pool down */
	HELPER,		/* runs up to @arg tasks of a pool */
	/* makes the calls that workers may not make, and calls about the caller itself */
	INSIDE,
	WATCH,		/* quiesces another pool, for a short time */
	BLOCK,		/* stands at the door */
	HEAP,		/* schedules @arg tasks that free themselves */
	WARM,		/* asks for @arg workers */
	JOBS,		/* forks and joins @arg jobs that each schedule a child; then loops */
	NR_KINDS,
	MEMBER = NR_KINDS,	/* a member of a group */
};

struct slot;

struct item {
	struct nap_task task;
	struct slot *slot;
	uint32_t pool;
	/* its number among the items that the driver schedules on this pool; 0: it has none */
	uint32_t order;
	uint32_t in_flight;	/* atomic: the pool has accepted it */
};

/* A task that the driver schedules, and the children that this task schedules. */
struct slot {
	struct item root, child[CHILDREN];
	enum kind kind;
	uint32_t home;		/* the pool on which the driver schedules the root */
	uint32_t arg, pool, group;	/* arguments, according to @kind */
	struct nap_group own;
	uint32_t left;
	uint32_t pending; /* atomic: items in flight or running; +1 while the driver prepares */
	uint32_t offered, ran, refused, returned;	/* atomic */
};

struct fuzz_pool {
	struct nap_pool *pool;
	uint32_t limit;		/* the highest number of workers */
	uint32_t closing, closed;	/* atomic: shutdowns and joins begun; whether one is over */
	uint32_t stopping, stopped;	/* atomic: stops begun; whether one is over */
	uint32_t joining, joined;	/* atomic: a join has begun, is over */
	uint32_t ended[3];	/* atomic: shutdowns that returned 0, by mode */
	uint32_t users;		/* atomic: tasks of any pool that may still call on this pool */
	uint32_t by_workers, by_others;	/* atomic: counts of runs */
	uint32_t heap;		/* atomic: the pool's tasks that lie on the heap */
	uint32_t failures;	/* atomic: failures that spawn_failed() has reported */
	uint32_t started, left;	/* atomic: workers that have begun, have ended */
	uint32_t orders;	/* the last order that was given out */
	/* atomic: threads other than the driver have scheduled since the pool was at rest */
	uint32_t order_lost;
	uint32_t last_by_worker, last_by_driver;	/* the last order that each has run */
};

struct fuzz_group {
	struct nap_group group;
	uint32_t pool;
	uint32_t todo;		/* atomic: members for which nap_group_done() has not been called */
	uint32_t members;	/* atomic: members for which nap_group_done() has not returned */
	uint32_t waiters;	/* atomic: tasks that wait, or will wait */
};

extern struct fuzz_pool pools[POOLS];
extern struct fuzz_group groups[GROUPS];
extern struct slot slots[SLOTS];
extern uint32_t door_closed;	/* atomic: tasks that block wait until it is 0 */

/* ---- model.c ---- */

void model_begin(void);
void model_end(void);

/* Whether the calling thread is inside the pool: as its worker, or in one of its tasks. */
bool is_inside(uint32_t pool);
bool is_driver(void);

/* Schedules @item (or a heap task) on pool @p from the calling thread; false: refused. */
bool offer(struct item *item, uint32_t p);
bool offer_batch(struct item **items, unsigned int n, uint32_t p);
bool offer_heap(struct nap_task *task, uint32_t p);

/*
 * begin_run() and end_run() enclose the run of a task, begin_heap_run() and end_heap_run() the run
 * of a heap task.
 */
struct frame {
	uint32_t pool;
	struct frame *outer;
};
void begin_run(struct item *item, struct frame *frame);
void end_run(struct item *item, struct frame *frame);
void begin_heap_run(uint32_t p, struct frame *frame);
void end_heap_run(struct frame *frame);

/* Counts the tasks that call_help() runs directly. */
struct help_scope {
	uint32_t pool;
	long ran;
	struct frame *at;
	struct help_scope *outer;
};
void begin_help(struct help_scope *scope, uint32_t p);
void end_help(struct help_scope *scope);

/* Notes that a root has ended or was never begun: it makes no calls from now on. */
void root_ended(struct slot *slot);

/* Counts a job that begins to run. */
void begin_job(void);

/* Takes back the tasks that a join has returned. */
void take_back(uint32_t p, struct nap_batch *left);

/* Takes a free slot, or returns NULL. The driver frees the slot by slot_ready(). */
struct slot *slot_take(enum kind kind, uint32_t arg);
void slot_ready(struct slot *slot);
void slot_check(struct slot *slot);

/* Whether no task on another pool could touch this pool. */
bool is_alone(uint32_t p);

/* ---- tasks.c ---- */

void run_root(struct nap_task *task);
void run_child(struct nap_task *task);
void run_heap(struct nap_task *task);

struct heap_task {
	struct nap_task task;
	uint32_t pool;
};

/* Returns the number of runs of a slot of this kind when nothing is refused or returned. */
uint32_t runs_of(const struct slot *slot);

/* ---- calls.c, by driver and tasks ---- */

void call_shutdown(uint32_t p, uint32_t mode);
void call_help(uint32_t p, unsigned long max);
void call_wait(uint32_t g, uint64_t timeout);
void call_prewarm(uint32_t p, uint32_t n);
void call_stats(uint32_t p);
/* Whether a wait for pool @p on @worker (or on no worker) may return -ECANCELED. */
bool may_be_canceled(uint32_t p, struct nap_worker *worker);
void group_done(uint32_t g);

/* ---- loops.c, by driver and tasks: @n indices or numbers; the bits of @how say how */

extern uint32_t loops_begun;	/* atomic */
void call_loops(uint32_t p, uint32_t n, uint32_t how);

/* ---- driver.c ---- */

void open_door(void);
void call_quiesce(uint32_t p, uint64_t timeout);
void call_join(uint32_t p, bool take);
void call_init(uint32_t p, uint32_t config);
void call_renew(uint32_t p);
void free_pools(void);
void call_group(uint32_t g, uint32_t n, uint32_t p);
void call_group_init(uint32_t g, uint32_t p);
void call_schedule(uint32_t p, enum kind kind, uint32_t arg, uint32_t other);
void call_schedule_batch(uint32_t p, uint32_t n, uint32_t kinds);
void call_badly(uint32_t p, uint32_t g);

#endif /* NAP_TESTS_FUZZ_H */
