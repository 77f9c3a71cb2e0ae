/* SPDX-License-Identifier: MIT */
/*
 * The table of the kinds of work: src/worker/source.h. Typically a pool has work of none of these
 * kinds.
 */
#include "worker/source.h"

#include "worker/worker.h"

/*
 * The names are weak, so that the table links no kind into a program: a kind that no other part of
 * the program names is NULL here. The addresses stand in data, as in src/idle/protocols.c.
 */
#define ROW extern const struct nap__source __attribute__((weak, visibility("hidden")))
ROW nap__jobs_source;
ROW nap__calls_source;
ROW nap__classes_source;
ROW nap__ends_source;

const struct nap__source *const nap__sources[] = {
	[KIND_JOBS] = &nap__jobs_source,
	[KIND_CALLS] = &nap__calls_source,
	[KIND_CLASSES] = &nap__classes_source,
	[KIND_ENDS] = &nap__ends_source,
};

_Static_assert(sizeof(nap__sources) / sizeof(*nap__sources) == NAP__KINDS,
	       "one is not in the table");

bool nap__sources_queued(struct nap_pool *pool, bool takeable)
{
	const struct nap__source *source;

	for_each_source(source, pool)
		if (source->queued && source->queued(pool, takeable))
			return true;
	return false;
}

struct nap_task *nap__sources_take(struct nap_worker *worker)
{
	const struct nap__source *source;
	struct nap_task *task = NULL;

	for_each_source(source, worker->pool)
		if (source->take && (task = source->take(worker)))
			break;
	return task;
}

uint32_t nap__sources_reveal(struct nap_worker *worker)
{
	const struct nap__source *source;
	uint32_t n = 0;

	/* Register as idle before asking; pairs with publish() in src/fork/jobs.c. [F2] */
	nap_fence_seq_cst();
	for_each_source(source, worker->pool)
		if (source->reveal)
			n += source->reveal(worker);
	return n;
}

void nap__sources_settle(struct nap_worker *worker)
{
	const struct nap__source *source;

	for_each_source(source, worker->pool)
		if (source->settle)
			source->settle(worker);
}

struct nap_task *nap__sources_left(struct nap_pool *pool)
{
	const struct nap__source *source;
	struct nap_task *task = NULL;

	for_each_source(source, pool)
		if (source->left && (task = source->left(pool)))
			break;
	return task;
}

void nap__sources_hear(struct nap_pool *pool, enum nap__news news, struct nap_worker *worker)
{
	const struct nap__source *source;

	for_each_source(source, pool)
		if (source->hear)
			source->hear(pool, news, worker);
}
