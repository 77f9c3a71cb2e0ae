/* SPDX-License-Identifier: MIT */
/*
 * The room worker/ (this header is its door).
 *
 * The record of a worker, and the state around it: which worker the calling thread is (self.h),
 * which records exist (registry.h), the phase of the pool's life (phase.h), which calls by other
 * threads are inside the pool (enter.h, producer.h), whether tasks are queued (queued.h), which
 * messages a worker has (message.h). This room reads words, and changes its own; nothing in it runs
 * a task or starts a thread, and only a message wakes a worker.
 *
 * Typically a thread from outside that calls nap finds its record by self.h, enters the pool by a
 * gate (enter.h) or a producer slot (producer.h), and reads one word of phase.h.
 *
 * Where a pool is sized at its first use: nap__pool_start() in enter.c. Where a thread's stack is
 * compared with the nesting limit: may_nest() in nest.h; src/wait/wait_worker.c asks in a wait.
 *
 * Where a call is refused in the child of a fork: pool_forked() in phase.h. Where a thread learns
 * that it is in the child, and so no worker: nap__self() in self.h, nap__become_child() in self.c.
 *
 * From outside: worker.h tells for each word of a record which thread writes it (O: its owner, A:
 * any thread, atomically, S: its starter). Other rooms write only words that are marked so.
 *
 * Open: async.h capacity.h debug_jobs.h enter.h exclusive.h jump.h leaving.h measure.h message.h
 *       nest.h phase.h pools.h probe.h producer.h queued.h registry.h runs.h self.h source.h tick.h
 *       trace.h
 */
/*
 * A worker's record. It lies in the pool's mapping from its first use until the join, and is used
 * again after a failed start, or when a guest has left. Only the record of an unregistered guest
 * (src/sched/guest.h) lies on a stack.
 */
#ifndef NAP_WORKER_H
#define NAP_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/class.h>
#include <nap/local.h>
#include <nap/pool.h>

#include "arch/atomic.h"
#include "queue/deque.h"
#include "queue/ring.h"

enum nap__verdict {
	NAP_SEARCH,	/* search the queues (again) */
	NAP_PARK,	/* registered as idle: sleep on the worker's event */
	NAP_EXIT,	/* the pool has ended */
	NAP_RETIRED,	/* no longer a worker; leaves: src/sched/standby.h */
	NAP_WAIT_OVER,	/* the worker's wait has ended */
};

/*
 * The states of a record. Typically a record is CLAIMED, STARTED, JOINING, JOINED. A worker's
 * thread may leave earlier (src/sched/standby.h), and another thread be started on the record:
 *
 *	CLAIMED --started--> STARTED --retire-> STANDBY --leaves--> LEAVING --ends--> GONE
 *	   ^                    ^                  |                                    |
 *	   |                    +----called back---+       CLAIMED by the next to leave +
 *	   +----------------------- FREE <--waited for its end-------+
 *
 * The joiner takes each record that has a thread, whatever its state, and makes it JOINING.
 */
enum nap__record {
	RECORD_FREE,		/* no thread; the record may be claimed */
	RECORD_CLAIMED,		/* a thread is being started on it, or a guest has it */
	RECORD_STARTED,		/* has a worker, and so a thread to be joined */
	RECORD_STANDBY,		/* has a thread to be joined, which waits to be called back */
	RECORD_LEAVING,		/* has a thread to be joined, in worker_stop */
	RECORD_GONE,		/* has a thread to be joined, which ends or has ended */
	RECORD_JOINING,		/* the joiner is joining the thread */
	RECORD_JOINED,		/* the joiner has joined the thread */
};

struct nap__self;

/*
 * Why a worker is counted in pool->blocked. It is counted once, so a blocking section takes over
 * the count that a check for stuck workers has made.
 */
enum nap__replaced { REPLACED_NOT, REPLACED_IN_SECTION, REPLACED_AS_STUCK };

static inline bool record_has_thread(uint32_t record)
{
	return record >= RECORD_STARTED && record < RECORD_JOINED;
}

/* Whether tasks may run on the record. A thread may run some before its starter notes the start. */
static inline bool record_may_run(uint32_t record)
{
	return record == RECORD_CLAIMED || record_has_thread(record);
}

/*
 * The queues that ticks serve in rotation, so that no task starves: src/sched/fair.c. Each is
 * served once in NAP_FAIR_PERIOD dequeues.
 */
#ifndef NAP_FAIR_PERIOD
#define NAP_FAIR_PERIOD 61
#endif

enum nap__turn { TURN_INJECT, TURN_OVERFLOW, TURN_ALL, NAP__TURNS };
enum nap__look { LOOK_JOBS, LOOK_OVERFLOW, LOOK_RING, NAP__LOOKS };

/*
 * What a worker has stolen in its last successful search elsewhere; STOLE_NOTHING: injected tasks.
 */
enum nap__stole { STOLE_NOTHING, STOLE_TASKS, STOLE_JOB };

