/* SPDX-License-Identifier: MIT */
/*
 * The room worker/ (this header is its door).
 *
 * The record of a worker, and what is known of one: which worker the calling thread is (self.h),
 * which records there are (registry.h), how far the pool's life is (phase.h), who is inside it
 * from outside (enter.h, producer.h), what is queued (queued.h), which messages a worker gets
 * (message.h). This room reads words or changes its own; nothing here runs a task or starts a
 * thread, and only a message wakes a worker.
 *
 * Typically a call from outside finds itself in self.h, passes the gate of enter.h or the producer
 * slot of producer.h, and reads one word of phase.h.
 *
 * Where a pool is sized at its first use: nap__pool_start() in enter.c.
 *
 * Where a call is refused in the child of a fork: pool_forked() in phase.h. Where a thread learns
 * that it is in the child, and thus no worker: nap__self() in self.h, nap__become_child() in self.c.
 *
 * From outside: worker.h tells for each word of a record which thread writes it (O: its owner, A:
 * any thread, atomically, S: its starter). Other rooms write only words that are marked so.
 *
 * Open: async.h capacity.h debug_jobs.h enter.h exclusive.h leaving.h measure.h message.h phase.h
 *       pools.h probe.h producer.h queued.h registry.h runs.h self.h source.h tick.h trace.h
 */
/*
 * A worker's record. It lives in the pool's mapping from its first use until join, and is used
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
	NAP_PARK,	/* registered as idle: sleep on the own event */
	NAP_EXIT,	/* the pool has ended */
	NAP_RETIRED,	/* no longer a worker; leaves: src/sched/standby.h */
	NAP_WAIT_OVER,	/* the wait that the worker was in has ended */
};

/*
 * What becomes of a record. Typically CLAIMED, STARTED, JOINING, JOINED. A worker's thread may
 * leave earlier (src/sched/standby.h), and another be started on the record:
 *
 *	CLAIMED --started--> STARTED --retire-> STANDBY --leaves--> LEAVING --ends--> GONE
 *	   ^                    ^                  |                                    |
 *	   |                    +----called back---+       CLAIMED by the next to leave +
 *	   +----------------------- FREE <--waited for its end-------+
 *
 * The joiner takes each record that has a thread, whatever its state, and makes it JOINING.
 */
enum nap__record {
	RECORD_FREE,		/* no thread, may be claimed */
	RECORD_CLAIMED,		/* a thread is being started on it, or a guest is in it */
	RECORD_STARTED,		/* has a worker, and so a thread to be joined */
	RECORD_STANDBY,		/* has a thread to be joined, which waits to be a worker again */
	RECORD_LEAVING,		/* has a thread to be joined, in worker_stop */
	RECORD_GONE,		/* has a thread to be joined, which ends or has ended */
	RECORD_JOINING,		/* the joiner joins that thread */
	RECORD_JOINED,		/* the joiner has joined it */
};

struct nap__self;

/* Why a worker is counted in pool->blocked: once, so a section takes over from a stuck check. */
enum nap__replaced { REPLACED_NOT, REPLACED_IN_SECTION, REPLACED_AS_STUCK };

static inline bool record_has_thread(uint32_t record)
{
	return record >= RECORD_STARTED && record < RECORD_JOINED;
}

/*
 * What is served out of order, in rotation, so that nothing starves: src/sched/fair.c. Each is
 * served once in NAP_FAIR_PERIOD dequeues.
 */
#ifndef NAP_FAIR_PERIOD
#define NAP_FAIR_PERIOD 61
#endif

enum nap__turn { TURN_INJECT, TURN_OVERFLOW, TURN_ALL, NAP__TURNS };
enum nap__look { LOOK_JOBS, LOOK_OVERFLOW, LOOK_RING, NAP__LOOKS };

/* The classes of a pool, and the tasks without a class as one more. */
#define NAP__PARTIES	(NAP_CLASSES + 1)

/* How many free stacks a worker keeps at most. */
#define NAP__STACKS_KEPT	64u

/* What a worker knows of its pool's classes: src/kit/class_take.c. */
struct nap__class_worker {
	struct nap_task *task;		/* the task that it took last, */
	struct nap_class *of;		/* from this class, */
	bool counted;			/* and has counted it as inside */
	bool owes;			/* has to check next whether a task can be taken there */
	uint32_t ahead[NAP__PARTIES];	/* each class's pass, less that of the last served */
	uint32_t strides[NAP__PARTIES];	/* 0: not known yet */
	struct nap_worker *thief;	/* joiner: its jobs are the first ordinary work */
};

/*
 * Access: I set before it is registered, O only the owner, o written by the owner and read by all,
 * A atomic, S the thread that has the record CLAIMED or JOINING, L the thread that has set
 * pool->checking_stuck.
 */
struct nap_worker {
	struct nap__deque deque;		/* first, where nap_fork() and nap_join() find it */

	/* what searchers read on their way */
	struct nap_pool *pool nap__line;	/* I */
	struct nap_worker *next;		/* I: the next older worker */
	uint32_t index;				/* I */
	bool guest;				/* I: for threads from outside: src/sched/guest.h */
	uint32_t exclusive;			/* o: as its thread is: src/worker/exclusive.h */

