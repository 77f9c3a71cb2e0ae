/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_trace_file - the file that nap_trace_write() writes
 *
 * This header is for programs that read a trace. The file is in the byte order of the machine that
 * wrote it: a struct nap_trace_file, then sections, each a struct nap_trace_section, @length bytes,
 * and zero bytes up to the next multiple of eight. A reader skips sections of a type that it does
 * not know. The last section is NAP_TRACE_LAST; a file without it is incomplete.
 *
 * Time is in ticks of the clock that the file's header names. For the conversion the header has
 * ticks and nanoseconds (CLOCK_MONOTONIC) of two moments: the first nap_trace_begin(), and the
 * snapshot, that is, the beginning of nap_trace_write() or of the join's write:
 *
 *	ns = begin_ns + (ticks - begin_ticks) * (end_ns - begin_ns) / (end_ticks - begin_ticks)
 *
 * The product has up to 128 bits: in 64 bits it overflows when the trace is 2.5 to 4 seconds long.
 * A reader that has floating point only computes the quotient first, which is the nanoseconds of a
 * tick. The difference of ticks is signed, because an event may be some ticks earlier than the
 * begin. If end_ticks is begin_ticks, because the snapshot came at once, a tick counts as a
 * nanosecond.
 */
#ifndef NAP_TRACE_FILE_H
#define NAP_TRACE_FILE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** NAP_TRACE_MAGIC - the file's first eight bytes */
#define NAP_TRACE_MAGIC "napTRACE"

/** NAP_TRACE_VERSION - changes when a reader of the earlier version would misread the file */
#define NAP_TRACE_VERSION 1u

/** NAP_TRACE_ORDER - nap_trace_file.order, as a reader with the writer's byte order reads it */
#define NAP_TRACE_ORDER 0x01020304u

/**
 * enum nap_trace_clock - the clock whose ticks are the times
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
/** NAP_TRACE_JOINED - nap_trace_file.flags: written by the join, so the trace is complete */
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
 * @pid:          the number of the process
 * @workers:      the limit of workers at the snapshot
 * @pool:         the address of the pool
 * @ring:         the number of events that a ring holds
 * @begin_ticks:  ticks at the first nap_trace_begin()
 * @begin_ns:     nanoseconds at the same moment
 * @end_ticks:    ticks at the snapshot, before any event was read
 * @end_ns:       nanoseconds at the same moment
 * @capacity:     the number of workers' records
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
 * @NAP_TRACE_LAST:    empty; its presence shows that the file is complete
 * @NAP_TRACE_NAME:    text: the pool's name, as nap_config.name has it, without a final 0
 * @NAP_TRACE_EXE:     text: the path of the executable. Missing if /proc is missing
 * @NAP_TRACE_MAPS:    text: /proc/self/maps, from which a reader finds the names of addresses.
 *                     Missing if /proc is missing. Of a text of more than a MiB the last lines may
 *                     be missing
 * @NAP_TRACE_STATS:   struct nap_pool_stats (nap/stats.h), @id 0: at the first begin; 1: at the
 *                     snapshot, read before the rings
 * @NAP_TRACE_WORKER:  struct nap_trace_track, then @kept struct nap_trace_event, the oldest first;
 *                     @id is the worker's index. Only for workers that have written an event
 * @NAP_TRACE_OUTSIDE: struct nap_trace_track, then @kept struct nap_trace_outside, the oldest first
 * @NAP_TRACE_CLASSES: struct nap_trace_class, one for each class of the pool, by number
 * @NAP_TRACE_PAUSES:  struct nap_trace_pause, the oldest first. Only if nap_trace_end() was called
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
	NAP_TRACE_PAUSES,
};

/**
 * struct nap_trace_section - the head of a section: its type, its number among the sections of this
 * type, its size in bytes
 */
struct nap_trace_section {
	uint32_t type;
	uint32_t id;
	uint64_t length;
};

/**
 * struct nap_trace_track - the events of a ring
 * @written: the number of events that were ever written
 * @kept:    the number of events that follow
 * @lost:    the number of events that were overwritten, or were just being overwritten: @written
 *           less @kept
 * @dropped: the number of events that were not written, and are not in @written. In a worker's
 *           ring: events in a signal handler that interrupted the writing of another event. In the
 *           outside ring: events whose slot a slower thread was still writing, one lap behind
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

/**
 * struct nap_trace_pause - a time in which the pool was not traced
 * @ended: ticks of nap_trace_end()
 * @begun: ticks of the next nap_trace_begin(); 0 if there was none before the snapshot
 *
 * What happened in a pause is not in the file. So no event before the pause belongs to an event
 * after it: a task that began before the pause may lack its end, and a task that ends after the
 * pause may lack its begin. Threads may write a few events after @ended. A file has at most
 * NAP_TRACE_PAUSES_MOST pauses: if there were more, the oldest are merged into one, which also
 * covers the times between them, although these times were traced.
 */
