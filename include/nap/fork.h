/* SPDX-License-Identifier: MIT */
/*
 * Fork and join: a function splits its work into jobs, which other workers may take while it goes
 * on, and collects the results. For work of which there is a tree, not a heap.
 *
 *	struct fib { struct nap_job job; long n, result; };
 *
 *	static long fib(struct nap_worker *worker, long n)
 *	{
 *		struct fib left = { .job = NAP_JOB_INIT(fib_run), .n = n - 1 };
 *		long right;
 *
 *		if (n < 2)
 *			return n;
 *		nap_fork(worker, &left.job);
 *		right = fib(worker, n - 2);
 *		if (nap_join(worker, &left.job))
 *			left.result = fib(worker, n - 1);
 *		return left.result + right;
 *	}
 *
 *	static void fib_run(struct nap_worker *worker, struct nap_job *job)
 *	{
 *		struct fib *left = nap_container_of(job, struct fib, job);
 *
 *		left->result = fib(worker, left->n);
 *	}
 *
 * A job lives where its forker puts it, usually on its stack; nothing is allocated. What is forked
 * is joined by the same function on the same worker, the last first: forks and joins nest like
 * parentheses, and every job is joined before the task, job, called function or callback that
 * forked it returns. A debug build (make DEBUG=1) says so and aborts.
 *
 * Forking and joining a job costs neither a fence nor a locked instruction as long as nobody asks
 * for it: a worker keeps what it forks to itself until then (a split deque; van Dijk and van de
 * Pol, "Lace", 2014). src/queue/deque.h says how. Where the system has no membarrier(2), and in a
 * debug build, every fork publishes and every join is a compare-exchange.
 *
 * A job is left by return only, as a task (nap/task.h): an exception out of it, pthread_exit(), a
 * cancellation and longjmp() end in one line, or in std::terminate().
 *
 * A join, like every wait on a worker, runs other work meanwhile, nested in what it is called from.
 * So nothing that a job or task waits for, other than jobs and groups, may depend on what its
 * callers hold: a lock, for example. A task that holds one waits for a group without a pool, which
 * runs nothing (nap/group.h).
 */
#ifndef NAP_FORK_H
#define NAP_FORK_H

#include <stdbool.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_job;
struct nap__slot;

/**
 * typedef nap_job_fn - the work of a job that somebody else runs
 * @worker: the one that runs it, to fork and join with
 * @job:    the job that was forked
 *
 * Runs at most once per fork: on another worker, or on the forker's own when that waits for
 * something else before it joins the job (a group, nap_pool_help()). When it has returned the job
 * is its forker's again; the result goes where the forker finds it, usually beside @job.
 */
typedef void (*nap_job_fn)(struct nap_worker *worker, struct nap_job *job);

/**
 * struct nap_job - work that may be taken by another worker, embedded by the forker
 * @run:  set by the caller; never NULL when forked
 * @slot: the pool's between fork and join
 */
struct nap_job {
	nap_job_fn run;
	struct nap__slot *slot;
};

#ifdef __cplusplus
#define NAP_JOB_INIT(fn) { (fn), 0 }
#else
#define NAP_JOB_INIT(fn) { .run = (fn), .slot = NULL }
#endif

/* One place in a worker's deque; what belongs to the latch outlives the job: src/queue/deque.h. */
struct nap__slot {
	struct nap_job *job;
	uint32_t latch;
	uint32_t thief;
};

/* The first two lines of every worker: what fork and join need. Access: src/queue/deque.h. */
struct nap__forks {
	struct nap__slot *bottom nap__line;
	struct nap__slot *limit nap__line;
	struct nap__slot *split;
	struct nap__slot *slots;
	struct nap__slot *full;
};

/* Not to be called: parts of nap_fork() and nap_join(). */
void nap_fork_slow(struct nap_worker *worker, struct nap_job *job);
bool nap_join_slow(struct nap_worker *worker, struct nap_job *job);

/**
 * nap_fork() - let another worker run @job, if one has the time before it is joined
 * @worker: the calling worker: nap_worker_self(), or what a job or nap_call() was given
 * @job:    the caller's, run is set; the pool's until it is joined
 *
 * From a task or a job, on a worker. Never blocks, never fails: with more than 1,023 jobs forked
 * and not joined on this worker, this one is kept for the join. What the caller wrote before is
 * visible to whoever runs @job.
 */