/* The number of parties: the classes of a pool, and the tasks without a class as one more. */
#define NAP__PARTIES	(NAP_CLASSES + 1)

/* The most free stacks that a worker keeps. */
#define NAP__STACKS_KEPT	64u

/* A worker's data about its pool's classes: src/kit/class_take.c. */
struct nap__class_worker {
	struct nap_task *task;		/* the task that the worker took last */
	struct nap_class *of;		/* the class of @task */
	bool counted;			/* whether @task was counted in class->inside */
	bool owes;			/* the worker has to check next for a task of this class */
	uint32_t ahead[NAP__PARTIES];	/* each class's pass, less the last served class's pass */
	uint32_t strides[NAP__PARTIES];	/* each class's stride; 0: not computed yet */
};

/* A stolen part of a loop: src/parallel/crew.h. */
struct nap__open_part {
	const void *loop;
	size_t begin, end;
};
#define NAP__OPEN_PARTS	4u

/*
 * Access letters: I: set before the record is registered; O: only the owner; o: written by the
 * owner, read by all threads; A: atomic; S: the thread that has made the record CLAIMED or JOINING;
 * L: the thread that is in pool->checking_stuck.
 */
struct nap_worker {
	/* first member, where nap_fork() and nap_join() find it */
	struct nap__deque deque;

	/* words that searching threads read */
	struct nap_pool *pool nap__line;	/* I */
	struct nap_worker *next;		/* I: the next older worker */
	uint32_t index;				/* I */
	bool guest;				/* I: the record is for guests: src/sched/guest.h */
	uint32_t exclusive;			/* o: copied from its thread: exclusive.h */

	/* words that only the owner uses */
	struct nap_worker *target nap__line;	/* O: where the last search stopped */
	uintptr_t runs;				/* o: the function that the worker runs: runs.h */
	struct nap_worker *next_look;		/* O: the worker that a tick takes from next */
	uint8_t look;				/* O: the queue of @next_look: enum nap__look */
	uint8_t turn;				/* O: served by the next tick: enum nap__turn */
	bool bulk;				/* O: tasks of the last bulk may remain */
	bool bulk_older;			/* O: ticks wait for the tasks of the last bulk */
	uint16_t sips;				/* O: small bulks of injected tasks in a row */
	uint8_t in_vain;			/* O: pauses for a larger bulk that were in vain */
	uint32_t bulk_end;			/* O: the end of the last bulk in the ring */
	uint32_t tick;				/* O: dequeues since the last tick, or FAIR_GAP */
						/*    less the rest of a part: async/timer/due.c */
	uint32_t behind;			/* O: dequeues in the later parts before the tick */
	uint32_t part;				/* O: dequeues between two checks for due work */
	/* O: in a bulk, and in a pool with classes: dequeues since the last such check */
	uint32_t since;
	uint32_t due_left;			/* O: how many more due tasks may run first */
	uint64_t due_by;			/* o: the time of the last check, ns */
	bool counted_idle;			/* O: counted as idle in the protocol's word */
	bool in_idle_set;			/* O: in the idle set, as far as the worker knows */
	/* O: a producer may have relied on its search: others may be needed when the search ends */
	bool relied_on;
	bool patient;				/* O: leaves a lone task to its owner */
	bool polls;			/* O: is the poller: src/async/timer/timers.h */
	uint64_t protocol[3];			/* O: the data of its idle protocol */
	uint64_t random;			/* O: xorshift64*, never 0 */
	bool ended;				/* O: has run its last task */
	bool retired;				/* O: has run its last task, and the pool goes on */
	uint8_t stole;				/* O: enum nap__stole */
	bool frame_left;			/* O: the stolen job has left its frame: */
						/*    fork/fork.h */
	uint64_t run_before;			/* O: a guest's: tasks run before it came */
	struct nap_task stand_in;		/* O: stands for the last taken job or message: */
						/*    its run() knows which, see nap__run() */
	struct nap_worker *stolen_from;		/* O: the victim of its last stolen job */
	struct nap_frame *stolen_frame;		/* O: the frame of its last stolen job */
	struct nap_frame *joins;		/* O: its own stolen job, for whose end it */
						/*    searches */
	struct nap__class_worker classed;	/* O: used in a pool with classes */
	uint32_t forked;			/* O: debug builds only: src/worker/debug_jobs.h */
	uint32_t sections;			/* O: open blocking sections: src/kit/blocking.c */
	void *locals[NAP_LOCALS];		/* O: of nap/local.h: src/worker/local.c */
	struct nap_fiber *stacks[NAP__STACKS_KEPT];	/* A: free stacks, for its next spawns: */
	uint32_t nr_stacks;			/* O: entries in stacks[]: src/async/fiber/free.c */
	uint64_t rest;				/* o: odd while at rest, and once it has retired */
	struct nap_worker_stats stats;		/* o */
	uint64_t serial_waiting;		/* o: put into serial queues, less those begun */

