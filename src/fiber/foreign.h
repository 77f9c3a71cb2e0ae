/* SPDX-License-Identifier: MIT */
/*
 * Fibers of other pools that wait for something of this one, and are told when nothing more comes
 * of it: behind a stop, and when it is joined. Each is a visitor meanwhile (src/gate.h).
 *
 * A list with a lock, so that who leaves takes out itself alone.
 */
#ifndef NAP_FIBER_FOREIGN_H
#define NAP_FIBER_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "fiber/wait.h"

struct nap__foreign {
	struct nap__foreign *next, **link;	/* link is NULL: not listed */
	struct nap__wait *wait;
	uint32_t number;
	uint32_t winner;	/* what the wait's is, when it was ended from here; then: */
	bool stopped;		/* written by who tells */
	uint32_t taken;		/* A: who leaves, or who tells, sees to the gate; the first one */
	struct nap_pool *pool;
};

/*
 * List the wait that @sleeper has opened. Who lists it is inside the @pool: that visit is the listing's
 * from here on. False: @pool is at its end, or has no memory; then the visit is over, and *@stopped says
 * whether it ended without having run everything.
 */
bool nap__foreign_list(struct nap__foreign *foreign, struct nap_pool *pool,
		       struct nap__sleeper *sleeper, uint32_t winner, bool *stopped);

/*
 * Whoever has listed it, and waits no more. True: the visit is the caller's again. False: it is over, and
 * the pool may be gone; @foreign->stopped is as above.
 */
bool nap__foreign_unlist(struct nap__foreign *foreign);

/* Who stops or joins @pool, which has fibers: everybody looks again. */
void nap__foreign_tell(struct nap_pool *pool);

#endif /* NAP_FIBER_FOREIGN_H */
