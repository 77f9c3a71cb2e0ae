/* SPDX-License-Identifier: MIT */
/*
 * The specification of nap, as a program that nap-check links with a user's program: README.rst.
 *
 * A run is one scheduled task, and is a thread of its own. It begins on one of its pool's workers.
 * A worker is a stack of runs: the topmost run goes on, and those below it wait. So a worker is one
 * word: 0 (idle), a run that waits, or a run that runs (its address + RUNS).
 */
#ifndef NAP_SPEC_H
#define NAP_SPEC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/check.h>
#include <nap/nap.h>

/* ---- how threads talk to each other: no order that the headers do not promise */

#define relaxed(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_relaxed(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
/* Changes *@p from @from to @to, if *@p is @from. */
#define cas_acquire(p, from, to) spec_cas(p, from, to, __ATOMIC_ACQUIRE)
#define cas_release(p, from, to) spec_cas(p, from, to, __ATOMIC_RELEASE)
#define cas_relaxed(p, from, to) spec_cas(p, from, to, __ATOMIC_RELAXED)
#define spec_cas(p, from, to, order) __extension__ ({					\
	__typeof__(*(p)) from_ = (from);						\
	__atomic_compare_exchange_n(p, &from_, to, false, order, __ATOMIC_RELAXED);	\
})
/* As cas_acquire() with *@from; if *@p is another value, *@from becomes this value. */
#define try_acquire(p, from, to) \
	__atomic_compare_exchange_n(p, from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)

/* ---- runs */

struct run {
	struct nap_pool *pool;
	struct nap_task *task;
	nap_fiber_fn fiber;	/* a fiber, which leaves its worker when it waits; NULL: a task */
	void *arg;
	intptr_t result;
	const struct run *before;	/* the run begins when @before has ended (serial_spec.c) */
	struct nap_frame *job;		/* a job: its frame (fork_spec.c) */
	void (*turn)(struct run *run);	/* waits until the run may have a worker; or NULL */
	/* Called when the run begins, and when the run is over; or NULL. */
	void (*begins)(struct run *run), (*over)(struct run *run);
	void *queue;			/* the queue or scope that these three functions are for */
	struct run *earlier;		/* the run before in that queue (order_spec.c) */
	uint32_t slow;			/* a slow run of such a queue */
	uint32_t canceled, shielded;	/* a fiber (fiber_spec.c) */
	bool periodic;			/* a timer that fires again (timer_spec.c) */
	struct nap_class *class;	/* whose permit it needs, or NULL (class_spec.c) */
	bool guest;			/* a call from outside, which has no worker (call_spec.c) */
	/* ARMED: it begins when its timer fires; or FIRED, CANCELED (timer_spec.c) */
	uint32_t timer;
	unsigned nth;		/* which of main()'s runs; SPEC_WORKERS: of another thread */
	uintptr_t *worker;	/* the worker that it is on */
	uintptr_t below;	/* what waits below it on that worker */
	unsigned number, above;	/* threads' numbers + 1, for messages: its own; of the run above */
	uint32_t state;		/* QUEUED, BEGUN or LEFT */
	uint32_t ended;
	uint32_t handle;	/* a fiber's: DETACHED, HELD or AWAITED (fiber_spec.c) */
	struct run *next;	/* in the list @scheduled of a run, or @outside of a pool */
	struct run *scheduled;	/* what this run has scheduled on its pool, the last one first */
};

enum { QUEUED, BEGUN, LEFT };
#define RUNS 1u

/* The run that the calling thread is; NULL: a thread outside all pools. */
extern __thread struct run *spec_self;

/* Returns a new run on @pool. */
struct run *spec_run(struct nap_pool *pool);

/* Has the run begin, some time. Returns 0, or -ESHUTDOWN when its pool takes nothing more. */
int spec_begin(struct run *run);

/* A pool, in the private memory of struct nap_pool. Zero at first. */
#define SPEC_WORKERS 16u
struct spec_pool {
	uintptr_t outside;	/* what threads outside have scheduled, the last one first; flags */
	uint32_t stopped;
	unsigned by_main;	/* how many runs main() has made */
	uintptr_t worker[SPEC_WORKERS];
};
enum { CLOSED = 1, JOINED = 2, FLAGS = 3 };	/* in @outside */

static inline struct spec_pool *spec_of(const struct nap_pool *pool)
{
	return (struct spec_pool *)(uintptr_t)&pool->inject;
}

/*
 * Whether a pool was stopped. A stop ends the waits of its runs, a cancellation those of a fiber.
 */
#define is_stopped(pool) ((pool) && acquire(&spec_of(pool)->stopped))
#define self_is_stopped() (spec_self && (is_stopped(spec_self->pool) || self_is_canceled()))
#define self_is_canceled() \
	(spec_self->fiber && !spec_self->shielded && relaxed(&spec_self->canceled))