static inline void nap_fork(struct nap_worker *worker, struct nap_job *job)
{
	struct nap__forks *forks = (struct nap__forks *)(void *)worker;
	struct nap__slot *slot = forks->bottom;

	slot->job = job;
	job->slot = slot;
	/* Pairs with deque_force(): the slot and the job. [F1] */
	__atomic_store_n(&forks->bottom, slot + 1, __ATOMIC_RELEASE);
	/* Fork before looking whether somebody asks; the askers' side is a membarrier. [F2] */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(slot >= __atomic_load_n(&forks->limit, __ATOMIC_RELAXED), 0))
		nap_fork_slow(worker, job);
}

/**
 * nap_join() - get back the job that was forked last
 * @worker: the calling worker, on which @job was forked
 * @job:    the youngest that is forked and not joined
 *
 * Returns true when nobody took @job: the caller now does its work itself, by a plain call. False:
 * it has been run, and what that wrote is visible. While another worker runs it this one runs jobs
 * of that worker, tasks, or jobs of others, nested in the current one as long as less than half of
 * the stack is used, and sleeps when there are none. (The first wait of a thread asks the system
 * for its stack, for which glibc allocates.)
 *
 * In the child of a fork(2) a job that another worker had taken is given back: true.
 */
static inline bool nap_join(struct nap_worker *worker, struct nap_job *job)
{
	struct nap__forks *forks = (struct nap__forks *)(void *)worker;
	struct nap__slot *slot = job->slot;

	__atomic_store_n(&forks->bottom, slot, __ATOMIC_RELAXED);
	/* Take back before looking whether it is out; the other side is a membarrier. [F3] */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(slot < __atomic_load_n(&forks->split, __ATOMIC_RELAXED), 0))
		return nap_join_slow(worker, job);
	return true;
}

/**
 * typedef nap_call_fn - a function that forks, called from outside
 * @worker: what the calling thread is as long as the function lasts, to fork and join with
 * @arg:    as given to nap_call()
 */
typedef void (*nap_call_fn)(struct nap_worker *worker, void *arg);

/**
 * nap_call() - call @fn so that it can fork, and wait until it has returned
 * @pool: whose workers may take what @fn forks
 * @fn:   does what a task may
 * @arg:  passed to @fn
 *
 * Any thread. On a worker of @pool a plain call. Another thread becomes a worker of @pool for that
 * time and runs @fn itself, beside the pool's own workers, who look for its jobs before those of
 * each other; meanwhile nap_worker_self() is that worker. A worker of another pool is that one's,
 * too, and may schedule there and wait for its groups; nap_pool_join() and nap_pool_quiesce() are
 * -EDEADLK for both.
 *
 * While NAP_GUESTS threads are inside, the caller sleeps until a worker has run @fn for it, or a
 * place is free and it runs @fn itself, whichever comes first; so @fn may run on another thread
 * than the caller's. Asleep it runs nothing else. What @fn schedules goes to the injection queue
 * when it runs as a guest.
 *
 * An exception may leave @fn: it passes through nap_call() to the caller, and the pool is as if @fn
 * had returned. So may the thread itself, by pthread_exit() or a cancellation; where that does not
 * unwind the stack (musl), the place is given back behind the cleanup handlers, with the thread's
 * specific data. Either way every job has been joined before (one line and abort() otherwise).
 * But where @fn was left to the pool it is a task: not its caller would get the exception, and it
 * ends as one out of a task. longjmp() out of @fn is not allowed: nap/task.h.
 *
 * nap_pool_shutdown() waits for no call; nap_pool_join() waits until @fn has returned. Returns 0
 * when @fn has; -ESHUTDOWN when the pool was shut down; -ECANCELED when it was shut down in STOP
 * mode before @fn had begun; -EINVAL when @pool or @fn is NULL.
 */
int nap_call(struct nap_pool *pool, nap_call_fn fn, void *arg);

/**
 * nap_call_for() - the same, begun within a time
 * @timeout_ns: nanoseconds (see nap_group_wait_for()) until @fn has begun, here or on a worker;
 *              0: only if there is a place now
 *
 * As nap_call(), or -ETIMEDOUT: @fn has not begun, and will not. What has begun is waited for.
 */
int nap_call_for(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t timeout_ns);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_FORK_H */
