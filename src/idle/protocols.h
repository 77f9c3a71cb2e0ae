/* SPDX-License-Identifier: MIT */
/*
 * The list of the idle protocols, a row each; and the check whether a notification is needed. The
 * check is inlined, because almost no schedule has to wake a worker.
 *
 * A protocol NAME defines in NAME.h, besides its words:
 *
 *	enum { NAME_COUNTS }	whether the protocol wants to know how many tasks were published,
 *				and whether the queue was empty
 *	name_is_notified()	whether notifying would change nothing
 *	struct name_worker	what the protocol keeps of a worker, in worker->protocol: name_of()
 *
 * and in NAME.c the table nap__name_ops, whose functions idle.h describes.
 */
#ifndef NAP_IDLE_PROTOCOLS_H
#define NAP_IDLE_PROTOCOLS_H

#include <stdbool.h>

#include "arch/atomic.h"
#include "idle/go.h"
#include "idle/idle.h"
#include "idle/jec.h"
#include "idle/sync.h"

/*
 * A row has the NAME of the enumerator NAP_IDLE_NAME. The first protocol is always linked:
 * src/idle/protocols.c.
 */
#define IDLE_PROTOCOLS(FIRST, OTHER) \
	FIRST(SYNC, sync) \
	OTHER(GO, go) \
	OTHER(JEC, jec)

/*
 * Hidden even in a test that compiles src/ without -fvisibility=hidden: otherwise the RISC-V linker
 * may leave the tables' addresses to relocations by name, which src/os/bare/relocate.c does not
 * process.
 */
#define DECLARE(NAME, name) \
	extern const struct nap__idle_ops nap__##name##_ops __attribute__((visibility("hidden")));
IDLE_PROTOCOLS(DECLARE, DECLARE)
#undef DECLARE

#define FITS(NAME, name) \
	_Static_assert(sizeof(struct name##_worker) <= sizeof(((struct nap_worker *)0)->protocol), \
		       "what it keeps of a worker");
IDLE_PROTOCOLS(FITS, FITS)
#undef FITS

static inline bool idle_counts(struct nap_pool *pool)
{
#define COUNTS(NAME, name) case NAP_IDLE_##NAME: return NAME##_COUNTS;
	switch (idle_protocol(pool)) {
	IDLE_PROTOCOLS(COUNTS, COUNTS)
	default: return false;
	}
#undef COUNTS
}

/*
 * Whether notifying would change nothing. Called by a thread that has published one task. Begins
 * with a full fence. @was_empty: the queue was empty before. @lone: the task is in the caller's own
 * ring, which was empty before.
 */
static inline bool idle_is_notified(struct nap_pool *pool, bool was_empty, bool lone)
{
	uint32_t limit;

	nap_fence_seq_cst();	/* publish before checking, as in each notify() [S1] [O1] [C1] */
	limit = nap_load_relaxed(&pool->limit);
#define IS_NOTIFIED(NAME, name) \
	case NAP_IDLE_##NAME: return name##_is_notified(pool, limit, was_empty, lone);
	switch (idle_protocol(pool)) {
	IDLE_PROTOCOLS(IS_NOTIFIED, IS_NOTIFIED)
	default: return false;
	}
#undef IS_NOTIFIED
}

#endif /* NAP_IDLE_PROTOCOLS_H */
