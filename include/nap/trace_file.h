/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_trace_file - the file that nap_trace_write() writes
 *
 * For programs that read a trace. The file is in the byte order of the machine that wrote it: a
 * struct nap_trace_file, then sections, each a struct nap_trace_section, @length bytes, and zero
 * bytes up to the next multiple of eight. A reader skips sections of a type that it does not know.
 * The last section is NAP_TRACE_LAST; a file without it is cut.
 *
 * Time is in ticks of the clock that the file's header names. Two pairs of ticks and nanoseconds
 * (CLOCK_MONOTONIC) stand there, of the first nap_trace_begin() and of the snapshot:
 *
 *	ns = begin_ns + (ticks - begin_ticks) * (end_ns - begin_ns) / (end_ticks - begin_ticks)
 */
#ifndef NAP_TRACE_FILE_H
#define NAP_TRACE_FILE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** NAP_TRACE_MAGIC - the file's first eight bytes */
#define NAP_TRACE_MAGIC "napTRACE"

/** NAP_TRACE_VERSION - changes when a reader of the version before would misread the file */
#define NAP_TRACE_VERSION 1u

/** NAP_TRACE_ORDER - nap_trace_file.order, as the machine that wrote it reads it */
#define NAP_TRACE_ORDER 0x01020304u

/**
 * enum nap_trace_clock - what the ticks are
 * @NAP_TRACE_MONOTONIC: nanoseconds of CLOCK_MONOTONIC
 * @NAP_TRACE_TSC:       the time-stamp counter of x86-64
 * @NAP_TRACE_CNTVCT:    the virtual counter of AArch64
 * @NAP_TRACE_RDTIME:    the time of RISC-V
 */
enum nap_trace_clock {
	NAP_TRACE_MONOTONIC = 1,
	NAP_TRACE_TSC,
	NAP_TRACE_CNTVCT,
	NAP_TRACE_RDTIME,
};

/** NAP_TRACE_ON - nap_trace_file.flags: the pool was traced at the snapshot */
#define NAP_TRACE_ON 1u
/** NAP_TRACE_JOINED - nap_trace_file.flags: written by the join, so nothing came after it */
#define NAP_TRACE_JOINED 2u
/** NAP_TRACE_STOPPED - nap_trace_file.flags: the pool was shut down in STOP mode */
#define NAP_TRACE_STOPPED 4u

/**
 * struct nap_trace_file - the file's first bytes
 * @magic:        NAP_TRACE_MAGIC, without a final 0
 * @version:      NAP_TRACE_VERSION
 * @order:        NAP_TRACE_ORDER
 * @header_size:  bytes of this struct; the first section follows them
 * @event_size:   bytes of struct nap_trace_event
 * @outside_size: bytes of struct nap_trace_outside
 * @section_size: bytes of struct nap_trace_section
 * @clock:        enum nap_trace_clock
 * @flags:        NAP_TRACE_ON, NAP_TRACE_JOINED, NAP_TRACE_STOPPED
 * @pid:          of the process
 * @workers:      the limit of workers at the snapshot
 * @pool:         the address of the pool
 * @ring:         how many events a ring has
 * @begin_ticks:  ticks, and
 * @begin_ns:     nanoseconds, at the first nap_trace_begin()
 * @end_ticks:    the same at the snapshot, before any event was read
 * @end_ns:       and its nanoseconds
 * @capacity:     how many records of workers there are
 * @guests:       NAP_GUESTS
 */
struct nap_trace_file {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint32_t header_size;
	uint32_t event_size;
	uint32_t outside_size;
	uint32_t section_size;
	uint32_t clock;
	uint32_t flags;
	uint32_t pid;
	uint32_t workers;
	uint64_t pool;
	uint64_t ring;
	uint64_t begin_ticks;
	uint64_t begin_ns;
	uint64_t end_ticks;
	uint64_t end_ns;
	uint32_t capacity;
	uint32_t guests;
};

