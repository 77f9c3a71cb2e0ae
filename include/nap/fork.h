/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_fork - fork and join: split work into jobs, and collect the results
 *
 * Fork and join: a function splits its work into jobs, which other workers may take while the
 * function goes on, and then collects the results. This is for work that has the form of a tree.
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
 * A job is a call that another worker may make. The job lies in a frame: one cache line of its
 * worker's own stack of frames, with the function, its argument and later its result. Nothing is
 * allocated, and nothing of the caller's C frame is shared. @top is the first free frame. Every
 * function that forks is given @top. It forks into this frame, passes the next frame to the
 * functions that it calls before the join, and joins the job in @top. So @top stays in a register,
 * and the function needs no memory of its own for the job (as with the tasks of van Dijk and van de
 * Pol, "Lace", 2014).
 *
 * The function that forks a job joins the job on the same worker, the last job first: forks and
 * joins nest like parentheses, and every job is joined before the task, job, called function or
 * callback that forked it returns. A debug build (make DEBUG=1) reports a violation and aborts.
 *
 * As long as no other worker asks for jobs, forking and joining a job costs neither a fence nor a
 * locked instruction: the worker keeps its jobs private, in a split deque (the same paper;
 * src/queue/deque.h). Where the system has no membarrier(2), and in a debug build, every fork makes
 * its job public, and every join is a compare-exchange.
 *
 * A function that usually returns at once is faster in two parts: an inline function for the test,
 * and a function that forks and is not inlined (__attribute__((noinline))). Then only the function
 * that forks saves registers. With clang a fork of fib() takes 39 instructions in the form below,
 * and 56 in the form above (with gcc 32 in both):
 *
 *	return n < 2 ? n : fib_node(worker, top, n);
 *
 * A signal handler may not fork: its thread may be about to fork into the same frame.
 *
 * A job is left by return only, as a task is (nap/task.h): an exception out of it, pthread_exit(),
 * a cancellation or longjmp() ends the process, with one line or by std::terminate().
 *
 * A join, like every wait on a worker, runs other work, nested in the caller, until the wait ends.
 * (Inside a task of a serial queue, nap/serial.h, a join runs only jobs of the worker that has
 * taken the awaited job.) The nested work may want a lock that an outer function on the same stack
 * holds, and would wait for ever. So a task must not hold a lock over such a wait. A task that has
 * to hold a lock waits for a group without a pool, because such a wait runs nothing (nap/group.h).
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
 * @frame: the job's own frame: the argument, and on return the result
 *
 * Runs at most once per fork: on another worker, or on the forking worker, if that worker waits for
 * something else before it joins the job (a group, nap_pool_help()). When the function has
 * returned, the frame belongs to the forking worker again.
 */
typedef void (*nap_job_fn)(struct nap_worker *worker, struct nap_frame *top,
			   struct nap_frame *frame);

/** NAP_JOB_SIZE - the most bytes that an argument or a result of a job can have */
#define NAP_JOB_SIZE	(NAP__CACHE_LINE - 16)

/**
 * struct nap_frame - where a job lies
 * @run:    the job's function, set by the fork
 * @latch:  the pool's, as is @thief, the number of the worker that has taken the job
 * @words:  the program's: the argument, set before the fork; the result, if another worker ran the
 *          job
 *
 * Frames are the pool's, one beside the other; the program is given the first free frame. A frame
 * belongs to its job from fork to join. Jobs beyond 1,023 all share the last frame. No other worker
 * runs such a job, and the frame's words do not hold its argument. A function that joins such a
 * job, or any job that no worker took, uses the argument in its own variables.
 */
struct nap_frame {
	nap_job_fn run nap__line;
	uint32_t latch;
	uint32_t thief;
	unsigned char words[NAP_JOB_SIZE] __attribute__((aligned(16)));
};

/*
 * The first two cache lines of every worker's record: what fork and join need. Access:
 * src/queue/deque.h.
 */
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
 * nap_top() - the worker's first free frame, for a function that was not given @top
 * @worker: the calling worker: nap_worker_self(), or what nap_call() has given
 *
 * To be called in a task, in the function of a nap_call(), or in a callback. A function that forks
 * in every call is given @top as an argument instead: a register is faster than a load of memory
 * that was just written.
 */
