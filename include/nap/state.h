/* SPDX-License-Identifier: MIT */
/** DOC: nap_pool - what a pool is made of */
#ifndef NAP_STATE_H
#define NAP_STATE_H

#include <stdint.h>

#include "config.h"
#include "stats.h"
#include "task.h"

#define NAP__CACHE_LINE 64
#define nap__line __attribute__((aligned(NAP__CACHE_LINE)))

struct nap__async;
struct nap__foreign;
struct nap__trace;
struct nap__measure;

/*
 * Storage of an unbounded queue, whichever kind the library was built with (src/queue/): producers
 * write the first line, consumers the second line.
 */
struct nap__queue {
	uintptr_t push nap__line nap__zero;
	uint64_t pushed nap__zero;	/* tasks pushed; 0 in an overflow: src/life/remaining.c */
	uintptr_t pop nap__line nap__zero;
	struct nap_task stub nap__zero;
	uint64_t taken nap__zero;	/* tasks ever taken */
};

/* A producer slot, in which a thread from outside says that it is inside: src/worker/producer.h. */
struct nap__producer {
	uintptr_t owner nap__line nap__zero;
	uint64_t pushed nap__zero;	/* how many tasks its owner has injected */
};

#define NAP__PRODUCERS	4

/**
 * struct nap_pool - a pool; public so that it can be static, private in every field
 *
 * NAP_POOL_INIT() or nap_pool_init() initialises it. A pool is aligned to 64 bytes. Zero is the
 * valid initial state of everything except @config. Access letters: I: set at init, A: atomic, J:
 * only the joiner, after every worker has left. Reserved words are zero. They are room for later
 * versions of the library, because the size of a pool stays the same (Documentation/abi.rst).
 */
struct nap_pool {
	/* read by all threads, seldom written */
	struct nap_config config;	/* I; min_workers and idle_timeout_ns: A */
	struct nap_local *locals nap__zero;	/* A: set before the first use, and at the end */
	struct nap__measure *measure nap__zero;	/* A: set once: src/worker/measure.h */

	/* from here on all is cleared in the child of a fork: src/life/child_init.c */
	uint32_t limit nap__line nap__zero;	/* A: the most workers now; 0 until the first use */
	uint32_t most nap__zero;	/* A: set once: the highest limit that may be set */
	uint32_t base nap__zero;	/* A: the limit that was set, without @blocked */
	uint32_t blocked nap__zero;	/* A: workers that are blocked */
	uint32_t lowered nap__zero;	/* A: set when the limit first falls, and kept */
	uint32_t leaving nap__zero;	/* A: the worker that leaves: src/sched/standby.c */
	uint32_t checking_stuck nap__zero;	/* A: its thread: src/kit/stuck.c */
	uint32_t phase nap__zero;	/* A: src/worker/phase.h */
	uint32_t fork_gen nap__zero;	/* A: set once: the process that uses the pool */
	uint32_t forks nap__zero;	/* A: set once: how jobs are forked: src/fork/ask.h */
	uint32_t cpus nap__zero;	/* A: CPUs for the pool's threads: src/idle/spin.h */
	uint32_t plain nap__zero;	/* A: whether the fast path is open: src/worker/phase.h */
	struct nap__async *async nap__zero;	/* A: set once: src/worker/async.h */
	uint32_t kinds nap__zero;	/* A: kinds of work used: src/worker/source.h */
	uint32_t watched nap__zero;	/* A: whether traced or measured: src/worker/trace.h */

	/* the idle protocol */
	uint32_t sync nap__line nap__zero;	/* A: src/idle/sync.h, jec.h; one bit: idle.h */
	uint32_t dozer nap__zero;	/* A: src/idle/doze.h */
	uint64_t idle_set nap__zero;	/* A: src/idle/set.h */
	uint64_t counters nap__zero;	/* A: src/idle/go.h, src/idle/jec.h */
	uint32_t spinning[2] nap__zero;	/* A: workers, others: src/idle/spin.h */
	uint64_t reserved[4] nap__zero;

	/* calls from outside that are in progress: src/sync/gate.h */
	uint32_t intake nap__line nap__zero;	/* A: calls that bring work */
	uint32_t visits nap__zero;	/* A: calls that check workers, or wait */
	uint32_t callers nap__zero;	/* A: callers without a record: src/fork/call.c */
	uintptr_t ends nap__zero;	/* A: listed struct nap_end: src/kit/ends.c */
	uint64_t tasks_refused nap__zero;	/* A: tasks of refused schedules */
	uint64_t most_queued nap__zero;	/* A: maximum so far: src/life/remaining.c */
	uint64_t serial_waiting nap__zero;	/* A: counted outside workers: src/kit/serial.h */
	uint32_t most_running nap__zero;	/* A: the maximum so far */
	uint32_t reserved_too[3] nap__zero;

	/* tasks scheduled from outside */
	struct nap__queue inject nap__zero;	/* A */

	/* the workers */
	struct nap_worker *registry nap__line nap__zero;	/* A: src/worker/registry.h */
	struct nap_worker *records nap__zero;	/* A: set once: memory for all workers */
	uint32_t nr_records nap__zero;	/* A: records that were ever used */
	uint32_t nr_guests nap__zero;	/* A: guests' records that were ever used */
	uint32_t nr_spares nap__zero;	/* A: spare records that were ever used */
	uint32_t spawn_failures nap__zero;	/* A: starts that have failed */
	int32_t spawn_errno nap__zero;	/* A: the last failure's errno */
	uint64_t spawn_retry nap__zero;	/* A: ns: after a failed start, a pool that has workers */
					/*    starts none before this time; 0: at any time */
	uint32_t starting nap__zero;	/* A: workers in worker_start, or before it */
	uint32_t refused nap__zero;	/* A: workers lacking a part of their config */
	struct nap__trace *trace nap__zero;	/* A: set once: src/worker/trace.h */

	/* threads from outside that wait for the pool, or come in as guests */
	uintptr_t waiters nap__line nap__zero;	/* A: src/sync/waitlist.h */
	uintptr_t calls nap__zero;	/* A: calls without a record: src/fork/call.c */
	uint64_t guests nap__zero;	/* A: src/sched/guest.h */
	uint64_t helped nap__zero;	/* A: tasks that guests have run */
	uint32_t join nap__zero;	/* A: src/worker/phase.h */
	uint32_t at_nest_limit nap__zero; /* A: workers that only sleep: src/wait/deadlock.h */
	uint32_t stuck nap__zero;	/* A: stuck workers: src/wait/deadlock.h */
	uint32_t stuck_guests nap__zero;	/* A: stuck guests */
	/* A: the last broadcast in line: src/fork/broadcast.c */
	struct nap__broadcast *broadcast nap__zero;
	uint64_t reserved_three nap__zero;

	/* what remains after the join */
	/* J: sums of the workers' counters */
	struct nap_worker_stats totals nap__line nap__zero;
	struct nap_batch left nap__zero;	/* J: tasks not run: nap_pool_join() */

	/* fibers of other pools that wait for something of this pool: src/async/fiber/foreign.h */
	struct nap__foreign *foreign nap__zero;	/* the first; under foreign_lock */
	void (*foreign_tell)(struct nap_pool *pool) nap__zero;	/* A: set by the first such fiber */
	uint32_t foreign_lock nap__zero;	/* A */
	uint32_t reserved_four[5] nap__zero;

	/* threads from outside that schedule again and again: src/worker/producer.h */
	struct nap__producer producers[NAP__PRODUCERS] nap__zero;	/* A */
};

#endif /* NAP_STATE_H */
