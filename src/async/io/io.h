/* SPDX-License-Identifier: MIT */
/*
 * The files of a pool: an epoll of the kernel's, and who waits for which.
 *
 * A waiter is in the list of a file's slot, under the slot's lock, and arms the file in the epoll
 * for what all its waiters want, once (EPOLLONESHOT). The worker that has the timers' seat
 * (src/async/timer/timers.h), alone or in passing, asks the epoll which are ready, takes out of the
 * lists those that waited for that, and arms a file again for those that are left. Nobody asks in
 * passing while a worker sleeps there: it would take the eventfd's call, which comes once, from the
 * sleeper.
 *
 *	waiter (a fiber)                  worker
 *	----------------                  ------
 *	count: files + 1                  take the seat
 *	lock; list; arm; unlock           sleep in the epoll
 *	fence [Y2]                        lock; claim the listed; unlock
 *	does somebody sit?                have them go on
 *	  nobody: notify, as of a task    leave the seat; fence [Y2]
 *	sleep                             is a file waited for? then search, and tell others
 *
 * The worker that sleeps in the epoll is called away by a write to an eventfd, which is in there, too:
 * src/sync/event.h. Its event says so, and has the number of the eventfd, because the thread that
 * sets the event may touch nothing else of a pool by then. The eventfd must not be closed before
 * all have written who are to: a closed number may be somebody else's file by then. Where a sleep
 * ended with a reason in the event, one has written or is about to. That is counted, and at the end
 * so much is awaited.
 */
#ifndef NAP_IO_INTERNAL_H
#define NAP_IO_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/io.h>

#include "arch/atomic.h"
#include "async/fiber/waiters.h"
#include "os/linux/epoll.h"
#include "worker/async.h"

/* Files whose numbers are as far apart share one. */
#ifndef NAP_IO_SLOTS
#define NAP_IO_SLOTS	(1u << 16)
#endif

#define IO_AT_ONCE	64	/* told of by one system call */
#define IO_IN_PASSING	32	/* the same, to a worker that is busy */

struct nap__io_waiter {
	struct nap__fiber_waiter waiter;	/* its result: the events */
	int fd;
	uint32_t events;
};

/*
 * Under the lock, while a waiter is listed: @armed has what all waiters for @fd want. It may have
 * more, which a waiter wanted whose wait has ended otherwise. Then the kernel may tell of a file
 * that nobody waits for, and the file is armed again for the others.
 */
struct nap__io_slot {
	uint32_t lock;
	uint32_t armed;
	int fd;
	struct nap__waiters waiters;
};

/* Access: I set once, A atomic, S who has the timers' seat alone. */
struct nap__files {
	struct nap__io io;		/* I */
	struct nap_pool *pool;		/* I */
	int epoll, eventfd;		/* I */
	int32_t nr_ready;		/* S: of these */
	uint64_t owed;			/* A: writes to the eventfd that were made or are to come */
	uint64_t looked;		/* A: ns: when somebody last did in passing */
	struct nap__os_ready ready[IO_AT_ONCE] nap__line;	/* S */
	struct nap__io_slot slots[NAP_IO_SLOTS] nap__line;
};

/* The pool's, made when there are none: *@files; 0 or a negative errno. The caller is inside. */
int nap__files_of(struct nap_pool *pool, struct nap__files **files);

static inline struct nap__io_slot *slot_of(struct nap__files *files, int fd)
{
	return &files->slots[(uint32_t)fd % NAP_IO_SLOTS];
}

/*
 * Under the slot's lock: those who wait for one of @events of @fd are taken out, and get @result, or,
 * if that is 0, those of the events. They are put behind *@claimed, in order. Returns what the
 * others wait for.
 */
uint32_t nap__io_claim(struct nap__io_slot *slot, int fd, uint32_t events, int result,
		       struct nap__fiber_waiter **claimed);

/* src/async/io/poll.c */
extern const struct nap__io_ops nap__files_ops __attribute__((visibility("hidden")));

#endif /* NAP_IO_INTERNAL_H */
