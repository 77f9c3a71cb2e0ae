/* SPDX-License-Identifier: MIT */
/*
 * A worker's record. It lives in the pool's mapping from its first use until join, and is used
 * again when a start has failed or a guest has left. Only that of a guest who stands aside
 * (src/guest.h) lies on a stack.
 */
#ifndef NAP_WORKER_H
#define NAP_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/local.h>
#include <nap/pool.h>

#include "atomic.h"
#include "queue/deque.h"
#include "queue/ring.h"

enum nap__verdict {
	NAP_SEARCH,	/* look at the queues (again) */
	NAP_PARK,	/* registered as idle: sleep on the own word */
	NAP_EXIT,	/* the pool has ended */
	NAP_WAIT_OVER,	/* the wait that the worker was in has ended */
};

enum nap__record {
	RECORD_FREE,		/* no thread, may be claimed */
	RECORD_CLAIMED,		/* a thread is being started on it, or a guest is in it */
	RECORD_STARTED,		/* has a thread to be joined */
	RECORD_JOINED,		/* the joiner has joined that thread */
};

/*
 * Who is served out of order, in turn, so that nothing starves: src/fair.c. In so many dequeues
 * each has its turn once.
 */
#ifndef NAP_FAIR_PERIOD
#define NAP_FAIR_PERIOD 61
#endif

enum nap__turn { TURN_INJECT, TURN_OVERFLOW, TURN_ALL, NAP__TURNS };
enum nap__look { LOOK_JOBS, LOOK_OVERFLOW, LOOK_RING, NAP__LOOKS };

/* What each idle protocol keeps of a worker. */
struct nap__sync_worker {
	bool waking;		/* this is the waking worker */
	uint8_t alarms;		/* notifications in a row that it has taken for nothing */
};

struct nap__go_worker {
	bool searching;		/* counted as searching: has a token */
	bool search_first;	/* woken or started, and has not searched yet */
};

struct nap__jec_worker {
	bool searching;		/* counted as inactive */
	bool search_first;	/* woken or started, and has not searched yet */
	bool sleepy;		/* has announced it, */
	uint32_t announced;	/* at this event */
	uint32_t yields;	/* since it has begun to search */
	uint64_t since;		/* when that was, ns */
};

/*
 * Access: I set before it is registered, O only the owner, o written by the owner and read by all,
 * A atomic, S the starter until RECORD_STARTED and the joiner afterwards.
 */
struct nap_worker {
	struct nap__deque deque;		/* first: nap_fork() and nap_join() find it there */

	/* what searchers read on their way */
	struct nap_pool *pool nap__line;	/* I */
	struct nap_worker *next;		/* I: towards older workers */
	uint32_t index;				/* I */
	bool guest;				/* I: for threads from outside: src/guest.h */

	/* the owner's own */
	struct nap_worker *target nap__line;	/* O: where the last search stopped */
	struct nap_worker *next_look;		/* O: whose turn is next among all workers, */
	uint8_t look;				/* O: and which of its queues: enum nap__look */
	uint8_t turn;				/* O: whose the next turn is: enum nap__turn */
	bool bulk;				/* O: some of the last bulk move may remain, */
	bool bulk_older;			/* O: and turns wait for it */
	uint16_t sips;				/* O: small bulks in a row that were injected */
	uint8_t in_vain;			/* O: how often a larger one was waited for so */
	uint32_t bulk_end;			/* O: where in the ring that ended */
	uint32_t tick;				/* O: dequeues since the last turn */
	bool counted_idle;			/* O: in the protocol's word */
	bool in_idle_set;			/* O: entered, and not taken out */
	bool relied_on;				/* O: a producer may have relied on its search; */
						/*    when that ends, others may be needed */
	bool patient;				/* O: leaves alone what its owner is about to take */
	union {					/* O: what only its protocol knows */
		struct nap__sync_worker sync;
		struct nap__go_worker go;
		struct nap__jec_worker jec;
	};
	uint64_t random;			/* O: xorshift64*, never 0 */
	bool ended;				/* O: has run its last task */
	uint64_t run_before;			/* O: what a guest had run when it came in */
	struct nap_task stolen;			/* O: stands for the job that was stolen last: */
	struct nap_worker *stolen_from;		/* O: whose it was, */
	struct nap_frame *stolen_frame;		/* O: and where it is */
	struct nap_task letter;			/* O: stands for the one in its box */
	uint32_t forked;			/* O: debug builds only: src/debug_jobs.h */
	void *locals[NAP_LOCALS];		/* O: src/local.c */
	uint64_t rest;				/* o: odd while idle with no task on the stack */
	struct nap_worker_stats stats;		/* o */

	/* what those write who wake it */
	uint32_t event nap__line;		/* A: src/event.h */
	uint32_t idle_state;			/* A: src/idle/set.h */
	uint32_t idle_next;			/* A: src/idle/set.h */
	uint32_t record;			/* A: enum nap__record */
	uint32_t placed;			/* A: its starter has seen to where it begins */
	uint32_t gone;				/* A: the thread ends: where a detector wants to know */
	uintptr_t thread;			/* S: the system's handle */
	uintptr_t letter_box;			/* A: src/letter.h */

	struct nap__queue overflow;		/* A */
	struct nap__ring ring;			/* A */
	struct nap_frame frames[NAP_DEQUE_SIZE + 1] nap__line;	/* A: src/queue/deque.h */
};

_Static_assert(sizeof(struct nap_task) == 16, "a task is two words");
_Static_assert(sizeof(struct nap_pool) == 1024, "a pool is 1 KiB; growth comes out of reserved");
_Static_assert(offsetof(struct nap_worker, frames) <= 4096 || NAP_RING_SIZE > 256,
	       "a worker that does not fork is at most 4 KiB");
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

/* The owner: count; read by anybody at any time. */
static inline void stat_add(uint64_t *counter, uint64_t n)
{
	nap_store_relaxed(counter, *counter + n);
}

/* Owner: whether some of the last bulk move is in the ring. Asked often enough for the wrap. */
static inline bool bulk_remains(struct nap_worker *worker)
{
	if (worker->bulk)
		worker->bulk = (int32_t)(worker->bulk_end -
					 nap_load_relaxed(&worker->ring.head)) > 0;
	return worker->bulk;
}

#endif /* NAP_WORKER_H */
