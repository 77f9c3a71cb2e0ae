/* SPDX-License-Identifier: MIT */
/*
 * The fibers of a pool: their stacks, in one mapping, and the counts of fibers.
 *
 *	guard | stack ->      <- top | struct nap_fiber    next guard | ...    notes
 *
 * Free stacks: src/async/fiber/free.c. A stack that was ever used has a struct nap_fiber at its top
 * until the pool is freed. nap_fibers_trim() gives back the pages of the whole stack, so that this
 * record is all zero. The stack's note has what must outlive a trim.
 */
#ifndef NAP_FIBER_STACKS_H
#define NAP_FIBER_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/fiber.h>

#include "async/fiber/free_list.h"
#include "async/async.h"
#include "worker/worker.h"

/* Access letters: I: set when the record is made, A: atomic. */
struct nap__fibers {
	struct nap__async async;
	struct nap_pool *pool;		/* I */
	char *stacks;			/* A: the mapping; NULL until the stacks are sized */
	uint32_t lock;			/* protects the sizing, and @starts */
	struct nap_batch starts;	/* tasks that wait for a stack: src/async/fiber/starts.c */
	size_t slot;			/* I, set with stacks: bytes from a stack to the next */
	size_t guard;			/* I, set with stacks */
	uint32_t most;			/* I, set with stacks: how many stacks there are */
	uint32_t keep;			/* I, set with stacks: free stacks that a worker may keep */
	uint32_t generation;		/* I: the generation of a stack before its first fiber */
	void (*unbegun)(nap_fiber_fn fn, void *arg);	/* I, set with stacks; or NULL */
	bool owned;			/* the joiner of a stopped pool owns and runs all fibers */
	struct nap__stack_note *notes;	/* I, set with stacks: one for each stack */
	uint32_t used nap__line;	/* A: stacks that were ever used */
	uint32_t unguarded;		/* A: used stacks without a guard */
	uint32_t guard_mappings;	/* A: guards that are mappings of their own */
	struct nap__free_list warm nap__line;	/* free stacks that keep their pages */
	struct nap__free_list cold;	/* free stacks whose pages were given back */
	/* A: counts the moves of free stacks, and the threads that are moving stacks now */
	uint64_t moves nap__line;
	uint64_t spawned nap__line;	/* A: fibers spawned by threads that are not workers */
	uint64_t ended;			/* A: fibers ended by such threads */
};

/* Returns the fibers of a pool that has them already. */
static inline struct nap__fibers *fibers_of(struct nap_pool *pool)
{
	return nap_container_of(pool_async(pool), struct nap__fibers, async);
}

/* As fibers_of(). NULL: the pool has had no fiber, timer or file. */
static inline struct nap__fibers *fibers_if_any(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_container_of(async, struct nap__fibers, async) : NULL;
}

/*
 * Makes the pool's fibers, if there are none yet; NULL: no memory. The caller is inside the pool.
 */
struct nap__fibers *nap__fibers_make(struct nap_pool *pool);

static inline struct nap__fibers *nap__fibers_of(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_container_of(async, struct nap__fibers, async) : nap__fibers_make(pool);
}

/* Returns the struct nap_fiber_start whose task is @task. */
static inline struct nap_fiber_start *start_of(struct nap_task *task)
{
	return nap_container_of(task, struct nap_fiber_start, task);
}

/* Gives back the memory of the stacks and of @fibers; no other thread uses them. */
void nap__fibers_unmake(struct nap__fibers *fibers);

/* Sizes the stacks. Returns 0; -EBUSY: the stacks were sized before; -ENOMEM or -EINVAL. */
int nap__stacks_init(struct nap__fibers *fibers, const struct nap_fibers_config *config);

/* Whether the stacks are sized. A thread may take a stack only after it has seen true here. */
static inline bool stacks_are_sized(struct nap__fibers *fibers)
{
	/* pairs with the release in nap__stacks_init() [A6] */
	return nap_load_acquire(&fibers->stacks);
}

/* Takes a free stack of a sized pool; NULL: all are taken. @worker: the caller, or NULL. */
struct nap_fiber *nap__stack_take(struct nap__fibers *fibers, struct nap_worker *worker);

/* Whether a worker keeps free stacks for itself; guests do not. */
static inline bool keeps_stacks(struct nap_worker *worker)
{
	return worker && !worker->guest;
}

/* Keeps the stack of @fiber in @worker. */
static inline void stack_keep(struct nap_worker *worker, struct nap_fiber *fiber)
{
	/* The fiber's fields are written before this: pairs with take_slot(). [A12] */
	nap_store_release(&worker->stacks[worker->nr_stacks++], fiber);
}

