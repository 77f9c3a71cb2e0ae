/* SPDX-License-Identifier: MIT */
/*
 * nap/class.h. A task of a class needs a permit, of which there are as many as the class's limit. A
 * task that waits gives its permit up, and has a permit again at once when it goes on, even if none
 * is free. A permit is no lock: it orders nothing. Weights are not here: they say how often tasks
 * run, not whether.
 */
#include "spec.h"

void spec_permit_take(struct run *run)
{
	struct nap_class *class = run->class;
	uint32_t inside = relaxed(&class->inside);

	if (!class->limit)
		return;
	nap_check_waits_for("a permit of the class", class, NULL, NULL);
	while (inside >= class->limit ||
	       !__atomic_compare_exchange_n(&class->inside, &inside, inside + 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		inside = relaxed(&class->inside);
	waits_no_more();
}

void spec_permit_give(struct run *run)
{
	if (run->class->limit)
		__atomic_fetch_sub(&run->class->inside, 1, __ATOMIC_RELAXED);
}

void spec_permit_keep(struct run *run)
{
	if (run->class->limit)
		__atomic_fetch_add(&run->class->inside, 1, __ATOMIC_RELAXED);
}

/* The pool's class @which, or NULL. */
struct nap_class *spec_class_of(struct nap_pool *pool, uint32_t which)
{
	struct nap_classes *classes = pool ? pool->config.classes : NULL;

	if (!classes || which >= (classes->count ? classes->count : NAP_CLASSES))
		return NULL;
	return which < NAP_CLASSES ? &classes->of[which] : NULL;
}

int nap_class_schedule(struct nap_pool *pool, uint32_t which, struct nap_task *task)
{
	struct nap_class *class = spec_class_of(pool, which);
	struct run *run;

	if (!class || !task)
		return -EINVAL;
	run = spec_run(pool);
	run->task = task;
	run->class = class;
	return spec_begin(run);
}

int nap_class_work(struct nap_pool *pool, uint32_t which, struct nap_work *work)
{
	int err = spec_class_of(pool, which) ? spec_work_take(work) : -EINVAL;

	return err ? err :
	       nap_class_schedule(pool, which, &work->task) ? spec_work_give_back(work) : 0;
}
