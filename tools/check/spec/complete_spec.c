/* SPDX-License-Identifier: MIT */
/*
 * nap/complete.h. Tasks that are pushed come out once each, those of one thread in their order. The
 * loop sees what was done before the push. There is no fd: a loop looks when it likes.
 *
 * cq->pushed is the last task of a list, with OPEN added while the queue is open.
 */
#include "spec.h"

enum { OPEN = 1 };

int nap_cq_init(struct nap_cq *cq)
{
	if (!cq || (uintptr_t)cq % sizeof(void *))
		return -EINVAL;
	cq->taken = NULL;
	store_relaxed(&cq->pushed, OPEN);
	return 0;
}

int nap_cq_push(struct nap_cq *cq, struct nap_task *task)
{
	uintptr_t last = relaxed(&cq->pushed);

	do {
		if (!(last & OPEN))
			return -ESHUTDOWN;
		task->next = (struct nap_task *)(last & ~(uintptr_t)OPEN);
	} while (!__atomic_compare_exchange_n(&cq->pushed, &last, (uintptr_t)task | OPEN, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return 0;
}

/* The loop takes all that was pushed. */
static void take(struct nap_cq *cq, uintptr_t leaves)
{
	uintptr_t pushed = acquire(&cq->pushed);
	struct nap_task *task, *older, **end = &cq->taken, *taken = NULL;

	if (pushed == leaves)
		return;
	pushed = __atomic_exchange_n(&cq->pushed, leaves, __ATOMIC_ACQUIRE);
	for (task = (struct nap_task *)(pushed & ~(uintptr_t)OPEN); task; task = older) {
		older = task->next;
		task->next = taken;
		taken = task;
	}
	while (*end)
		end = &(*end)->next;
	*end = taken;
}

static struct nap_task *out(struct nap_cq *cq)
{
	struct nap_task *task = cq->taken;

	if (task)
		cq->taken = task->next;
	return task;
}

struct nap_task *nap_cq_pop(struct nap_cq *cq)
{
	if (!cq->taken)
		take(cq, OPEN);
	return out(cq);
}

size_t nap_cq_pop_all(struct nap_cq *cq, struct nap_batch *batch)
{
	struct nap_task *task;
	size_t nr = 0;

	take(cq, OPEN);
	for (; (task = out(cq)); nr++)
		nap_batch_push(batch, task);
	return nr;
}

/* What is pushed by a task that this call runs stays for the next call. */
size_t nap_cq_run(struct nap_cq *cq, size_t max)
{
	struct nap_task *task, *last = NULL;
	size_t nr = 0;

	take(cq, OPEN);
	for (task = cq->taken; task; task = task->next)
		last = task;
	while (last && (!max || nr < max) && (task = out(cq))) {
		nr++;
		if (task == last)
			last = NULL;
		task->run(task);
	}
	return nr;
}

int nap_cq_close(struct nap_cq *cq, struct nap_batch *left)
{
	struct nap_task *task;

	if (!cq || !left)
		return -EINVAL;
	if (!(relaxed(&cq->pushed) & OPEN))
		return -EALREADY;
	take(cq, 0);
	while ((task = out(cq)))
		nap_batch_push(left, task);
	return 0;
}