static inline struct nap_frame *nap_top(struct nap_worker *worker)
{
	return ((struct nap__forks *)(void *)worker)->bottom;
}

/**
 * nap_fork() - let another worker run a job, if one is free before the job is joined
 * @worker: the calling worker: nap_worker_self(), or what a job or nap_call() was given
 * @top:    the first free frame; its words hold the argument
 * @run:    the job's work
 *
 * To be called in a task or a job, on a worker; usually as the X_fork() of a NAP_JOB(X). The call
 * never blocks and never fails: if the worker has 1,023 jobs that are not joined, no other worker
 * can take the new job. What the caller wrote before is visible to the thread that runs the job.
 *
 * Returns the new first free frame, for functions that are called before the join.
 */
static inline struct nap_frame *nap_fork(struct nap_worker *worker, struct nap_frame *top,
					 nap_job_fn run)
{
	struct nap__forks *forks = (struct nap__forks *)(void *)worker;

	top->run = run;
	/* Publishes the frame: pairs with deque_force() on the worker that asks. [F1] */
	__atomic_store_n(&forks->bottom, top + 1, __ATOMIC_RELEASE);
	/*
	 * Move bottom before checking whether a worker asks. Pairs with the asker's membarrier.
	 * [F2]
	 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(top >= __atomic_load_n(&forks->limit, __ATOMIC_RELAXED), 0))
		return nap_fork_slow(worker, top);
	return top + 1;
}

/**
 * nap_join() - get back the job that was forked last
 * @worker: the calling worker, on which the job was forked
 * @top:    the frame of the youngest job that is forked and not joined
 *
 * Returns true when no worker took the job: the caller now does the job's work itself, by a direct
 * call, with the argument from its own variables. Returns false when the job has been run; its
 * result is in @top until the next fork, and everything that the job wrote is visible. While
 * another worker runs the job, the caller runs other work, nested in the current task: that
 * worker's jobs, tasks, or jobs of other workers. If there is none, or half of the stack is used,
 * the caller sleeps. (The first wait of a thread asks the system for its stack, for which glibc
 * allocates.)
 *
 * In the child of a fork(2) a job that another worker had taken is given back: true.
 */
static inline bool nap_join(struct nap_worker *worker, struct nap_frame *top)
{
	struct nap__forks *forks = (struct nap__forks *)(void *)worker;

	__atomic_store_n(&forks->bottom, top, __ATOMIC_RELAXED);
	/*
	 * Move bottom before checking whether the job is public. Pairs with deque_force()'s
	 * membarrier. [F3]
	 */
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

/*
 * The argument or the result in a frame. The frame declares its words with another type, so @type
 * has the attribute may_alias.
 */
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
 * NAP_JOB() - make a function that can be forked
 * @name:       the name of the function, which is declared before and may be defined later:
 *              result_t name(struct nap_worker *worker, struct nap_frame *top, argument_t argument)
 * @result_t:   the type that the function returns
 * @argument_t: the type of its argument; for several arguments a struct. An argument or a result of
 *              more than NAP_JOB_SIZE bytes is passed by a pointer
 *
 * The macro stands at file or namespace scope, without a semicolon. Both types have names with
 * which "type name" declares a variable: so a pointer to a function needs a typedef. The macro
 * defines
 *
 *	struct nap_frame *name_fork(struct nap_worker *worker, struct nap_frame *top,
 *				    argument_t argument);
 *	result_t name_join(struct nap_worker *worker, struct nap_frame *top, argument_t argument);
 *	result_t name_result(struct nap_frame *top);
 *
 * name_fork() is nap_fork() of the call name(argument). name_join() is nap_join(), and returns what
 * name(argument) returns; it calls name() itself if no other worker took the job. Both are given
 * the same @worker, @top and @argument. A function that goes on in a loop instead of a call uses
 * nap_join(), and, after false, name_result(). name_run() is the nap_job_fn. In C++ both types are
 * trivially copyable; nap/nap.hpp has templates.
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
