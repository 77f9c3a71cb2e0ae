/* SPDX-License-Identifier: MIT */
/*
 * One object of a kind for each worker: nap/local.h. Typically the object exists, and two loads
 * find it. A worker keeps its objects until it has ended; a guest's objects belong to its record,
 * and pass with the record to the next guest [R3].
 */
#include "worker/worker.h"

#include <errno.h>

#include <nap/nap.h>

#include "os/happens.h"
#include "sync/debug.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "worker/self.h"

int nap_local_add(struct nap_pool *pool, struct nap_local *local)
{
	uint32_t index;

	if (!pool || !local || !local->make)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	/* Workers read the list without a lock, and the joiner ends what it names. */
	if (registry_first(pool) || pool_phase(pool) != PHASE_RUNNING)
		return -EBUSY;
	for (const struct nap_local *other = pool->locals; other; other = other->next)
		if (other == local)
			return -EALREADY;
	index = pool->locals ? pool->locals->index + 1 : 0;
	if (index == NAP_LOCALS)
		return -EOVERFLOW;
	local->next = pool->locals;
	local->index = index;
	pool->locals = local;
	return 0;
}

/*
 * While local->make() waits, the thread may run a nested task that asks for the same object. Then
 * the nested task's object is kept, because it may be in use. A fiber in local->make() does not
 * move to another worker, because a record on its stack makes it wait as a thread.
 */
static __attribute__((noinline)) void *make(struct nap_worker *worker,
					    const struct nap_local *local)
{
	void **data = &worker->locals[local->index], *made;
	struct nap__outer before;

	nothing_leaves();
	become(nap__self()->worker, &before);
	made = local->make(worker, local->arg);
	back_to(&before);
	if (!*data)
		*data = made;
	else if (made && local->end)
		local->end(made, local->arg);
	return *data;
}

void *nap_local_get(struct nap_worker *worker, const struct nap_local *local)
{
	void **data;

	if (!worker)
		return NULL;
	data = &worker->locals[local->index];
	return *data ? *data : make(worker, local);
}

/* @worker runs no task any longer, so what @end schedules takes the way from outside. */
static __attribute__((noinline)) void end_data(struct nap_worker *worker,
					       const struct nap_local *local, void *data)
{
	struct nap__outer before;

	nothing_leaves();
	worker->ended = true;
	become(worker, &before);
	unseen_end();
	local->end(data, local->arg);
	unseen_begin();
	back_to(&before);
}

void nap__locals_end(struct nap_worker *worker)
{
	for (struct nap_local *local = worker->pool->locals; local; local = local->next) {
		void *data = worker->locals[local->index];

		worker->locals[local->index] = NULL;
		if (data && local->end)
			end_data(worker, local, data);
	}
}
