/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_dump - what a pool is doing now, as text
 *
 * For a program that hangs, or is slow: the dump says which worker runs which task, which tasks are
 * queued, and which thread waits for what.
 *
 *	nap_pool_dump(&pool, STDERR_FILENO);
 *
 * The call is async-signal-safe: it takes no lock, allocates nothing, and waits for no thread. It
 * stops reading a list that changes. So it also helps when a lock is stuck, and in a handler of a
 * signal that has interrupted nap itself. It needs 8 KiB of stack; in a signal handler, below the
 * frame that the kernel has put there (AT_MINSIGSTKSZ of getauxval(3) at most).
 *
 *	nap: pool 0x55d0c0de4040 "crawler" of process 4242 runs
 *	workers: 2 of 2 started, 0 idle, 0 blocked; guests: 0
 *	queued: 0 injected, 1 in rings, 0 in overflows, 0 in classes, ...
 *	worker 1, thread 4244: in a wait, since 12.001 s or longer
 *		waits for a group 0x55d0c0de4f00, since 12.400 s
 *		in 0x55d0c0ddf2a0 fetch_all (crawler+0x22a0)
 *	worker 0, thread 4243: runs 0x55d0c0ddf310 parse (crawler+0x2310), since 12.001 s or longer
 *		ring: 1
 *			task 0x55d0c0e01ac0 0x55d0c0ddf2f0 fetch (crawler+0x22f0)
 *	fiber 0 "first" 0x55d0c0ddf3c0 reader (crawler+0x23c0): waits for a mutex 0x55d0c0de5000,
 *	which was locked by fiber 1 "second" 0x55d0c0ddf400 writer (crawler+0x2400)
 *	end of pool
 *
 * Exact: the states of workers, classes and fibers, each as of some moment during the call. A line
 * is consistent in itself; two lines may be of different moments.
 *
 * Best effort:
 *
 * - A worker shows the function of the task, job, work or call that it has begun last. If a
 *   function waits, and the wait runs another function, the inner function stands first, and the
 *   outer ones follow, each after "in". A job that no thread has stolen is an ordinary call, which
 *   nap does not see. Between two tasks the worker may show the earlier one.
 * - "since T or longer": an earlier dump, or nap_pool_check_stuck(), saw the same T ago. So a
 *   second dump tells more than the first. For a fiber that waits T is the time since its wait
 *   began, to a millisecond, if the pool is traced or measured (nap/trace.h, nap/histogram.h).
 *   Other pools do not note when a fiber's wait begins: to read the clock takes about as long as a
 *   switch between fibers. A fiber that "is to go on" has no time: nap does not know when its wait
 *   ended. "T at most", of a worker: T is the time since the worker last looked for timers, which
 *   was before the task began. Only a pool with fibers, timers or files has this. "since T", of a
 *   thread that waits: the time since it began to sleep.
 * - Tasks that were taken while the dump read them are counted, but not shown. If a list has
 *   changed, the shown part may be old. At most 256 entries of a list, and 16384 stacks of fibers,
 *   are shown.
 * - "which was locked by": the last owner. If the mutex has waiters, this is the present owner.
 * - A thread from outside is seen only in a wait for a group or for the pool. A pool does not know
 *   threads that wait for a mutex or a channel. Of a serial queue a pool knows the number of tasks
 *   only.
 * - Names of functions come from the symbol tables of the mapped files. For a stripped file the
 *   dump shows the address in the file, for addr2line; without /proc the plain address.
 */
#ifndef NAP_DUMP_H
#define NAP_DUMP_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_pool;

/**
 * nap_pool_dump() - write what @pool is doing to @fd, as text
 * @fd: an open file, pipe or socket; the caller's. After an error it may have a part of the dump
 *
 * The pool goes on during the call. The caller ensures that the pool is not freed during the call.
 * (A join that begins waits for the end of the call, and so for as long as @fd blocks.) Repeats
 * interrupted and short writes. Memory that other threads may free is copied by
 * process_vm_readv(2), or, where a sandbox forbids that, through a pipe(2); without both a part of
 * the dump is left out.
 *
 * Any thread, tasks included; async-signal-safe. Keeps errno. Several calls at once each write a
 * dump of their own, with their lines mixed. The dump of a pool that was not used yet is one line.
 * Returns 0; -ESHUTDOWN, and one line, after the join and in the child of a fork; -EINVAL when
 * @pool is NULL; or the negative errno of write(2), for example -EAGAIN for a full non-blocking
 * pipe.
 */
int nap_pool_dump(struct nap_pool *pool, int fd);

/**
 * nap_pools_dump() - nap_pool_dump() of each pool of the process that is in use, at most 64
 *
 * A pool is in use from the start of its first worker, or its first guest, until the join. The
 * caller need not keep the pools from being joined: a join waits until the dump of its pool is
 * written.
 *
 * In the child of a fork, until a pool of the child's own is in use, this is one line for each pool
 * that was in use in the parent: its address alone, because the child may have freed the pool.
 *
 * Any thread; async-signal-safe. Returns 0, or the first error of a write.
 */
int nap_pools_dump(int fd);

/**
 * nap_dump_on_signal() - have @signo call nap_pools_dump(@fd) from now on
 * @signo: any signal that can be caught; SIGQUIT or SIGUSR2, say. Later calls name the same signal
 * @fd:    stays the caller's, and open. -1: no longer dump, and restore the handler that was
 *         installed before
 *
 * Installs a handler with SA_RESTART and SA_ONSTACK: an alternate stack, where a thread has one,
 * needs 16 KiB. The handler dumps, and then calls the handler that was installed before, if any.
 * Any thread that has not blocked the signal may run the handler, a worker too. A signal during
 * such a dump dumps nothing. The child of a fork inherits the handler, which dumps there even if a
 * thread of the parent is in such a dump at the fork. The bare library does not have this call.
 *
 * One thread at a time; not in a signal handler. Returns 0; -EINVAL when @signo cannot be caught;
 * -EBUSY when the dump is on another signal already, or, with @fd -1, when another handler was
 * installed since; -EALREADY with @fd -1 when there is no handler.
 */
int nap_dump_on_signal(int signo, int fd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_DUMP_H */
