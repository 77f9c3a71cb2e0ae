/* SPDX-License-Identifier: MIT */
/*
 * The fibers of a pool: their stacks, in one mapping, and how many there are.
 *
 *	guard | stack ->      <- top | struct nap_fiber    next guard | ...
 *
 * A stack that is free is in the list of the worker that freed it, or in the one list of all.
 * Its memory stays a struct nap_fiber as long as the pool is there.
 */
#ifndef NAP_FIBER_STACKS_H
#define NAP_FIBER_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/fiber.h>

#include "async.h"
#include "worker.h"

/* Access: I set when it is made, A atomic. */
struct nap__fibers {
	struct nap__async async;
	struct nap_pool *pool;		/* I */
	char *stacks;			/* A: the mapping; NULL until it is sized */
	uint32_t lock;			/* for sizing, and for */
	struct nap__foreign *foreign;	/* fibers of others that wait for this pool */
	size_t slot;			/* I, as of stacks: from one stack to the next */
	size_t guard;			/* I, the same */
	uint32_t most;			/* I, the same */
	uint32_t used nap__line;	/* A: stacks that were ever used */
	uint32_t unguarded;		/* A */
	uint64_t free nap__line;	/* A: the list of all: a tag, and an index + 1 */
	uint64_t spawned nap__line;	/* A: by whom no worker counts */
	uint64_t ended;			/* A: the same */
};

/* The pool's, which are made when there are none; NULL: no memory. The caller is inside. */
struct nap__fibers *nap__fibers_of(struct nap_pool *pool);

/* Size the stacks. 0, -EBUSY: they are; -ENOMEM, -EINVAL. */
int nap__stacks_init(struct nap__fibers *fibers, const struct nap_fibers_config *config);

/* Whether they are. Who has not found that takes no stack. */
static inline bool stacks_are_sized(struct nap__fibers *fibers)
{
	return nap_load_acquire(&fibers->stacks);	/* pairs with nap__stacks_init() [A6] */
}

/* A fiber nobody has, of a pool that is sized; NULL: all are taken. @worker: the caller, or NULL. */
struct nap_fiber *nap__stack_take(struct nap__fibers *fibers, struct nap_worker *worker);
void nap__stack_give(struct nap__fibers *fibers, struct nap_worker *worker,
		     struct nap_fiber *fiber);

/* One of those that are free and no worker keeps, or NULL. */
struct nap_fiber *nap__stack_take_free(struct nap__fibers *fibers);

/* The one with number @index, under fibers->used. */
struct nap_fiber *nap__fiber_at(struct nap__fibers *fibers, uint32_t index);

/* The end of its stack, and how much there is up to the fiber itself. */
char *nap__stack_low(struct nap__fibers *fibers, const struct nap_fiber *fiber);

/* Counting; @worker as above. */
void nap__fibers_count_spawned(struct nap__fibers *fibers, struct nap_worker *worker);
void nap__fibers_count_ended(struct nap__fibers *fibers, struct nap_worker *worker);

/* Any thread inside: how many have not ended; *@spawned: how many there ever were. */
uint64_t nap__fibers_live(struct nap__fibers *fibers, uint64_t *spawned);

/* src/fiber/stop.c */
extern const struct nap__async_ops nap__fiber_ops __attribute__((visibility("hidden")));

#endif /* NAP_FIBER_STACKS_H */