	/* the owner's own */
	struct nap_worker *target nap__line;	/* O: where the last search stopped */
	uintptr_t runs;				/* o: the function that it runs: runs.h */
	struct nap_worker *next_look;		/* O: the next of all workers for a tick, */
	uint8_t look;				/* O: and which of its queues: enum nap__look */
	uint8_t turn;				/* O: what the next tick serves: enum nap__turn */
	bool bulk;				/* O: some of the last bulk move may remain, */
	bool bulk_older;			/* O: and ticks wait for it */
	uint16_t sips;				/* O: small bulks in a row that were injected */
	uint8_t in_vain;			/* O: how often it waited for more in vain */
	uint32_t bulk_end;			/* O: the end of that bulk in the ring */
	uint32_t tick;				/* O: dequeues since the last tick, or FAIR_GAP less */
						/*    the rest of a part: src/sched/fair.c */
	uint32_t behind;			/* O: dequeues in the later parts */
	uint32_t part;				/* O: dequeues between two checks for due work */
	uint32_t since;				/* O: how many of a bulk since the last check */
	uint32_t due_left;			/* O: how many more due tasks may run first */
	uint64_t due_by;			/* o: when it last checked, ns */
	bool counted_idle;			/* O: counted as idle in the protocol's word */
	bool in_idle_set;			/* O: has entered the idle set, and is in it */
	bool relied_on;				/* O: a producer may have relied on its search; */
						/*    when that ends, others may be needed */
	bool patient;				/* O: leaves a lone task to its owner */
	bool polls;			/* O: is the poller: src/async/timer/timers.h */
	uint64_t protocol[3];			/* O: the data of its idle protocol */
	uint64_t random;			/* O: xorshift64*, never 0 */
	bool ended;				/* O: has run its last task */
	bool retired;				/* O: has run its last task, and the pool goes on */
	uint64_t run_before;			/* O: what a guest had run before it came */
	struct nap_task stand_in;		/* O: for what it took last, if that is no task: */
						/*    its run() knows what, see nap__run() */
	struct nap_worker *stolen_from;		/* O: the victim of its last stolen job, */
	struct nap_frame *stolen_frame;		/* O: and the job's frame */
	struct nap__class_worker classed;	/* O: in a pool with classes */
	uint32_t forked;			/* O: debug builds only: src/worker/debug_jobs.h */
	uint32_t sections;			/* O: its blocking sections: src/kit/blocking.c */
	void *locals[NAP_LOCALS];		/* O: src/worker/local.c */
	struct nap_fiber *stacks[NAP__STACKS_KEPT];	/* A: free ones, for its next spawns: */
	uint32_t nr_stacks;			/* O: in stacks[]: src/async/fiber/free.c */
	uint64_t rest;				/* o: odd while idle with no task on the stack, */
						/*    and for ever when it has retired */
	struct nap_worker_stats stats;		/* o */
	uint64_t serial_waiting;		/* o: put into serial queues, less those taken */

	/* what its wakers write */
	uint32_t event nap__line;		/* A: src/sync/event.h */
	uint32_t idle_state;			/* A: src/idle/set.h */
	uint32_t idle_next;			/* A: src/idle/set.h */
	uint32_t record;			/* A: enum nap__record; a guest's: FREE, CLAIMED */
	uint32_t placed;			/* A: its starter has chosen where it begins */
	uint32_t gone;				/* A: its thread ends: for a detector */
	uint32_t home;				/* A: it has called worker_stop: src/kit/ends.c */
	uintptr_t thread;			/* S: the system's handle */
	uintptr_t stack_half;			/* A: its starter's answer; 0: the worker asks itself */
	uintptr_t mailbox;			/* A: src/worker/message.h */
	uint32_t replaced;			/* A: enum nap__replaced */

	/* of nap_pool_check_stuck(), one thread at a time: src/kit/stuck.c */
	uint64_t stuck_count;			/* L: how much it had done at the last check, */
	uint64_t stuck_since;			/* L: and since when, ns; 0: never checked */
	bool stuck_reported;			/* L: and the program was notified */

	/* with NAP_ONE_CPU_EACH: src/thread/cpu_rank.h */
	bool holds_rank;			/* O, S */
	uint32_t cpu_rank;			/* O, S: the rank whose CPU it has */
	uint32_t rank_held;			/* A: the CPU rank of this record is taken */

	/* for a dump: src/dump/ */
	struct nap__self *self;			/* o: its thread's */
	uint64_t seen;				/* A: src/worker/runs.h */

	struct nap__queue overflow;		/* A */
	struct nap__ring ring;			/* A */
	struct nap_frame frames[NAP_DEQUE_SIZE + 1] nap__line;	/* A: src/queue/deque.h */

	/*
	 * Each record begins one line farther into a page than the record before: what a sleeping
	 * worker has touched is on one page, and the same words of all workers are in sets of the
	 * cache of their own.
	 */
	uint8_t apart[512];
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

/* Owner: whether some of the last bulk is in the ring. Asked before an index can wrap. */
static inline bool bulk_remains(struct nap_worker *worker)
{
	if (!worker->bulk)
		return false;
	if ((int32_t)(worker->bulk_end - nap_load_relaxed(&worker->ring.head)) > 0)
		return true;
	worker->bulk = false;
	return false;
}

/* Returns the difference of two counts that were not read at once. */
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

/* Ends all locals of @worker, which runs nothing from now on. */
void nap__locals_end(struct nap_worker *worker);

#endif /* NAP_WORKER_H */