/*
 * Moves half of the stacks that @worker keeps to the warm list, because its slots are full. free.c
 */
void nap__stacks_spill(struct nap__fibers *fibers, struct nap_worker *worker);

/*
 * Frees the stack of @fiber, or gives it to the task that has waited longest for a stack. @worker:
 * the caller, or NULL. src/async/fiber/starts.c
 */
void nap__stack_give(struct nap__fibers *fibers, struct nap_worker *worker,
		     struct nap_fiber *fiber);

/* Lists @task, which the caller has begun, until a stack is free for it. */
void nap__starts_wait(struct nap__fibers *fibers, struct nap_worker *worker, struct nap_task *task);

/*
 * Gives free stacks to listed tasks. Called by a thread inside the pool that has held a free stack
 * for a while.
 */
void nap__starts_feed(struct nap__fibers *fibers);

/*
 * Returns the first listed task, now with a stack, or NULL. Called by a worker that has found
 * nothing else, or at a tick.
 */
struct nap_task *nap__starts_take(struct nap_worker *worker);

/* Whether nap__starts_take() would find a task. Any thread inside. */
bool nap__starts_may(struct nap_pool *pool);

/*
 * Called by the joiner, when no other thread is inside: nap__starts_end() appends all listed tasks
 * to @left, and nap__start_give_back() prepares one of these tasks for the program.
 */
void nap__starts_end(struct nap__fibers *fibers, struct nap_batch *left);
void nap__start_give_back(struct nap__fibers *fibers, struct nap_task *task);

/* The function of a task that takes a stack when it begins. src/async/fiber/start.c */
void nap__start_run(struct nap_task *task);

/* Gives back the pages of free stacks. Returns how many bytes. */
long nap__stacks_trim(struct nap__fibers *fibers);

/*
 * Returns how many of the stacks that were ever used are free. Each stack is checked at some time
 * during the call.
 */
uint32_t nap__stacks_free(struct nap__fibers *fibers);

/*
 * nap__stack_new() takes a stack that was never used, or returns NULL; nap__stack_again() sets up a
 * free stack whose pages were given back.
 */
struct nap_fiber *nap__stack_new(struct nap__fibers *fibers);
struct nap_fiber *nap__stack_again(struct nap__fibers *fibers, uint32_t index);

/* Returns the fiber on stack @index, which is below fibers->used. */
struct nap_fiber *nap__fiber_at(struct nap__fibers *fibers, uint32_t index);

/* Returns the bytes of the whole mapping. */
static inline size_t nap__stacks_size(const struct nap__fibers *fibers)
{
	return (fibers->slot + sizeof(struct nap__stack_note)) * fibers->most;
}

/* Returns the lowest byte of the fiber's stack, above the guard. */
char *nap__stack_low(struct nap__fibers *fibers, const struct nap_fiber *fiber);

/*
 * Whether @worker counts in its own record. (An unregistered guest does not: its record, with the
 * index UINT32_MAX, is gone when it leaves.)
 */
static inline bool counts_fibers(struct nap_worker *worker)
{
	return worker && worker->index != UINT32_MAX;
}

/* Counts a spawned fiber. @worker: the caller, or NULL. */
static inline void nap__fibers_count_spawned(struct nap__fibers *fibers, struct nap_worker *worker)
{
	if (counts_fibers(worker))
		stat_add(&worker->stats.fibers_spawned, 1);
	else
		nap_fetch_add_relaxed(&fibers->spawned, 1);
}

static inline void nap__fibers_count_ended(struct nap__fibers *fibers, struct nap_worker *worker)
{
	/*
	 * The spawn of the fiber, and the fiber's own spawns, come before this: pairs with
	 * nap__fibers_live(). [A8]
	 */
	if (counts_fibers(worker))
		nap_store_release(&worker->stats.fibers_ended, worker->stats.fibers_ended + 1);
	else
		/* pairs with nap__fibers_live() [A8] */
		nap_fetch_add_release(&fibers->ended, 1);
}

/*
 * Returns the present number of fibers; *@spawned: the number that was ever spawned. Called by any
 * thread inside the pool.
 */
uint64_t nap__fibers_live(struct nap__fibers *fibers, uint64_t *spawned);

/* The functions that the rest of the pool calls for its fibers: src/async/fiber/stop.c */
extern const struct nap__async_ops nap__fiber_ops __attribute__((visibility("hidden")));

#endif /* NAP_FIBER_STACKS_H */