struct nap_trace_pause {
	uint64_t ended;
	uint64_t begun;
};

/** NAP_TRACE_PAUSES_MOST - how many pauses a file has at most */
#define NAP_TRACE_PAUSES_MOST 64u

/** NAP_TRACE_NOBODY - nap_trace_event.other: there is no other party */
#define NAP_TRACE_NOBODY UINT32_MAX

/**
 * struct nap_trace_event - one event
 * @time:  ticks; never less than in the event before it in the same worker's track
 * @kind:  enum nap_trace_kind
 * @flags: depends on @kind
 * @other: another worker's index, or NAP_TRACE_NOBODY, or another number that depends on @kind. The
 *         NAP_GUESTS indices from nap_trace_file.capacity on are those of guests (nap/config.h),
 *         which have no track of their own
 * @a:     depends on @kind
 * @b:     depends on @kind
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
 * "task" is the address of a struct nap_task, "function" the address of the program's function. An
 * address names an object only during the object's life: a later task may have the same address.
 *
 * @NAP_TRACE_SCHEDULE:    a task was queued. a: task, b: its function. flags: NAP_TRACE_INJECTED,
 *                         NAP_TRACE_CLASSED, NAP_TRACE_IN_ORDER, NAP_TRACE_AT_ONCE. Written before
 *                         the task can begin; a batch writes one event for each task. Every BEGIN
 *                         and every FIBER_RESUME has a SCHEDULE before it; a fiber's task has the
 *                         fiber's address. What runs inside another task (a function with
 *                         NAP_TRACE_INNER, a fiber that begins or goes on there) has no SCHEDULE of
 *                         its own: that of the task counts
 * @NAP_TRACE_BEGIN:       a task begins. a: task, b: function. Other tasks may nest in this one
 *                         while it waits; the matching END is at the same level. flags:
 *                         NAP_TRACE_INNER, NAP_TRACE_IN_ORDER. Events without INNER are counted in
 *                         nap_worker_stats.run, those of threads from outside in
 *                         nap_pool_stats.helped
 * @NAP_TRACE_END:         a task has returned. a: task, which may be gone by now, b: function
 * @NAP_TRACE_JOB_BEGIN:   a stolen job begins, or a job that its own worker has taken like a
 *                         thief. a: frame, b: function, other: the forker; NAP_TRACE_NOBODY if the
 *                         forker itself has taken the job
 * @NAP_TRACE_JOB_END:     the job has ended; the fields are those of JOB_BEGIN
 * @NAP_TRACE_START:       a thread has become this worker. a: the thread's number, as of gettid(2)
 * @NAP_TRACE_RETIRE:      the thread is no longer the worker. flags 1: the pool has ended
 * @NAP_TRACE_PARK:        the worker goes to sleep. a: until when, ns of CLOCK_MONOTONIC, or
 *                         UINT64_MAX. flags: NAP_TRACE_SPUN, NAP_TRACE_POLLS, NAP_TRACE_DOZES
 * @NAP_TRACE_UNPARK:      the worker goes on. a: why, as a sum of 2 work, 4 a wait is over, 8 the
 *                         pool's state has changed, 16 the pool has ended, 32 a message, 64 called
 *                         back, 128 timers; 0: the time is over. b: 1 if a file is ready
 * @NAP_TRACE_WAKE:        this thread wakes a parked worker. other: that worker. Written before the
 *                         wake
 * @NAP_TRACE_STEAL:       tasks were taken from another worker. a: how many, other: the worker that
 *                         had them, b: the first task, which the thief runs next. flags 1: from the
 *                         overflow, 0: from the ring
 * @NAP_TRACE_OVERFLOW:    tasks went from a full ring to the overflow. a: how many
 * @NAP_TRACE_FORK_PUBLISH: private jobs were made public, for workers that ask
 * @NAP_TRACE_JOIN_BEGIN:  a worker begins to join a job that another worker has taken. a: frame, b:
 *                         function
 * @NAP_TRACE_JOIN_END:    the join is over. a: frame, b: function
 * @NAP_TRACE_RANGE:       a range of a loop was run. a: the first index, b: how many indices.
 *                         Written after the range
 * @NAP_TRACE_WAIT_BEGIN:  a worker or a guest begins to wait for a group. a: group
 * @NAP_TRACE_WAIT_END:    the wait is over. a: group, b: the result, a negative errno or 0
 * @NAP_TRACE_PUSH:        a completion went to an event loop. a: completion, b: loop
 * @NAP_TRACE_POP:         a completion came out, on a loop that is a worker. a: completion, b: loop
 * @NAP_TRACE_CANCEL:      a work was ended because it was canceled or its deadline had passed. a:
 *                         the work's task. flags 1: the deadline had passed
 * @NAP_TRACE_CLASS_TAKE:  a permit of a class was taken. other: the class's number
 * @NAP_TRACE_CLASS_GIVE:  the permit was given back. other: the class's number
 * @NAP_TRACE_BLOCK_BEGIN: a blocking section begins
 * @NAP_TRACE_BLOCK_END:   the blocking section has ended
 * @NAP_TRACE_FIBER_SPAWN: a fiber was spawned. a: fiber, b: function
 * @NAP_TRACE_FIBER_RESUME: a fiber goes on, or begins. a: fiber, b: function; flags 1: it begins
 * @NAP_TRACE_FIBER_SUSPEND: the fiber leaves its stack. a: fiber, b: the object that it waits for,
 *                         or 0. flags: enum nap_trace_wait
 * @NAP_TRACE_FIBER_END:   the fiber has ended. a: fiber, b: function
 * @NAP_TRACE_SEND:        a value went into a channel. a: channel
 * @NAP_TRACE_RECEIVE:     a value came out of a channel. a: channel
 * @NAP_TRACE_TIMER:       a timer has fired. a: the timer, or the wait that it ends, b: how late,
 *                         in ns. If its time had passed before the program's call, b counts from
 *                         the call. The SCHEDULE of what became due is the thread's next event,
 *                         unless the wait had ended for another reason
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
	NAP_TRACE_KINDS		/* the number after the last kind */
};