	/* words that other threads write */
	uint32_t event nap__line;		/* A: src/sync/event.h */
	uint32_t idle_state;			/* A: src/idle/set.h */
	uint32_t idle_next;			/* A: src/idle/set.h */
	uint32_t record;			/* A: enum nap__record; a guest's: FREE, CLAIMED */
	uint32_t placed;			/* A: its starter has chosen its first CPU */
	uint32_t gone;				/* A: its thread is about to end, for a detector */
	uint32_t home;				/* A: has left worker_stop: src/kit/ends.c */
	uintptr_t thread;			/* S: the system's handle of its thread */
	uintptr_t stack_half;			/* A: the middle of its stack; 0: unknown */
	uintptr_t mailbox;			/* A: src/worker/message.h */
	uint32_t replaced;			/* A: enum nap__replaced */

	/* notes of nap_pool_check_stuck(), which one thread at a time runs: src/kit/stuck.c */
	uint64_t stuck_count;			/* L: the worker's progress at the last check */
	uint64_t stuck_since;			/* L: when the progress changed, ns; 0: unchecked */
	bool stuck_reported;			/* L: whether the program was notified */

	/* with NAP_ONE_CPU_EACH: src/thread/cpu_rank.h */
	bool holds_rank;			/* O, S */
	uint32_t cpu_rank;			/* O, S: the rank whose CPU it has */
	uint32_t rank_held;			/* A: the CPU rank of this record is taken */

	/* for a dump: src/dump/ */
	struct nap__self *self;			/* o: the record of its thread */
	uint64_t seen;				/* A: src/worker/runs.h */

	struct nap__queue overflow;		/* A */
	struct nap__ring ring;			/* A */
	/* the stolen parts of loops that the worker runs, for a fork's child: parallel/crew.h */
	struct nap__open_part parts[NAP__OPEN_PARTS] nap__line;	/* o */
	uint32_t nr_parts;			/* o */
	struct nap_frame frames[NAP_DEQUE_SIZE + 1] nap__line;	/* A: src/queue/deque.h */

	/*
	 * Each record begins one cache line farther into a page than the record before. So the
	 * touched words of a sleeping worker are on one page, and the same word of different
	 * workers is in different sets of the cache.
	 */
	uint8_t apart[384];
};

_Static_assert(sizeof(struct nap_task) == 16, "a task is two words");
_Static_assert(sizeof(struct nap_pool) == 1088, "a pool is 17 lines; growth comes out of reserved");
_Static_assert(offsetof(struct nap_worker, frames) <= 4096 || NAP_RING_SIZE > 256,
	       "a worker that does not fork is at most 4 KiB");
_Static_assert(sizeof(struct nap_worker) % 4096 == NAP__CACHE_LINE || NAP_RING_SIZE != 256,
	       "a record begins one line farther into a page than the record before");
_Static_assert(offsetof(struct nap_worker, deque) == 0 && offsetof(struct nap__deque, forks) == 0,
	       "nap_fork() finds its words at the beginning");
_Static_assert(offsetof(struct nap_worker, pool) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_worker, target) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_worker, event) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_worker, overflow) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_worker, ring) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap__ring, tail) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap__queue, pop) % NAP__CACHE_LINE == 0 &&
	       sizeof(struct nap_worker) % NAP__CACHE_LINE == 0,
	       "what others write lies on lines apart from what the owner writes");
_Static_assert(offsetof(struct nap_pool, limit) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_pool, sync) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_pool, intake) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_pool, inject) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_pool, registry) % NAP__CACHE_LINE == 0 &&
	       offsetof(struct nap_pool, waiters) % NAP__CACHE_LINE == 0,
	       "the pool's words are apart by who writes them");

/* Owner: counts; any thread may read the counter. */
static inline void stat_add(uint64_t *counter, uint64_t n)
{
	nap_store_relaxed(counter, *counter + n);
}

/*
 * Owner: whether tasks of the last bulk are in the ring. While they are, the end of the bulk is at
 * most a ring's size beyond the head. So where a task lasts so long that thieves move the head
 * around, the answer is wrong only if the head then is in the bulk's place again, and not for long.
 */
static inline bool bulk_remains(struct nap_worker *worker)
{
	if (!worker->bulk)
		return false;
	if (worker->bulk_end - nap_load_relaxed(&worker->ring.head) - 1 < NAP_RING_SIZE)
		return true;
	worker->bulk = false;
	return false;
}

/*
 * Returns the difference of two counts that were read at different times; 0 instead of a negative
 * one.
 */
static inline uint64_t left_between(uint64_t pushed, uint64_t taken)
{
	return pushed > taken ? pushed - taken : 0;
}

/* Any thread: returns how many tasks are in the overflow of @worker. */
static inline uint64_t overflow_count(struct nap_worker *worker)
{
	uint64_t taken = nap_load_relaxed(&worker->overflow.taken);

	return left_between(nap_load_relaxed(&worker->stats.overflowed), taken);
}

/* Ends all objects of nap/local.h of @worker, which runs no function from now on. */
void nap__locals_end(struct nap_worker *worker);

#endif /* NAP_WORKER_H */