/**
 * enum nap_trace_type - the types of sections, and what they hold
 * @NAP_TRACE_LAST:    nothing: the file is whole
 * @NAP_TRACE_NAME:    text: the pool's name, as nap_config.name has it, without a final 0
 * @NAP_TRACE_EXE:     text: the path of the executable. Absent where /proc is
 * @NAP_TRACE_MAPS:    text: /proc/self/maps, so that addresses can be named later. Absent where
 *                     /proc is
 * @NAP_TRACE_STATS:   struct nap_pool_stats (nap/stats.h), @id 0: at the first begin; 1: at the
 *                     snapshot, read before the rings
 * @NAP_TRACE_WORKER:  struct nap_trace_track, then @kept struct nap_trace_event, the oldest first;
 *                     @id is the worker's index. Only workers that have written an event
 * @NAP_TRACE_OUTSIDE: struct nap_trace_track, then @kept struct nap_trace_outside, the oldest first
 * @NAP_TRACE_CLASSES: struct nap_trace_class, one for each class of the pool, by number
 */
enum nap_trace_type {
	NAP_TRACE_LAST,
	NAP_TRACE_NAME,
	NAP_TRACE_EXE,
	NAP_TRACE_MAPS,
	NAP_TRACE_STATS,
	NAP_TRACE_WORKER,
	NAP_TRACE_OUTSIDE,
	NAP_TRACE_CLASSES,
};

/** struct nap_trace_section - what a section begins with: its type, which of them, its bytes */
struct nap_trace_section {
	uint32_t type;
	uint32_t id;
	uint64_t length;
};

/**
 * struct nap_trace_track - the events of a ring
 * @written: how many were ever written
 * @kept:    how many follow
 * @lost:    how many were overwritten, or left out because they were being overwritten: @written
 *           less @kept
 * @dropped: not written, and not in @written. Of a worker: in a signal handler that interrupted
 *           another event. Outside: where a thread a lap behind was still writing
 */
struct nap_trace_track {
	uint64_t written;
	uint64_t kept;
	uint64_t lost;
	uint64_t dropped;
};

/** struct nap_trace_class - the address, the weight and the limit of a class (nap/class.h) */
struct nap_trace_class {
	uint64_t address;
	uint32_t weight;
	uint32_t limit;
};

/** NAP_TRACE_NOBODY - nap_trace_event.other: there is no other party */
#define NAP_TRACE_NOBODY UINT32_MAX

/**
 * struct nap_trace_event - one event
 * @time:  ticks; never less than that of the event before in the same worker's track
 * @kind:  enum nap_trace_kind
 * @flags: by @kind
 * @other: another worker's index, or NAP_TRACE_NOBODY, or a number by @kind. An index from
 *         nap_trace_file.capacity on, for NAP_GUESTS, is that of a guest (nap/config.h), which has
 *         no track of its own
 * @a:     by @kind
 * @b:     by @kind
 */
struct nap_trace_event {
	uint64_t time;
	uint16_t kind;
	uint16_t flags;
	uint32_t other;
	uint64_t a;
	uint64_t b;
};

/**
 * struct nap_trace_outside - an event of a thread that has no track of its own
 * @event:    the event
 * @thread:   the kernel's number of the thread, as gettid(2) has it
 * @reserved: 0
 */
struct nap_trace_outside {
	struct nap_trace_event event;
	uint32_t thread;
	uint32_t reserved;
};

