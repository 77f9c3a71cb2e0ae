/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_fork - fork and join: split work into jobs, and collect the results
 *
 * Fork and join: a function splits its work into jobs, which other workers may take while it goes
 * on, and collects the results. For work that has the form of a tree.
 *
 *	static long fib(struct nap_worker *worker, struct nap_frame *top, long n);
 *	NAP_JOB(fib, long, long)
 *
 *	static long fib(struct nap_worker *worker, struct nap_frame *top, long n)
 *	{
 *		struct nap_frame *next;
 *		long right;
 *
 *		if (n < 2)
 *			return n;
 *		next = fib_fork(worker, top, n - 1);
 *		right = fib(worker, next, n - 2);
 *		return right + fib_join(worker, top, n - 1);
 *	}
 *
 *	static void begin(struct nap_worker *worker, void *result)
 *	{
 *		*(long *)result = fib(worker, nap_top(worker), 40);
 *	}
 *
 *	nap_call(&pool, begin, &result);
 *
 * A job is a call of such a function that another worker may make. The job lies in a frame: one
 * cache line of its worker's own stack of frames, with the function, its argument and later its
 * result. Nothing is allocated, and nothing of the caller's C frame is shared. @top is the first
 * free frame. Every function that forks is given it, forks into it, gives the next one to whatever
 * it calls before it joins, and joins what is in it. So the top stays in a register, and nothing
 * that the function keeps has to be in memory (as with the tasks of van Dijk and van de Pol,
 * "Lace", 2014).
 *
 * The function that forks a job joins the job on the same worker, the last job first: forks and
 * joins nest like parentheses, and every job is joined before the task, job, called function or
 * callback that forked it returns. A debug build (make DEBUG=1) reports a violation and aborts.
 *
 * Forking and joining a job costs neither a fence nor a locked instruction as long as no other
 * worker asks for jobs: until then a worker keeps its jobs to itself (a split deque; the same
 * paper): src/queue/deque.h. Where the system has no membarrier(2), and in a debug build, every
 * fork publishes and every join is a compare-exchange.
 *
 * A function that usually returns at once is faster in two parts: an inline one that tests for
 * that, and one that forks and is not inlined (__attribute__((noinline))). Then only the latter
 * saves registers; clang makes 39 instructions of a fork of fib() that way, and 56 of the above
 * (gcc 32 of both):
 *
 *	return n < 2 ? n : fib_node(worker, top, n);
 *
 * A signal handler may not fork: its thread may be about to fork into the same frame.
 *
 * A job is left by return only, as a task (nap/task.h): an exception out of it, pthread_exit(), a
 * cancellation and longjmp() end in one line, or in std::terminate().
 *
 * A join, like every wait on a worker, runs other work until it ends, nested in what it is called
 * from. (Inside a task of a serial queue, nap/serial.h, a join runs only jobs that belong to it.)
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

struct nap_frame;

/**
 * typedef nap_job_fn - the work of a job that another worker runs; NAP_JOB() makes one
 * @worker: the worker that runs the job, to fork and join with
 * @top:    that worker's first free frame, to fork into
 * @frame: the job's own: its argument, and on return its result
 *
 * Runs at most once per fork: on another worker, or on the worker that forked when that waits for
 * something else before it joins the job (a group, nap_pool_help()). When it has returned the
 * frame belongs again to the worker that forked.
 */
typedef void (*nap_job_fn)(struct nap_worker *worker, struct nap_frame *top,
			   struct nap_frame *frame);

/** NAP_JOB_SIZE - the most bytes that an argument or a result of a job can have */
#define NAP_JOB_SIZE	(NAP__CACHE_LINE - 16)

/**
 * struct nap_frame - where a job lies
 * @run:    set by the fork
 * @latch:  the pool's, as @thief is: src/sync/latch.h
 * @words:  the program's: the argument, set before the fork; the result, if another worker ran it
 *
 * Frames are the pool's, one beside the other; the program is given the first free one. The frame
 * is the job's from its fork to its join. Jobs beyond 1,023 all share the last frame. No other
 * worker runs such a job, and the frame's words do not hold its argument: a thread that joins such
 * a job, or any job that nobody took, has the argument in its own variables.
 */