/* Whether the calling thread is a run of @pool. */
#define is_inside(p) (spec_self && spec_self->pool == (p))

/* run.timer; LAST: fired, and does not fire again */
enum { NO_TIMER, ARMED, FIRED, LAST, CANCELED };

/* As spec_begin(), for a job, which no pool refuses. */
void spec_begin_inside(struct run *run);

/* Lists @run among what its pool has accepted. Returns 0 or -ESHUTDOWN. */
int spec_list(struct run *run);

/* A run takes a worker, and leaves it. Messages name a worker's topmost run by its thread. */
void spec_take_worker(struct run *run);
void spec_leave_worker(struct run *run);
void spec_is_thread(struct run *run);

/*
 * A permit of @run's class: spec_permit_take() waits for one, spec_permit_give() gives it back, and
 * spec_permit_keep() has one again at once (class_spec.c).
 */
void spec_permit_take(struct run *run);
void spec_permit_give(struct run *run);
void spec_permit_keep(struct run *run);

/*
 * Arms a periodic timer again. False: it was canceled. A timer fires SPEC_FIRES times at most here.
 */
#define SPEC_FIRES 2u
bool spec_rearms(struct run *run);

/* ---- what files here use of each other */

/*
 * spec_work_take() takes an idle work to schedule it, and returns 0 or an error.
 * spec_work_give_back() makes a refused work idle again, and returns the error (work_spec.c).
 */
int spec_work_take(struct nap_work *work);
int spec_work_give_back(struct nap_work *work);

/* The pool's class @which, or NULL. */
struct nap_class *spec_class_of(struct nap_pool *pool, uint32_t which);

/*
 * A send or a receive without a wait, or -EAGAIN; whether it seems to be possible (channel_spec.c).
 */
int spec_channel_try(struct nap_channel *channel, void *value, bool sends);
bool spec_channel_may(struct nap_channel *channel, bool sends);
void spec_channel_has_buffer(const struct nap_channel *channel);
#define SPEC_CASES 8u	/* of a select */

/* The calling run's worker, as nap/fork.h knows workers. */
struct nap_worker *spec_worker(void);
void spec_worker_ends(void);		/* a job that is not joined is a fault */
void spec_run_job(struct run *run);

/*
 * A run waits. spec_waits(): other runs may begin on its worker; a fiber leaves the worker.
 * spec_goes_on(): goes on, when nothing is above it. Outside of pools they do nothing.
 */
void spec_waits(void);
void spec_goes_on(void);

/*
 * A wait with a deadline may end at any time: so it is one look, which may see what is there now,
 * or what was there before. A wait without one looks until it sees what it waits for.
 */
#define is_timed(deadline) ((deadline) != NAP_FOREVER)

/* ---- what a thread waits for: a wait without an end is a dead-lock, and is reported by these */

/* As tools/check/program/holders.c has it: *@holder is the number of a thread, plus 1. */
void nap_check_waits_for(const char *what, const void *on, const unsigned *holder, const char *how);
#define waits_no_more() nap_check_waits_for(NULL, NULL, NULL, NULL)

/* The thread that has what each thread waits for, plus 1; 0 if it is not known. */
extern unsigned spec_holder[CHECK_THREADS + 1];
static inline CHECK_OUTSIDE void held_by(unsigned number)
{
	spec_holder[check_self()] = number;
}

/* For messages: the calling run waits for @on, maybe below another run; or for the end of @run. */
void spec_waits_for(const char *what, const void *on);
void spec_waits_for_end(const struct run *run);

/*
 * Waits until @done, as the calls of nap/sync.h wait: a fiber leaves its worker, and a task keeps
 * it. Returns 0, or why it did not wait longer.
 */
#define WAIT(what, on, done, deadline) __extension__ ({					\
	bool leaves_ = spec_self && spec_self->fiber;					\
	int err_ = 0;									\
	if (!leaves_ || !(done)) {							\
		held_by(0);								\
		if (!leaves_ && spec_self && spec_self->class)				\
			spec_permit_give(spec_self);					\
		if (leaves_)								\
			spec_waits();							\
		nap_check_waits_for(what, on, &spec_holder[check_self()], "which * has"); \
		while (!(done)) {							\
			err_ = self_is_stopped() ? -ECANCELED :				\
			       is_timed(deadline) ? -ETIMEDOUT : 0;			\
			if (err_)							\
				break;							\
		}									\
		waits_no_more();							\
		if (leaves_)								\
			spec_goes_on();							\
		else if (spec_self && spec_self->class)					\
			spec_permit_keep(spec_self);					\
	}										\
	err_;										\
})

#endif /* NAP_SPEC_H */
