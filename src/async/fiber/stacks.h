/* SPDX-License-Identifier: MIT */
/*
 * The fibers of a pool: their stacks, in one mapping, and how many there are.
 *
 *	guard | stack ->      <- top | struct nap_fiber    next guard | ...    notes
 *
 * src/async/fiber/free.c says which are free. A stack that was ever used has a struct nap_fiber at
 * its top until the pool is gone; after nap_fibers_trim(), which gives back the pages of the whole
 * stack, that is all zero. What has to outlive a trim stands in the stack's note.
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

/* Access: I set when it is made, A atomic. */
struct nap__fibers {
	struct nap__async async;
	struct nap_pool *pool;		/* I */
	char *stacks;			/* A: the mapping; NULL until it is sized */
	uint32_t lock;			/* of the sizing, and of */
	struct nap_batch starts;	/* tasks that wait for a stack: src/async/fiber/starts.c */
	size_t slot;			/* I, with stacks: bytes from a stack to the next */
	size_t guard;			/* I, the same */
	uint32_t most;			/* I, the same: how many stacks there are */
	uint32_t keep;			/* I, the same: free stacks that a worker may keep */
	void (*unbegun)(nap_fiber_fn fn, void *arg);	/* I, the same; or NULL */
	struct nap__stack_note *notes;	/* I, the same: one for each stack */
	uint32_t used nap__line;	/* A: stacks that were ever used */
	uint32_t unguarded;		/* A */
	uint32_t guard_mappings;	/* A: guards that are mappings of their own */
	struct nap__free_list warm nap__line;	/* free stacks */
	struct nap__free_list cold;	/* free stacks whose pages were given back */
	uint64_t moves nap__line;	/* A: moves of free stacks, ever; threads that move now */
	uint64_t spawned nap__line;	/* A: fibers spawned by threads that are not workers */
	uint64_t ended;			/* A: fibers ended by such threads */
};

/* Of a pool that has them already. */
static inline struct nap__fibers *fibers_of(struct nap_pool *pool)
{
	return nap_container_of(pool_async(pool), struct nap__fibers, async);
}

/* NULL: the pool has had no fiber, timer or file. */
static inline struct nap__fibers *fibers_if_any(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_container_of(async, struct nap__fibers, async) : NULL;
}

/* The pool's, made if there are none yet; NULL: no memory. The caller is inside. */
struct nap__fibers *nap__fibers_make(struct nap_pool *pool);

static inline struct nap__fibers *nap__fibers_of(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_container_of(async, struct nap__fibers, async) : nap__fibers_make(pool);
}

/* @task is that of a fiber that takes its stack when the task begins. */
static inline struct nap_fiber_start *start_of(struct nap_task *task)
{
	return nap_container_of(task, struct nap_fiber_start, task);
}

/* Size the stacks. 0; -EBUSY: they were sized before; -ENOMEM, -EINVAL. */
int nap__stacks_init(struct nap__fibers *fibers, const struct nap_fibers_config *config);

/* Whether they are sized. A thread may take a stack only after it has seen this true. */
static inline bool stacks_are_sized(struct nap__fibers *fibers)
{
	return nap_load_acquire(&fibers->stacks);	/* pairs with nap__stacks_init() [A6] */
}

/* A free stack, of a pool that is sized; NULL: all are taken. @worker: the caller, or NULL. */
struct nap_fiber *nap__stack_take(struct nap__fibers *fibers, struct nap_worker *worker);

/* Whether a worker keeps free stacks for itself; guests do not. */
static inline bool keeps_stacks(struct nap_worker *worker)
{
	return worker && !worker->guest;
}

/* @worker keeps the stack of @fiber. */
static inline void stack_keep(struct nap_worker *worker, struct nap_fiber *fiber)
{
	/* Pairs with take_slot(): the fiber. [A12] */
	nap_store_release(&worker->stacks[worker->nr_stacks++], fiber);
}

/* @worker keeps as many as it may: move half of them to the warm ones. src/async/fiber/free.c */
void nap__stacks_spill(struct nap__fibers *fibers, struct nap_worker *worker);

/*
 * The stack of @fiber is free, or goes to the fiber that has waited longest for one. @worker: the
 * caller, or NULL. src/async/fiber/starts.c
 */
void nap__stack_give(struct nap__fibers *fibers, struct nap_worker *worker,
		     struct nap_fiber *fiber);

/* The caller has begun @task, and there is no stack: list @task until there is one. */
void nap__starts_wait(struct nap__fibers *fibers, struct nap_worker *worker, struct nap_task *task);

/* Any thread inside that has had a free stack for a while: a worker may have missed that stack. */
void nap__starts_feed(struct nap__fibers *fibers);

/*
 * Worker that has found nothing else, or at a tick: the first listed task, now with a stack; or
 * NULL.
 */
struct nap_task *nap__starts_take(struct nap_worker *worker);

/* Any thread inside: whether nap__starts_take() would find one. */
bool nap__starts_may(struct nap_pool *pool);

/*
 * The joiner, with nobody else inside: append all that are listed to @left; one that is in @left.
 */
void nap__starts_end(struct nap__fibers *fibers, struct nap_batch *left);
void nap__start_give_back(struct nap__fibers *fibers, struct nap_task *task);

/* The function of such a task. src/async/fiber/start.c */
void nap__start_run(struct nap_task *task);

/* Give back the pages of free stacks. Returns how many bytes. */
long nap__stacks_trim(struct nap__fibers *fibers);

/*
 * How many of the stacks that were ever used are free; each is checked at some time during the
 * call.
 */
uint32_t nap__stacks_free(struct nap__fibers *fibers);

/* A stack that was never used, or NULL; one whose pages were given back. The caller has it now. */
struct nap_fiber *nap__stack_new(struct nap__fibers *fibers);
struct nap_fiber *nap__stack_again(struct nap__fibers *fibers, uint32_t index);

/* The fiber on stack @index, which is below fibers->used. */
struct nap_fiber *nap__fiber_at(struct nap__fibers *fibers, uint32_t index);

/* Bytes of the whole mapping. */
static inline size_t nap__stacks_size(const struct nap__fibers *fibers)
{
	return (fibers->slot + sizeof(struct nap__stack_note)) * fibers->most;
}

/* The lowest byte of its stack, above the guard. */
char *nap__stack_low(struct nap__fibers *fibers, const struct nap_fiber *fiber);

/* Whether @worker has counters of its own: its record is read until the pool is gone. */
static inline bool counts_fibers(struct nap_worker *worker)
{
	return worker && worker->index != UINT32_MAX;
}

/* @worker: the caller, or NULL. */
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
	 * Pairs with nap__fibers_live(): that the fiber was spawned, and what it has spawned. [A8]
	 */
	if (counts_fibers(worker))
		nap_store_release(&worker->stats.fibers_ended, worker->stats.fibers_ended + 1);
	else
		nap_fetch_add_release(&fibers->ended, 1);	/* the same [A8] */
}

/* Any thread inside: how many fibers have not ended; *@spawned: how many there ever were. */
uint64_t nap__fibers_live(struct nap__fibers *fibers, uint64_t *spawned);

/* src/async/fiber/stop.c */
extern const struct nap__async_ops nap__fiber_ops __attribute__((visibility("hidden")));

#endif /* NAP_FIBER_STACKS_H */