/**
 * enum nap_trace_kind - what happened, on the thread in whose track the event stands
 *
 * "task" is the address of a struct nap_task, "function" that of the program's function. An address
 * names an object only as long as it lives: a later task may have the same.
 *
 * @NAP_TRACE_SCHEDULE:    a task was queued. a: task, b: its function. flags: NAP_TRACE_INJECTED,
 *                         NAP_TRACE_CLASSED, NAP_TRACE_IN_ORDER. Written before the task can begin;
 *                         of a batch one for each task
 * @NAP_TRACE_BEGIN:       a task begins. a: task, b: function. Ends at the END of the same level.
 *                         Others nest in it while it waits. flags: NAP_TRACE_INNER,
 *                         NAP_TRACE_IN_ORDER. Those without INNER are counted in
 *                         nap_worker_stats.run
 * @NAP_TRACE_END:         a task has returned. a: task, which may be gone by now, b: function
 * @NAP_TRACE_JOB_BEGIN:   a forked job begins that was stolen, or taken as if. a: frame, b: function,
 *                         other: the forker; NOBODY where it has taken its own
 * @NAP_TRACE_JOB_END:     that job has ended. As JOB_BEGIN
 * @NAP_TRACE_START:       a thread has become this worker. a: its number as gettid(2) has it
 * @NAP_TRACE_RETIRE:      the thread is no longer the worker. flags 1: the pool has ended
 * @NAP_TRACE_PARK:        the worker goes to sleep. a: until when, ns of CLOCK_MONOTONIC, or
 *                         UINT64_MAX. flags: NAP_TRACE_SPUN, NAP_TRACE_POLLS, NAP_TRACE_DOZES
 * @NAP_TRACE_UNPARK:      the worker goes on. a: why, bits: 2 work, 4 a wait is over, 8 the pool's
 *                         state has changed, 16 the pool has ended, 32 a message, 64 called back,
 *                         128 timers; 0: the time is over. b: 1 where a file is ready
 * @NAP_TRACE_WAKE:        this thread wakes a parked worker. other: whom. Written before
 * @NAP_TRACE_STEAL:       tasks were taken from another worker. a: how many, other: from whom, b: the
 *                         first task, which the worker runs next. flags 1: from its overflow, 0: from
 *                         its ring
 * @NAP_TRACE_OVERFLOW:    tasks went from a full ring to the overflow. a: how many
 * @NAP_TRACE_FORK_PUBLISH: private jobs were made public, for workers that ask
 * @NAP_TRACE_JOIN_BEGIN:  the join of a job that another worker has taken. a: frame, b: function
 * @NAP_TRACE_JOIN_END:    that join is over. a: frame, b: function
 * @NAP_TRACE_RANGE:       a leaf of a loop was run. a: the first iteration, b: how many. Written after
 *                         it
 * @NAP_TRACE_WAIT_BEGIN:  a worker or a guest begins to wait for a group. a: group
 * @NAP_TRACE_WAIT_END:    that wait is over. a: group, b: the result, a negative errno or 0
 * @NAP_TRACE_PUSH:        a completion went to an event loop. a: completion, b: loop
 * @NAP_TRACE_POP:         a completion came out, on a loop that is a worker's. a: completion, b: loop
 * @NAP_TRACE_CANCEL:      a work was ended because it was canceled or its deadline had passed. a:
 *                         work's task, flags 1: the deadline
 * @NAP_TRACE_CLASS_TAKE:  a permit of a class was taken. other: the class's number
 * @NAP_TRACE_CLASS_GIVE:  the permit was given back. other: the class's number
 * @NAP_TRACE_BLOCK_BEGIN: a blocking section begins
 * @NAP_TRACE_BLOCK_END:   it has ended
 * @NAP_TRACE_FIBER_SPAWN: a fiber was spawned. a: fiber, b: function
 * @NAP_TRACE_FIBER_RESUME: a fiber goes on, or begins. a: fiber, b: function; flags 1: it begins
 * @NAP_TRACE_FIBER_SUSPEND: the fiber leaves its stack. a: fiber, b: the object that it waits for,
 *                         or 0. flags: enum nap_trace_wait
 * @NAP_TRACE_FIBER_END:   the fiber has ended. a: fiber, b: function
 * @NAP_TRACE_SEND:        a value went into a channel. a: channel
 * @NAP_TRACE_RECEIVE:     a value came out of a channel. a: channel
 * @NAP_TRACE_TIMER:       a timer has fired. a: timer or wait, b: how late, ns
 * @NAP_TRACE_FILE:        a file is ready. a: descriptor, b: events, as epoll(7) has them
 */
