/* SPDX-License-Identifier: MIT */
/*
 * The pool that most scenarios share, its workers from the start, and tasks with a payload. The
 * pool is memory of its own, so that a use after its end is found.
 */
#ifndef MODEL_POOL_SETUP_H
#define MODEL_POOL_SETUP_H

#include <errno.h>

#include <nap/check.h>
#include <nap/nap.h>

#include "idle/go.h"
#include "idle/idle.h"
#include "idle/jec.h"
#include "idle/set.h"
#include "idle/sync.h"
#include "queue/kind.h"
#include "sched/guest.h"
#include "sched/schedule.h"
#include "thread/spawn.h"
#include "worker/enter.h"
#include "worker/registry.h"
#include "worker/self.h"
#include "worker/worker.h"
#include "seam.h"

/* model.mk builds the same scenarios under other protocols, too. */
#ifndef MODEL_IDLE
#define MODEL_IDLE NAP_IDLE_SYNC
#endif

/*
 * For .random: Sync is explored as a whole. The other protocols have one check more, and are
 * sampled.
 */
#define SAMPLE_OTHERS (MODEL_IDLE == NAP_IDLE_SYNC ? 0 : 5000)

static struct nap_pool *pool;
static void *pool_memory;
static uint32_t never;		/* a word on which no thread is ever woken */

static inline _Noreturn void block_for_ever(void)
{
	for (;;)
		nap__futex_wait(&never, 0, UINT64_MAX);
}

static inline void pool_new(uint32_t limit, unsigned first_worker)
{
	pool_memory = check_alloc(sizeof(*pool) + NAP__CACHE_LINE);
	pool = (struct nap_pool *)(((uintptr_t)pool_memory + NAP__CACHE_LINE - 1) /
				   NAP__CACHE_LINE * NAP__CACHE_LINE);
	CHECK(nap_pool_init(pool, &(struct nap_config){ .max_workers = limit,
							   .idle = MODEL_IDLE }) == 0);
	/* so that the next announcement wraps the counter */
	if (MODEL_IDLE == NAP_IDLE_JEC)
		pool->counters = UINT32_MAX * JEC_EVENT_ONE;
	check_name(&pool->sync, sizeof(pool->sync), "pool.sync");
	check_name(&pool->counters, sizeof(pool->counters), "pool.counters");
	check_name(&pool->guests, sizeof(pool->guests), "pool.guests");
	check_name(&pool->idle_set, sizeof(pool->idle_set), "pool.idle_set");
	check_name(&pool->inject, sizeof(pool->inject), "pool.inject");
	check_name(&pool->phase, sizeof(pool->phase), "pool.phase");
	check_name(&pool->intake, sizeof(pool->intake), "pool.intake");
	check_name(&pool->visits, sizeof(pool->visits), "pool.visits");
	check_name(&pool->registry, sizeof(pool->registry), "pool.registry");
	check_name(&pool->waiters, sizeof(pool->waiters), "pool.waiters");
	check_name(&pool->calls, sizeof(pool->calls), "pool.calls");
	check_name(&pool->join, sizeof(pool->join), "pool.join");
	pool_start(pool);
	seam_workers(first_worker);
}

/* Frees the pool, after join. */
static inline void pool_free(void)
{
	check_free(pool_memory);
}

/*
 * Waits, before the end of a pool, until a thread's call is inside or *@over says that the call
 * is over.
 */
static inline void pool_await_call(uint32_t *over)
{
	while (nap_load_acquire(&pool->visits) < GATE_ONE && !nap_load_acquire(over))
		nap_cpu_relax();
}

/* Setup: counts one worker, or one idle worker, in the protocol's words. */
static inline void pool_count_worker(void)
{
	if (MODEL_IDLE == NAP_IDLE_SYNC)
		pool->sync += SYNC_SPAWNED_ONE;
	else if (MODEL_IDLE == NAP_IDLE_GO)
		pool->counters += GO_SPAWNED_ONE;
	else
		pool->sync += JEC_SPAWNED_ONE;
}

static inline void pool_count_idle(void)
{
	if (MODEL_IDLE == NAP_IDLE_SYNC)
		pool->sync += SYNC_IDLE_ONE;
	else if (MODEL_IDLE == NAP_IDLE_GO)
		pool->counters += GO_IDLE_ONE;
	else
		pool->counters += JEC_SLEEPING_ONE + JEC_INACTIVE_ONE;
}

/* Whether @worker is the waking worker; only Sync has one. */
static inline bool pool_is_waking(struct nap_worker *worker)
{
	return MODEL_IDLE == NAP_IDLE_SYNC && sync_of(worker)->waking;
}

/* Whether @worker sleeps, and no thread relies on it. */
static inline bool pool_sleeps(struct nap_worker *worker)
{
	return worker->counted_idle && worker->in_idle_set && !worker->relied_on &&
	       !pool_is_waking(worker) && !(MODEL_IDLE == NAP_IDLE_GO && go_of(worker)->searching);
}

/* Setup: @worker, which is not idle, was started or woken for something that is queued. */
static inline void pool_signal(struct nap_worker *worker)
{
	if (MODEL_IDLE == NAP_IDLE_SYNC) {
		pool->sync |= SYNC_SIGNALED | SYNC_NOTIFIED;
		return;
	}
	idle_ops(pool)->started(worker);
	pool->counters += MODEL_IDLE == NAP_IDLE_GO ? GO_SEARCHING_ONE : JEC_INACTIVE_ONE;
}

/*
 * Setup: another worker has been counted and is being started. Its start stands for a notification,
 * on which producers rely. @worker is about to sleep.
 */
