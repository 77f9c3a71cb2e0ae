/* SPDX-License-Identifier: MIT */
/* Ending the works that a pool or a loop has not ended: nap/work.h. */
#include "kit/work.h"

#include "arch/atomic.h"
#include "kit/ending.h"
#include "os/os.h"
#include "worker/leaving.h"

struct nap_work *nap_work_of(struct nap_task *task)
{
	nap_task_fn run = task ? task->run : NULL;

	if (run == nap__work_told)
		return nap_container_of(task, struct nap_work, told);
	if (run == nap__work_begin || run == nap__work_deliver || run == nap__work_let_go)
		return nap_container_of(task, struct nap_work, task);
	return NULL;
}

/*
 * Whether the caller has to run @task, which may come from a pool, or from a loop before @done or
 * before @gone. False: there is nothing to do, or the loop runs @task. *@n is increased if the work
 * ends here.
 */
static bool is_to_be_delivered(struct nap_work *work, struct nap_task *task, size_t *n)
{
	nap_task_fn then = task->run;

	if (then == nap__work_begin) {
		then = nap__work_end_of(work, nap__work_take(work, WORK_ENDED));
		*n += then == nap__work_deliver;
		return then && !nap__work_is_handed_over(work, then);
	}
	*n += then != nap__work_let_go;
	return true;
}

size_t nap_work_end_left(struct nap_batch *left)
{
	uint32_t process = nap_load_relaxed(&nap__fork_gen);
	struct nap_batch others = NAP_BATCH_INIT;
	struct nap__ending ending;
	struct nap_task *task;
	size_t n = 0;

	if (!left)
		return 0;
	nothing_leaves();
	ending_begin(&ending);
	/* A @done may have forked; in the child all other works belong to the parent. */
	while (nap_load_relaxed(&nap__fork_gen) == process && (task = nap_batch_pop(left))) {
		struct nap_work *work = nap_work_of(task);

		if (!work)
			nap_batch_push(&others, task);
		else if (is_to_be_delivered(work, task, &n))
			nap__work_deliver_all(&ending, task);
	}
	ending_end(&ending);
	*left = others;
	return n;
}
