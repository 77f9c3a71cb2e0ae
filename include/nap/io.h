/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_io_wait - fibers that wait for files
 *
 * Fibers that wait for files: sockets, pipes, eventfds, terminals, whatever poll(2) can wait for.
 *
 *	while ((n = read(fd, buf, size)) < 0 && !(err = nap_io_again(fd, NAP_IO_READ, NAP_FOREVER)))
 *		;
 *
 * Any number of fibers, for any number of files, of which each is to be non-blocking (O_NONBLOCK).
 * Several may wait for one file: all of them are told, in order, and each tells the kernel for all.
 * As with poll(2) that it was ready says nothing of what the next one finds who reads it.
 *
 * Which thread asks the kernel. A pool whose fibers wait for files has an epoll(7), made by the
 * first of them. Of the workers that have nothing to do one sleeps in it; the others sleep as ever,
 * and a thread that calls that one to work writes to an eventfd. The busy workers look as they do
 * for timers (NAP_DUE_DEQUEUES, nap/timer.h), at most every 20 microseconds, and only while no
 * worker sleeps there; what is ready then goes on next, before what is queued. So a fiber goes on
 * soon after its file is ready, unless every worker is in the middle of a task that takes longer,
 * or there is no worker at all: then the threads that wait or help (nap_pool_help()) look, at least
 * every 64 ms. A wait costs one epoll_ctl(2), a file's first wait two.
 *
 * Closing. A file that is closed tells nobody who waits for it: nap_io_forget() before close(2).
 *
 * Fork. In the child a fiber of the parent's polls as a thread does, and the parent's files in
 * there (an epoll and an eventfd, close-on-exec) are not to be closed before nap_pool_init_child().
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
 * NAP_IO_READ and others - what a file is to be ready for
 *
 * The numbers, and what is meant, are those of POLLIN, POLLPRI, POLLOUT and POLLRDHUP in poll(2).
 * The last two are POLLERR and POLLHUP, which are waited for anyway.
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
 * @events:   for what: NAP_IO_READ and others, at least one
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER; one that has passed: only look
 *
 * A fiber is suspended. A thread that is no fiber, and a fiber where it waits as a thread
 * (nap/fiber.h), blocks in poll(2), a task that is none its worker, too: that is ended by the file
 * and by @deadline, and by nothing else. Nothing is allocated but in the pool's first wait. Returns
 * those of the events that are there, with NAP_IO_ERROR and NAP_IO_HANGUP, above 0. Or -ETIMEDOUT;
 * -ECANCELED when the calling fiber was canceled, or its pool stopped; -EBADF when @fd is no open
 * file, or nap_io_forget() said so; -EINVAL for no @events, or others, or for what nobody can wait
 * for (NAP_IO_PRIORITY of a regular file, which can always be read and written); what
 * epoll_create1(2), eventfd(2), epoll_ctl(2) and poll(2) say when they fail: -EMFILE, -ENFILE,
 * -ENOMEM, -ENOSPC, -EPERM. It may be too early, as when another file had the number @fd before.
 */
int nap_io_wait(int fd, uint32_t events, uint64_t deadline);

/**
 * nap_io_again() - wait where a call on a file has just failed with EAGAIN
 *
 * As nap_io_wait(), if errno is EAGAIN; at once, if that is EINTR. It is for loops: a compiler may
 * look for errno once, and after a wait the thread may be another one (nap/fiber.h). Not without a
 * libc. Returns 0, and the call is to be made again; or what nap_io_wait() says that is below 0; or
 * -errno where that is something else.
 */
int nap_io_again(int fd, uint32_t events, uint64_t deadline);

/**
 * nap_io_forget() - end the waits for a file that is about to be closed
 * @pool: whose fibers wait for it
 * @fd:   the file, still open
 *
 * Any thread inside the pool, its tasks and fibers, or any other before its join. Each wait of a
 * fiber is -EBADF; a thread that blocks in poll(2) goes on with that. Of a fiber that is about to
 * wait, and does not yet, it knows nothing: that one would wait for whatever has the number next,
 * so that is the program's to see to. Returns how many there were; -EINVAL when @pool is NULL;
 * -ESHUTDOWN after its join and in the child of a fork.
 */
int nap_io_forget(struct nap_pool *pool, int fd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_IO_H */
