/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_io_wait - fibers that wait for files
 *
 * A fiber can wait for a socket, a pipe, an eventfd, a terminal, and whatever else poll(2) can wait
 * for.
 *
 *	while ((n = read(fd, buf, size)) < 0 && !(err = nap_io_again(fd, NAP_IO_READ, NAP_FOREVER)))
 *		;
 *
 * Any number of fibers may wait, for any number of files, each of which has to be non-blocking
 * (O_NONBLOCK). Several fibers may wait for one file: all of them are notified, in order. As with
 * poll(2), a file that was ready may no longer be ready when the fiber reads, and a wait may end
 * too early: so a fiber reads, and waits again after EAGAIN.
 *
 * Which thread asks the kernel. A pool whose fibers wait for files has an epoll(7) instance, which
 * the first wait makes. One of the idle workers, the poller, sleeps in the epoll; the other workers
 * sleep on futexes. A thread that wakes the poller for work writes to an eventfd. While there is no
 * poller the busy workers poll, as they do for timers (NAP_DUE_DEQUEUES, nap/timer.h), at most
 * every 20 microseconds; a fiber whose file is ready goes on next, before what is queued. So a
 * fiber goes on soon after its file is ready, unless every worker is in the middle of a long task.
 * If there is no worker at all, the threads that wait or help (nap_pool_help()) poll, at least
 * every 64 ms. A wait costs one epoll_ctl(2), the first wait for a file two.
 *
 * Closing. close(2) does not end the waits for a file: call nap_io_forget() before. Then no event
 * of the file ends a wait for a later file with the same number.
 *
 * Fork. In the child a fiber of the parent waits in poll(2), as a thread does. The child must not
 * close the pool's own files (an epoll and an eventfd, close-on-exec) before nap_pool_init_child().
 */
#ifndef NAP_IO_H
#define NAP_IO_H

#include <stdint.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * NAP_IO_READ and others - the events of a file that a fiber can wait for
 *
 * The numbers and the meanings are those of POLLIN (something to read, or to accept), POLLPRI
 * (something exceptional), POLLOUT (something can be written) and POLLRDHUP (the peer of a socket
 * has closed its half) in poll(2). NAP_IO_ERROR and NAP_IO_HANGUP are POLLERR and POLLHUP, which
 * every wait includes.
 */
#define NAP_IO_READ	0x0001u
#define NAP_IO_PRIORITY	0x0002u
#define NAP_IO_WRITE	0x0004u
#define NAP_IO_PEER_END	0x2000u
#define NAP_IO_ERROR	0x0008u
#define NAP_IO_HANGUP	0x0010u

/**
 * nap_io_wait() - wait until a file is ready
 * @fd:       an open file
 * @events:   NAP_IO_READ and others, at least one
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER; a time that has passed: do not
 *            wait
 *
 * A fiber is suspended. A thread that is no fiber, and a fiber where it waits as a thread
 * (nap/fiber.h), blocks in poll(2); in a task this blocks the worker. Only the file and @deadline
 * end such a wait. Nothing is allocated except in the pool's first wait. A regular file can always
 * be read and written; for its other events a fiber cannot wait, and a thread waits until the
 * deadline.
 *
 * Returns the events that have occurred, NAP_IO_ERROR and NAP_IO_HANGUP included, as a number above
 * 0; -ETIMEDOUT when the deadline has passed; -ECANCELED when the calling fiber was canceled, or
 * its pool stopped; -EBADF when @fd is no open file, or nap_io_forget() has ended the wait; -EINVAL
 * when @events is 0, or has NAP_IO_ERROR, NAP_IO_HANGUP or an unknown bit, or when a fiber would
 * have to wait for NAP_IO_PRIORITY or NAP_IO_PEER_END of a regular file; -ELOOP when @fd is an
 * epoll(7) that is nested too deep; -EMFILE, -ENFILE, -ENOMEM, -ENOSPC and -EPERM as
 * epoll_create1(2), eventfd(2), epoll_ctl(2) and poll(2): the next wait tries again.
 */
int nap_io_wait(int fd, uint32_t events, uint64_t deadline);

/**
 * nap_io_again() - wait where a call on a file has just failed with EAGAIN
 *
 * If errno is EAGAIN, waits as nap_io_wait(). If errno is EINTR, returns 0 at once. The call is for
 * loops in fibers, which must not read errno themselves: a compiler may compute the address of
 * errno once, and after a wait the fiber may be on another thread (nap/fiber.h). The bare library
 * does not have this call. Returns 0 when the failed call is to be repeated; an error of
 * nap_io_wait(); -errno for another errno; or -EINVAL when errno is 0, because no call has failed.
 */
int nap_io_again(int fd, uint32_t events, uint64_t deadline);

/**
 * nap_io_forget() - end the waits for a file that is about to be closed
 * @pool: the pool whose fibers wait for the file
 * @fd:   the file, still open
 *
 * Any thread, tasks and fibers of the pool included; other threads make this call before the pool's
 * join. Each wait of a fiber for @fd returns -EBADF; a thread that blocks in poll(2) goes on
 * blocking. The call does not know a fiber that is only about to wait. Such a fiber would wait for
 * the next file that gets this number; the program has to prevent this. Returns how many waits the
 * call has ended; -EINVAL when @pool is NULL; -ESHUTDOWN after the pool's join and in the child of
 * a fork.
 */
int nap_io_forget(struct nap_pool *pool, int fd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_IO_H */
