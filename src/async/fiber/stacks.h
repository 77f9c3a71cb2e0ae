/* SPDX-License-Identifier: MIT */
/*
 * The fibers of a pool: their stacks, in one mapping, and how many there are.
 *
 *	guard | stack ->      <- top | struct nap_fiber    next guard | ...    notes
 *
 * Which are free says src/async/fiber/free.c. Where the last fiber was is a struct nap_fiber as
 * long as the pool is there, that or all zero: nap_fibers_trim() gives back the whole stack. What
 * has to outlive that stands in its note.
 */
#ifndef NAP_FIBER_STACKS_H
#define NAP_FIBER_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/fiber.h>

#include "async/fiber/free_list.h"
#include "worker/async.h"
#include "worker/worker.h"

/* Access: I set when it is made, A atomic. */
struct nap__fibers {
	struct nap__async async;
	struct nap_pool *pool;		/* I */
	char *stacks;			/* A: the mapping; NULL until it is sized */
	uint32_t lock;			/* for sizing, and for */
	struct nap_batch starts;	/* those that wait for a stack: src/async/fiber/starts.c */
	size_t slot;			/* I, as of stacks: from one stack to the next */
	size_t guard;			/* I, the same */
	uint32_t most;			/* I, the same */
	uint32_t keep;			/* I, the same: free ones that a worker has at most */
	void (*unbegun)(nap_fiber_fn fn, void *arg);	/* I, the same; or NULL */
	struct nap__stack_note *notes;	/* I, the same: one for each stack */
	uint32_t used nap__line;	/* A: stacks that were ever used */
	uint32_t unguarded;		/* A */
	uint32_t guard_mappings;	/* A: guards that are mappings of their own */
	struct nap__free_list warm nap__line;	/* free stacks */
	struct nap__free_list cold;	/* the same, whose pages were given back */
	uint64_t moves nap__line;	/* A: how often free ones were moved, and by how many now */
	uint64_t spawned nap__line;	/* A: by whom no worker counts */
	uint64_t ended;			/* A: the same */
};

/* Of a pool that has had fibers. */
static inline struct nap__fibers *fibers_of(struct nap_pool *pool)
{
	return nap_container_of(pool_async(pool), struct nap__fibers, async);
}

/* NULL: there are none. */
static inline struct nap__fibers *fibers_if_any(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_container_of(async, struct nap__fibers, async) : NULL;
}

/* The pool's, which are made when there are none; NULL: no memory. The caller is inside. */
struct nap__fibers *nap__fibers_make(struct nap_pool *pool);

static inline struct nap__fibers *nap__fibers_of(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_container_of(async, struct nap__fibers, async) : nap__fibers_make(pool);
}

/* The task of one that takes its stack when its turn comes. */
static inline struct nap_fiber_start *start_of(struct nap_task *task)
{
	return nap_container_of(task, struct nap_fiber_start, task);
}

/* Size the stacks. 0, -EBUSY: they are; -ENOMEM, -EINVAL. */
int nap__stacks_init(struct nap__fibers *fibers, const struct nap_fibers_config *config);

/* Whether they are. A thread that has not found that takes no stack. */
static inline bool stacks_are_sized(struct nap__fibers *fibers)
{
	return nap_load_acquire(&fibers->stacks);	/* pairs with nap__stacks_init() [A6] */
}

/* A fiber nobody has, of a pool that is sized; NULL: all are taken. @worker: the caller, or NULL. */
struct nap_fiber *nap__stack_take(struct nap__fibers *fibers, struct nap_worker *worker);

/* Whether a worker keeps free ones; one more; and it keeps as many as it may. src/async/fiber/free.c */
static inline bool keeps_stacks(struct nap_worker *worker)
{
	return worker && !worker->guest;
}

static inline void stack_keep(struct nap_worker *worker, struct nap_fiber *fiber)
{
	/* Pairs with take_slot(): the fiber. [A12] */
	nap_store_release(&worker->stacks[worker->nr_stacks++], fiber);
}

void nap__stacks_spill(struct nap__fibers *fibers, struct nap_worker *worker);

/*
 * The fiber no longer has it: free, or for the one that has waited longest for a stack. @worker as
 * above. src/async/fiber/starts.c
 */
void nap__stack_give(struct nap__fibers *fibers, struct nap_worker *worker,
		     struct nap_fiber *fiber);

/* The caller has come to @task, and there is no stack: it waits for one. */
void nap__starts_wait(struct nap__fibers *fibers, struct nap_worker *worker, struct nap_task *task);

/* Worker that has found nothing else, or at a turn: the first, which has a stack now, or NULL. */
struct nap_task *nap__starts_take(struct nap_worker *worker);

/* Any thread inside: whether there is such a one. */
bool nap__starts_may(struct nap_pool *pool);

/* The joiner, with nobody else inside: all that wait, behind @left; and one that comes out. */
void nap__starts_end(struct nap__fibers *fibers, struct nap_batch *left);
void nap__start_give_back(struct nap__fibers *fibers, struct nap_task *task);

/* The function of its task. src/async/fiber/start.c */
void nap__start_run(struct nap_task *task);

/* Give back the pages of those that are free: how many bytes of stacks. */
long nap__stacks_trim(struct nap__fibers *fibers);

/* How many are free of those that were ever used, as of some moments during the call. */
uint32_t nap__stacks_free(struct nap__fibers *fibers);

/* One that was never used, or NULL; one whose pages were given back. The caller's from here on. */
struct nap_fiber *nap__stack_new(struct nap__fibers *fibers);
struct nap_fiber *nap__stack_again(struct nap__fibers *fibers, uint32_t index);

/* The one with number @index, under fibers->used. */
struct nap_fiber *nap__fiber_at(struct nap__fibers *fibers, uint32_t index);

/* Bytes of the mapping. */
static inline size_t nap__stacks_size(const struct nap__fibers *fibers)
{
	return (fibers->slot + sizeof(struct nap__stack_note)) * fibers->most;
}

/* The end of its stack, and how much there is up to the fiber itself. */
char *nap__stack_low(struct nap__fibers *fibers, const struct nap_fiber *fiber);

/* Workers, whose records are read as long as the pool is there. */
static inline bool counts_fibers(struct nap_worker *worker)
{
	return worker && worker->index != UINT32_MAX;
}

/* Counting; @worker as above. */
static inline void nap__fibers_count_spawned(struct nap__fibers *fibers, struct nap_worker *worker)
{
	if (counts_fibers(worker))
		stat_add(&worker->stats.fibers_spawned, 1);
	else
		nap_fetch_add_relaxed(&fibers->spawned, 1);
}

static inline void nap__fibers_count_ended(struct nap__fibers *fibers, struct nap_worker *worker)
{
	/* Pairs with nap__fibers_live(): that it was spawned, and whatever it has spawned. [A8] */
	if (counts_fibers(worker))
		nap_store_release(&worker->stats.fibers_ended, worker->stats.fibers_ended + 1);
	else
		nap_fetch_add_release(&fibers->ended, 1);	/* the same [A8] */
}

/* Any thread inside: how many have not ended; *@spawned: how many there ever were. */
uint64_t nap__fibers_live(struct nap__fibers *fibers, uint64_t *spawned);

/* src/async/fiber/stop.c */
extern const struct nap__async_ops nap__fiber_ops __attribute__((visibility("hidden")));

#endif /* NAP_FIBER_STACKS_H */