struct nap_frame {
	nap_job_fn run nap__line;
	uint32_t latch;
	uint32_t thief;
	unsigned char words[NAP_JOB_SIZE] __attribute__((aligned(16)));
};

/* The first two lines of every worker: what fork and join need. Access: src/queue/deque.h. */
struct nap__forks {
	struct nap_frame *bottom nap__line;
	struct nap_frame *limit nap__line;
	struct nap_frame *split;
	struct nap_frame *frames;
	struct nap_frame *full;
};

/* Not to be called: parts of nap_fork() and nap_join(). */
struct nap_frame *nap_fork_slow(struct nap_worker *worker, struct nap_frame *top);
bool nap_join_slow(struct nap_worker *worker, struct nap_frame *top);

/**
 * nap_top() - the first free frame, for a function that was not given it
 * @worker: the calling worker: nap_worker_self(), or what nap_call() has given
 *
 * In a task, in the function of a nap_call(), or in a callback. A load from memory that was just
 * written is slower than a register: a function that forks in every call is given @top instead.
 */
static inline struct nap_frame *nap_top(struct nap_worker *worker)
{
	return ((struct nap__forks *)(void *)worker)->bottom;
}

/**
 * nap_fork() - let another worker run a job, if one has time before the job is joined
 * @worker: the calling worker: nap_worker_self(), or what a job or nap_call() was given
 * @top:    the first free frame; its words hold the argument
 * @run:    the job's work
 *
 * From a task or a job, on a worker; usually as the X_fork() of a NAP_JOB(X). Never blocks, never
 * fails: with more than 1,023 jobs forked and not joined on this worker, this one is kept for the
 * join. What the caller wrote before is visible to the thread that runs the job.
 *
 * Returns the top until the join, for functions that are called in between.
 */
static inline struct nap_frame *nap_fork(struct nap_worker *worker, struct nap_frame *top,
					 nap_job_fn run)
{
	struct nap__forks *forks = (struct nap__forks *)(void *)worker;

	top->run = run;
	/* Pairs with deque_force(): the frame. [F1] */
	__atomic_store_n(&forks->bottom, top + 1, __ATOMIC_RELEASE);
	/* Fork before checking whether a worker asks; the asker's side is a membarrier. [F2] */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(top >= __atomic_load_n(&forks->limit, __ATOMIC_RELAXED), 0))
		return nap_fork_slow(worker, top);
	return top + 1;
}

/**
 * nap_join() - get back the job that was forked last
 * @worker: the calling worker, on which it was forked
 * @top:    the frame into which it was forked: the youngest that is forked and not joined
 *
 * Returns true when nobody took the job: the caller now does its work itself, by a direct call,
 * with the argument from its own variables. False: the job has been run, and what it wrote is
 * visible, in @top and elsewhere, until the next fork. While another worker runs the job this one
 * runs jobs of that worker, tasks, or jobs of others, nested in the current one while less than
 * half of the stack is used, and sleeps when there are none. (The first wait of a thread asks the
 * system for its stack, for which glibc allocates.)
 *
 * In the child of a fork(2) a job that another worker had taken is given back: true.
 */
static inline bool nap_join(struct nap_worker *worker, struct nap_frame *top)
{
	struct nap__forks *forks = (struct nap__forks *)(void *)worker;

	__atomic_store_n(&forks->bottom, top, __ATOMIC_RELAXED);
	/* Take back before checking whether the job is out; the other side is a membarrier. [F3] */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(top < __atomic_load_n(&forks->split, __ATOMIC_RELAXED), 0))
		return nap_join_slow(worker, top);
	return true;
}

#ifdef __cplusplus
#define nap__assert(what, why) static_assert(what, why)
#define nap__is_plain(type) __is_trivially_copyable(type)
#else
#define nap__assert(what, why) _Static_assert(what, why)
#define nap__is_plain(type) 1
#endif

/* What a frame holds, whatever else the compiler takes its memory for. */
#define nap__held(frame, type) (&((struct type *)(void *)(frame)->words)->held)

