/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_trace_begin - what a pool does, event by event
 *
 * A trace records what the threads of a pool do: which thread scheduled which task, where and when
 * the task ran, which worker slept and which thread woke it, which tasks were stolen, which fiber
 * waited for which object.
 *
 *	struct nap_trace_options options = { .events = 1u << 16 };
 *
 *	nap_trace_begin(&pool, &options);
 *	...					the program goes on
 *	nap_trace_write(&pool, fd);		what happened last, as a file
 *	nap_trace_end(&pool);
 *
 * Each worker has a ring of its own with the last events, which it writes without a lock and
 * without a fence; threads from outside share one more. A full ring loses its oldest events. A pool
 * that is not traced pays nothing on its fast paths; a pool that is traced does not use these fast
 * paths, and pays some 15 ns an event.
 *
 * A program can be traced without a change: NAP_TRACE=FILE in its environment traces each pool from
 * its first use. The first pool writes FILE, the next FILE.2, and so on. The library creates a file
 * when the pool is first used. The file must not exist before, and no symbolic link is followed.
 * The contents are written when the pool is joined, or else when the process exits; after a crash,
 * _exit(2) or a signal the file stays empty. The library keeps the file open until it writes the
 * contents: so a program must not close files that it did not open. The pool's file is written even
 * if the program itself begins and ends traces of the pool. NAP_TRACE_EVENTS=N says how many events
 * a ring has. A program that runs with more rights than its user (set-user-ID, capabilities of the
 * file) ignores both variables; the child of a fork writes to none of its parent's files. If a file
 * cannot be created, the library prints one line to stderr, and the program goes on. The bare
 * library reads no environment.
 *
 * nap/trace_file.h describes the file's contents. The tool nap-trace reads the file.
 */
#ifndef NAP_TRACE_H
#define NAP_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_pool;

/** NAP_TRACE_EVENTS - how many events a ring has by default: 1 MiB of memory a busy worker */
#define NAP_TRACE_EVENTS 32768u

/** NAP_TRACE_EVENTS_MAX - the most events that a ring can have */
#define NAP_TRACE_EVENTS_MAX (1u << 24)

/**
 * NAP_TRACE_AT_JOIN - nap_trace_options.flags: the join writes the trace to nap_trace_options.fd
 */
#define NAP_TRACE_AT_JOIN 1u

/**
 * NAP_TRACE_BY_SYSTEM - nap_trace_options.flags: the time is CLOCK_MONOTONIC's
 *
 * Without this flag the time is the CPU's own counter, if its rate is constant.
 */
#define NAP_TRACE_BY_SYSTEM 2u

/**
 * struct nap_trace_options - how a pool is traced; all zero is a good start
 * @events: (events) the least size of each ring; rounded up to a power of two, at least 64. 0:
 *          NAP_TRACE_EVENTS
 * @flags:  NAP_TRACE_AT_JOIN, NAP_TRACE_BY_SYSTEM
 * @fd:     with NAP_TRACE_AT_JOIN: an open file, pipe or socket. It stays the caller's, open until
 *          the join returns. The join waits as long as @fd blocks, even past its timeout, and does
 *          not return an error of the write. After such an error the file lacks its last section
 */
struct nap_trace_options {
	uint32_t events;
	uint32_t flags;
	int fd;
	uint32_t reserved;
	uint64_t reserved_too;
};

/**
 * nap_trace_begin() - trace @pool from now on
 * @options: copied; NULL for the defaults
 *
 * If a thread is inside a task (or a wait and so on) now, the begin of this task is not in the
 * trace, though the end may be. If the pool was traced before, the trace goes on in the same rings,
 * with the same clock and the earlier events; then @events and NAP_TRACE_BY_SYSTEM are ignored. The
 * file says when the trace was ended and begun again (struct nap_trace_pause). The join writes to
 * the last @fd.
 *
 * The rings are one mapping, of which only touched pages cost memory. The mapping is the pool's
 * until nap_pool_join() returns.
 *
 * Any thread; not a signal handler. Returns 0, also for a pool that drains or stops; -EALREADY when
 * the pool is traced; -ENOMEM when there is no address space for the rings; -ESHUTDOWN when @pool
 * was joined, when a join has seen the workers end, and in the child of a fork; -EINVAL when @pool
 * is NULL, @events is over NAP_TRACE_EVENTS_MAX, @flags has an unknown bit, or a reserved field is
 * not 0.
 */
int nap_trace_begin(struct nap_pool *pool, const struct nap_trace_options *options);

/**
 * nap_trace_end() - stop tracing @pool
 *
 * The events stay, for nap_trace_write(). A thread that is about to write an event may still write
 * it. With NAP_TRACE_AT_JOIN the join still writes the trace.
 *
 * Any thread; not a signal handler. Returns 0; -EALREADY when the pool is not traced; -ESHUTDOWN
 * after the join, or in the child of a fork; -EINVAL when @pool is NULL.
 */
int nap_trace_end(struct nap_pool *pool);

/**
 * nap_trace_write() - write the events in the rings of @pool to @fd
 * @fd: an open file, pipe or socket; the caller's. After an error it may have a part of the trace
 *
 * The pool goes on during the call, and may be traced or not. The file has a part of each worker's
 * ring, without a gap, up to the time of the call or later; events that are overwritten during the
 * call are left out, and counted. Events that threads from outside are just writing are left out,
 * too. Waits as long as @fd blocks, and repeats interrupted and short writes. If a pipe or socket
 * has no reader the caller gets a SIGPIPE, as by write(2). Allocates nothing but a mapping of one
 * ring's size, for the time of the call.
 *
 * Any thread, tasks included; not a signal handler. Several calls at once each write a trace of
 * their own. Returns 0; -ENODATA when the pool was never traced; -ESHUTDOWN after the join, or in
 * the child of a fork; -ENOMEM; -EINVAL when @pool is NULL; or the negative errno of write(2).
 */
int nap_trace_write(struct nap_pool *pool, int fd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_TRACE_H */