/**
 * NAP_TRACE_INJECTED - flags of NAP_TRACE_SCHEDULE: the task went to the injection queue, not to
 * the ring of the worker that scheduled the task
 */
#define NAP_TRACE_INJECTED 1u
/**
 * NAP_TRACE_CLASSED - flags of NAP_TRACE_SCHEDULE: the task has a class, with the number
 * nap_trace_event.other
 */
#define NAP_TRACE_CLASSED 2u
/**
 * NAP_TRACE_IN_ORDER - flags of NAP_TRACE_SCHEDULE: the task is in a serial queue or an ordered
 * queue
 */
#define NAP_TRACE_IN_ORDER 4u
/**
 * NAP_TRACE_AT_ONCE - flags of NAP_TRACE_SCHEDULE: the task is in no queue; it is run next by this
 * thread, or by the next thread that looks for work. The reason is one of these: a timer is due; a
 * file is ready; a stack is free; the wait of a fiber was over before the fiber had left its stack;
 * the join continues a fiber that a stop has interrupted
 */
#define NAP_TRACE_AT_ONCE 16u
/**
 * NAP_TRACE_INNER - flags of NAP_TRACE_BEGIN and NAP_TRACE_END: the event is about the program's
 * function inside a task of nap's own, for example of a work, or of the first task of a serial
 * queue's quantum. The statistics do not count it as a task
 */
#define NAP_TRACE_INNER 8u
/**
 * NAP_TRACE_SPUN - flags of NAP_TRACE_PARK: the worker did not sleep, because it was notified while
 * it spun
 */
#define NAP_TRACE_SPUN 1u
/**
 * NAP_TRACE_POLLS - flags of NAP_TRACE_PARK: the worker sleeps as the poller of timers and files
 */
#define NAP_TRACE_POLLS 2u
/**
 * NAP_TRACE_DOZES - flags of NAP_TRACE_PARK: the worker dozes (at most NAP_DOZE_US) instead of
 * parking
 */
#define NAP_TRACE_DOZES 4u

/** enum nap_trace_wait - what a fiber waits for: the flags of NAP_TRACE_FIBER_SUSPEND */
enum nap_trace_wait {
	NAP_TRACE_ON_UNKNOWN,
	NAP_TRACE_ON_YIELD,	/* for nothing: the fiber has yielded */
	NAP_TRACE_ON_TIME,	/* for a deadline alone */
	NAP_TRACE_ON_GROUP,
	NAP_TRACE_ON_FIBER,
	NAP_TRACE_ON_MUTEX,
	NAP_TRACE_ON_COND,
	NAP_TRACE_ON_SEM,
	NAP_TRACE_ON_EVENT,
	NAP_TRACE_ON_CHANNEL,
	NAP_TRACE_ON_SELECT,
	NAP_TRACE_ON_FILE,	/* the object is the file descriptor */
	NAP_TRACE_ON_TIMER,	/* for the end of a timer's task */
};

#ifdef __cplusplus
}
#endif

#endif /* NAP_TRACE_FILE_H */