#define nap__hold(type, held_t, what)							\
struct type {										\
	held_t held;									\
} __attribute__((__may_alias__));							\
nap__assert(sizeof(struct type) <= NAP_JOB_SIZE && __alignof__(struct type) <= 16,	\
	    what " does not fit into a frame: use a pointer");				\
nap__assert(nap__is_plain(held_t), what " is not trivially copyable: use a pointer")

#define nap__job_fork(name, argument_t)							\
nap__hold(nap__##name##_given, argument_t, "the argument of " #name "()");		\
static void name##_run(struct nap_worker *, struct nap_frame *, struct nap_frame *);	\
static inline __attribute__((__unused__)) struct nap_frame *				\
name##_fork(struct nap_worker *nap__worker, struct nap_frame *nap__top,			\
	    argument_t nap__argument)							\
{											\
	*nap__held(nap__top, nap__##name##_given) = nap__argument;			\
	return nap_fork(nap__worker, nap__top, name##_run);				\
}

/**
 * NAP_JOB() - make a function one that can be forked
 * @name:       of the function, which is declared above and may be defined below: result_t
 *              name(struct nap_worker *worker, struct nap_frame *top, argument_t argument)
 * @result_t:   the type that it returns
 * @argument_t: the type of its argument; for several a struct. What is larger than NAP_JOB_SIZE
 *              bytes is passed by a pointer, and so is such a result
 *
 * At file or namespace scope, without a semicolon. Both types can be assigned, and are written
 * before a variable's name: so a pointer to a function needs a typedef. Defines
 *
 *	struct nap_frame *name_fork(struct nap_worker *worker, struct nap_frame *top,
 *				    argument_t argument);
 *	result_t name_join(struct nap_worker *worker, struct nap_frame *top, argument_t argument);
 *	result_t name_result(struct nap_frame *top);
 *
 * name_fork() is nap_fork() of the call name(argument). name_join() is nap_join(), and returns what
 * the call returns, which it makes itself if nobody took the job. Both are given the same @worker,
 * @top and @argument. A function that would go on in a loop rather than call calls nap_join(), and
 * name_result() when that says that another thread has run the job. name_run() is its nap_job_fn.
 * In C++ both types are trivially copyable; nap/nap.hpp has templates.
 */
#define NAP_JOB(name, result_t, argument_t)						\
nap__job_fork(name, argument_t)								\
nap__hold(nap__##name##_returned, result_t, "the result of " #name "()");		\
static inline __attribute__((__unused__)) result_t					\
name##_result(struct nap_frame *nap__top)						\
{											\
	return *nap__held(nap__top, nap__##name##_returned);				\
}											\
static inline __attribute__((__unused__)) result_t					\
name##_join(struct nap_worker *nap__worker, struct nap_frame *nap__top,			\
	    argument_t nap__argument)							\
{											\
	if (!nap_join(nap__worker, nap__top))						\
		return name##_result(nap__top);						\
	return name(nap__worker, nap__top, nap__argument);				\
}											\
static inline __attribute__((__unused__)) void						\
name##_run(struct nap_worker *nap__worker, struct nap_frame *nap__top,			\
	   struct nap_frame *nap__frame)						\
{											\
	*nap__held(nap__frame, nap__##name##_returned) =				\
		name(nap__worker, nap__top, *nap__held(nap__frame, nap__##name##_given)); \
}

/**
 * NAP_JOB_VOID() - NAP_JOB() for a function that returns nothing
 * @name, @argument_t: as for NAP_JOB()
 */
#define NAP_JOB_VOID(name, argument_t)							\
nap__job_fork(name, argument_t)								\
static inline __attribute__((__unused__)) void						\
name##_join(struct nap_worker *nap__worker, struct nap_frame *nap__top,			\
	    argument_t nap__argument)							\
{											\
	if (nap_join(nap__worker, nap__top))						\
		name(nap__worker, nap__top, nap__argument);				\
}											\
static inline __attribute__((__unused__)) void						\
name##_run(struct nap_worker *nap__worker, struct nap_frame *nap__top,			\
	   struct nap_frame *nap__frame)						\
{											\
	name(nap__worker, nap__top, *nap__held(nap__frame, nap__##name##_given));	\
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_FORK_H */
