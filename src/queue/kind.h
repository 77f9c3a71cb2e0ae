/* SPDX-License-Identifier: MIT */
/*
 * The room queue/ (this header is its door).
 *
 * Data structures, each in a file: the ring of a worker, the deque of its jobs, the unbounded
 * queues, the inbox of an event loop. None depends on pools or threads. kind.h selects the kind of
 * each unbounded queue, and gives its functions the names that the rest of the runtime uses
 * (inject_push(), overflow_lock() and so on).
 *
 * Typically a producer makes one store or one exchange, and a consumer holds a try-lock while it
 * takes one task or moves many.
 *
 * How much a thief takes out of a ring: ring__steal() in ring.h. The last job that others can take:
 * NAP_DEQUE_SIZE and deque_full() in deque.h.
 *
 * From outside: the functions of kind.h, ring.h, deque.h, inbox.h and list.h. The comment of each
 * function says which thread may call it (owner, thief, any); nothing checks this.
 *
 * Where the deque is used: fork/jobs.c, fork/jobs_join.c, fork/ask.h, fork/ask.c, the inline part
 * in nap/fork.h, deque_init() in thread/spawn.c and sched/guest.c, deque_has_public() in
 * worker/queued.c. Where the ring is used: sched/schedule.c, sched/schedule_as.c, sched/search.c,
 * sched/fair.c, sched/run.c, sched/steal.h, sched/steal.c, async/timer/due.c,
 * async/fiber/direct.h, life/pool_end.c, ring_init() in thread/spawn.c; its count also in
 * life/remaining.c, worker/queued.c, worker/measure.c, idle/sync.c. dump/queues.c reads both.
 *
 * Where the overflow is used: sched/schedule_as.c, sched/search.c, sched/steal.h, sched/steal.c,
 * sched/fair.c, overflow_empty() in worker/queued.c, life/pool_end.c, dump/queues.c; its count,
 * overflow_count() in worker/worker.h, in sched/schedule_as.c, worker/measure.c, life/remaining.c.
 *
 * Open: deque.h inbox.h list.h ring.h
 */
/*
 * The kinds of the two unbounded queues: overflow_*() for each ring, inject_*() for tasks from
 * outside. They are chosen at build time (make OVERFLOW= INJECT=), so that kinds can be compared.
 * Injection must be FIFO: otherwise a program hangs if one of its older tasks has to run first.
 */
#ifndef NAP_QUEUE_KIND_H
#define NAP_QUEUE_KIND_H

#include "queue/treiber.h"
#include "queue/vyukov.h"

#ifndef NAP_OVERFLOW
#define NAP_OVERFLOW treiber
#endif
#ifndef NAP_INJECT
#define NAP_INJECT vyukov
#endif

#define NAP__JOIN(a, b)	a##b
#define NAP__CALL(a, b)	NAP__JOIN(a, b)

#define overflow_push	NAP__CALL(NAP_OVERFLOW, _push)
#define overflow_lock	NAP__CALL(NAP_OVERFLOW, _lock)
#define overflow_pop	NAP__CALL(NAP_OVERFLOW, _pop)
#define overflow_unlock	NAP__CALL(NAP_OVERFLOW, _unlock)
#define overflow_empty	NAP__CALL(NAP_OVERFLOW, _empty)

#define inject_push	NAP__CALL(NAP_INJECT, _push)
#define inject_lock	NAP__CALL(NAP_INJECT, _lock)
#define inject_pop	NAP__CALL(NAP_INJECT, _pop)
#define inject_unlock	NAP__CALL(NAP_INJECT, _unlock)
#define inject_empty	NAP__CALL(NAP_INJECT, _empty)

/*
 * overflow_take(), inject_take(): return one task, or NULL. Set *@more if the caller has to notify:
 * tasks were left, or the lock has turned another worker away.
 */
#define NAP__DEFINE_TAKE(queue)								\
static inline struct nap_task *queue##_take(struct nap__queue *q, bool *more)		\
{											\
	struct nap__consumer c;								\
	struct nap_task *task;								\
											\
	if (!queue##_lock(q, &c))							\
		return NULL;								\
	task = queue##_pop(&c);								\
	queue_taken(q, task != NULL);							\
	*more |= queue##_unlock(&c);							\
	return task;									\
}

NAP__DEFINE_TAKE(overflow)
NAP__DEFINE_TAKE(inject)

#undef NAP__DEFINE_TAKE

#endif /* NAP_QUEUE_KIND_H */