enum nap_trace_kind {
	NAP_TRACE_SCHEDULE = 1,
	NAP_TRACE_BEGIN,
	NAP_TRACE_END,
	NAP_TRACE_JOB_BEGIN,
	NAP_TRACE_JOB_END,
	NAP_TRACE_START,
	NAP_TRACE_RETIRE,
	NAP_TRACE_PARK,
	NAP_TRACE_UNPARK,
	NAP_TRACE_WAKE,
	NAP_TRACE_STEAL,
	NAP_TRACE_OVERFLOW,
	NAP_TRACE_FORK_PUBLISH,
	NAP_TRACE_JOIN_BEGIN,
	NAP_TRACE_JOIN_END,
	NAP_TRACE_RANGE,
	NAP_TRACE_WAIT_BEGIN,
	NAP_TRACE_WAIT_END,
	NAP_TRACE_PUSH,
	NAP_TRACE_POP,
	NAP_TRACE_CANCEL,
	NAP_TRACE_CLASS_TAKE,
	NAP_TRACE_CLASS_GIVE,
	NAP_TRACE_BLOCK_BEGIN,
	NAP_TRACE_BLOCK_END,
	NAP_TRACE_FIBER_SPAWN,
	NAP_TRACE_FIBER_RESUME,
	NAP_TRACE_FIBER_SUSPEND,
	NAP_TRACE_FIBER_END,
	NAP_TRACE_SEND,
	NAP_TRACE_RECEIVE,
	NAP_TRACE_TIMER,
	NAP_TRACE_FILE,
	NAP_TRACE_KINDS		/* one more than the last */
};

/** NAP_TRACE_INJECTED - flags of NAP_TRACE_SCHEDULE: in the injection queue, not in the own ring */
#define NAP_TRACE_INJECTED 1u
/** NAP_TRACE_CLASSED - flags of NAP_TRACE_SCHEDULE: in a class, whose number is nap_trace_event.other */
#define NAP_TRACE_CLASSED 2u
/** NAP_TRACE_IN_ORDER - flags of NAP_TRACE_SCHEDULE: in a serial queue or an order */
#define NAP_TRACE_IN_ORDER 4u
/**
 * NAP_TRACE_INNER - flags of NAP_TRACE_BEGIN and NAP_TRACE_END: the program's function inside a task
 * of nap's own, as that of a work, or the first of a serial queue's turn; not one more task
 */
#define NAP_TRACE_INNER 8u
/** NAP_TRACE_SPUN - flags of NAP_TRACE_PARK: it did not sleep, because it was notified while it spun */
#define NAP_TRACE_SPUN 1u
/** NAP_TRACE_POLLS - flags of NAP_TRACE_PARK: it sleeps as the poller of timers and files */
#define NAP_TRACE_POLLS 2u
/** NAP_TRACE_DOZES - flags of NAP_TRACE_PARK: it sleeps at most NAP_DOZE_US, and is not parked */
#define NAP_TRACE_DOZES 4u

/** enum nap_trace_wait - what a fiber waits for: the flags of NAP_TRACE_FIBER_SUSPEND */
enum nap_trace_wait {
	NAP_TRACE_ON_UNKNOWN,
	NAP_TRACE_ON_YIELD,	/* nothing: it gave way */
	NAP_TRACE_ON_TIME,	/* a deadline alone */
	NAP_TRACE_ON_GROUP,
	NAP_TRACE_ON_FIBER,
	NAP_TRACE_ON_MUTEX,
	NAP_TRACE_ON_COND,
	NAP_TRACE_ON_SEM,
	NAP_TRACE_ON_EVENT,
	NAP_TRACE_ON_CHANNEL,
	NAP_TRACE_ON_SELECT,
	NAP_TRACE_ON_FILE,	/* the object is the descriptor */
	NAP_TRACE_ON_TIMER,	/* that a timer's task is not running */
};

#ifdef __cplusplus
}
#endif

#endif /* NAP_TRACE_FILE_H */