static inline void pool_count_starting(struct nap_worker *worker)
{
	pool_count_worker();
	if (MODEL_IDLE == NAP_IDLE_SYNC) {
		pool->sync |= SYNC_SIGNALED | SYNC_NOTIFIED;
	} else if (MODEL_IDLE == NAP_IDLE_GO) {
		pool->counters += GO_SEARCHING_ONE;
	} else {
		pool->counters = jec_announce(pool->counters) + 2 * JEC_INACTIVE_ONE;
		jec_of(worker)->searching = jec_of(worker)->sleepy = true;
		jec_of(worker)->announced = jec_events(pool->counters);
	}
}

/* Setup: a notification is out for which no worker has been woken, as happens under Sync only. */
static inline void pool_leave_word(void)
{
	if (MODEL_IDLE == NAP_IDLE_SYNC)
		pool->sync |= SYNC_NOTIFIED;
}

/* Setup: adds a worker that has just been started. The worker counts as busy until it searches. */
static inline struct nap_worker *pool_add_worker(unsigned first_worker)
{
	struct nap_worker *worker;

	if (!pool->records)
		pool->records = nap__os_map(nap__records_size(pool));
	worker = &pool->records[pool->nr_records];
	worker->pool = pool;
	worker->index = pool->nr_records++;
	worker->record = RECORD_STARTED;
	worker->thread = first_worker + worker->index;
	ring_init(&worker->ring);
	deque_init(&worker->deque, worker->frames, NAP_DEQUE_SIZE);
	check_name(&worker->event, sizeof(worker->event), "worker.event");
	check_name(&worker->rest, sizeof(worker->rest), "worker.rest");
	check_name(&worker->idle_state, sizeof(worker->idle_state), "worker.idle_state");
	check_name(&worker->idle_next, sizeof(worker->idle_next), "worker.idle_next");
	check_name(&worker->deque, sizeof(worker->deque), "worker.deque");
	check_name(worker->frames, sizeof(worker->frames), "worker.frames");
	check_name(&worker->ring, sizeof(worker->ring), "worker.ring");
	check_name(&worker->overflow, sizeof(worker->overflow), "worker.overflow");
	worker->random = worker->index + 1;
	registry_push(pool, worker);
	pool_count_worker();
	return worker;
}

/* Setup: @worker is idle, and about to park; its thread is pool_sleeper(). */
static inline void pool_set_idle(struct nap_worker *worker)
{
	worker->counted_idle = worker->in_idle_set = true;
	if (MODEL_IDLE == NAP_IDLE_JEC)
		jec_of(worker)->searching = true;
	worker->rest = 1;
	set_enter(pool, worker);
	pool_count_idle();
}

/* The thread of worker @index. */
static inline void pool_worker(void *index)
{
	nap__worker_main(registry_at(pool, (uint32_t)(uintptr_t)index));
}

/*
 * The thread of a worker that was set idle: the main loop of src/sched/loop.c, entered where the
 * worker parks.
 */
static inline void pool_sleeper(void *index)
{
	struct nap_worker *worker = registry_at(pool, (uint32_t)(uintptr_t)index);
	enum nap__verdict verdict;
	struct nap_task *task;
	uint32_t reasons = 0;

	self_is(nap__self(), worker);
	verdict = nap__park(worker, UINT64_MAX, &reasons);
	nap_store_relaxed(&worker->rest, worker->rest + 1);
	nap_fence_seq_cst();
	if (verdict == NAP_EXIT)
		return;
	while ((task = nap__dequeue(worker)))
		nap__run(worker, task);
	nap__worker_main(worker);
}

#define PARKED(index) { pool_sleeper, (void *)(uintptr_t)(index), "W" #index }
#define WORKER(index) { pool_worker, (void *)(uintptr_t)(index), "W" #index }

/*
 * A task. The producer writes @in, and the task reads it; the task writes @runs, and a thread
 * that learns that the task has run reads it. Neither is atomic.
 */
struct job {
	struct nap_task task;
	int in, runs;
};

#define JOB_IN 42
#define JOB_INIT(run) { .task = NAP_TASK_INIT(run) }

static inline struct job *job_begin(struct nap_task *task)
{
	struct job *job = nap_container_of(task, struct job, task);

	CHECK(job->in == JOB_IN);
	job->runs++;
	return job;
}

static inline void job_run(struct nap_task *task)
{
	job_begin(task);
}

/* The function of a task that never ends. */
static inline void job_block(struct nap_task *task)
{
	job_begin(task);
	block_for_ever();
}

/* Setup: queues @job, without notifying a worker. */
static inline void job_queue(struct job *job)
{
	job->in = JOB_IN;
	inject_push(&pool->inject, &job->task, &job->task);
}

/* Injects @job as nap_schedule() does from outside, without the gate. */
static inline void job_inject(struct job *job)
{
	job->in = JOB_IN;
	inject_push(&pool->inject, &job->task, &job->task);
	nap__idle_notify(pool);
}

static inline int job_schedule(struct job *job)
{
	job->in = JOB_IN;
	return nap_schedule(pool, &job->task);
}

/* ---- threads of the pool's user */

/* Threads that inject a job, stop the pool, or join and free the pool. */
static inline void pool_inject(void *job)
{
	job_inject(job);
}

static inline void pool_stop(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

static inline void pool_join(void *unused)
{
	(void)unused;
	CHECK(nap_pool_join(pool, NULL) == 0);
	pool_free();
}

#endif /* MODEL_POOL_SETUP_H */
