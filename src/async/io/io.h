/* SPDX-License-Identifier: MIT */
/*
 * The files of a pool: one epoll instance of the kernel, and the lists of waiters.
 *
 * A waiter is in the list of its file's slot, under the slot's lock, and arms the file in the epoll
 * for what all waiters of that file want, once (EPOLLONESHOT). The poller
 * (src/async/timer/timers.h), or a worker in passing, asks the epoll which files are ready, removes
 * their waiters from the lists, and arms a file again for waiters that remain. Nobody polls in
 * passing while the poller sleeps in the epoll: such a poll could take from the poller the event of
 * the eventfd, which comes once.
 *
 *	waiter (a fiber)                  worker
 *	----------------                  ------
 *	count: files + 1                  become the poller
 *	lock; list; arm; unlock           sleep in the epoll
 *	fence [Y2]                        lock; claim the listed; unlock
 *	is there a poller?                resume them
 *	  no: notify, as of a task        end polling; fence [Y2]
 *	sleep                             is a file waited for? then search, and notify others
 *
 * The poller that sleeps in the epoll is woken by a write to an eventfd, which is in the epoll,
 * too: src/sync/event.h. The poller's event word says that it sleeps there, and has the number of
 * the eventfd, because the thread that sets the event may touch nothing else of the pool after
 * that. The eventfd is closed after all these threads have written: its number may then be another
 * file's. Each sleep that ends with a reason in the event word implies one write, done or about to
 * come. The sleeps are counted, and the end of the pool waits for that many writes.
 */
#ifndef NAP_IO_INTERNAL_H
#define NAP_IO_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/io.h>

#include "arch/atomic.h"
#include "async/async.h"
#include "async/fiber/waiters.h"
#include "os/linux/epoll.h"

/* Files whose numbers differ by a multiple of this share a slot. */
#ifndef NAP_IO_SLOTS
#define NAP_IO_SLOTS	(1u << 16)
#endif

#define IO_AT_ONCE	64	/* files that one system call of the poller returns */
#define IO_IN_PASSING	32	/* files that a poll in passing returns */

struct nap__io_waiter {
	struct nap__fiber_waiter waiter;	/* result: the events */
	int fd;
	uint32_t events;
};

/*
 * Under the lock, while a waiter is listed: @armed has what all waiters for @fd want. @armed may
 * have more, for a waiter whose wait has ended for another reason. Then the kernel may report a
 * file for events that nobody waits for, and the file is armed again for the other waiters.
 *
 * A file is armed with the slot's number, which counts on when the first waiter is listed, and when
 * a file is forgotten. A poller may have read an event of a file that was closed since then, and
 * whose fd is another file's by now: that event has an earlier number.
 */
struct nap__io_slot {
	uint32_t lock;
	uint32_t number;
	uint32_t armed;
	int fd;
	struct nap__waiters waiters;
};

/* Access: I set once, A atomic, S the poller. */
struct nap__files {
	struct nap__io io;		/* I */
	struct nap_pool *pool;		/* I */
	int epoll, eventfd;		/* I */
	int32_t nr_ready;		/* S: the number of entries of ready */
	uint64_t owed;			/* A: writes to the eventfd that were made or are to come */
	uint64_t polled;		/* A: ns: when a worker last polled in passing */
	struct nap__os_ready ready[IO_AT_ONCE] nap__line;	/* S */
	struct nap__io_slot slots[NAP_IO_SLOTS] nap__line;
};

/* Sets *@files, made if there are none yet. 0 or a negative errno. The caller is inside. */
int nap__files_of(struct nap_pool *pool, struct nap__files **files);

static inline struct nap__io_slot *slot_of(struct nap__files *files, int fd)
{
	return &files->slots[(uint32_t)fd % NAP_IO_SLOTS];
}

/*
 * Under the slot's lock: claims the waiters for one of @events of @fd, and appends them to
 * *@claimed, in order. Each gets @result, or, if @result is 0, those events that it waits for.
 * Returns the events that the other waiters of @fd wait for.
 */
uint32_t nap__io_claim(struct nap__io_slot *slot, int fd, uint32_t events, int result,
		       struct nap__fiber_waiter **claimed);

/* src/async/io/poll.c */
extern const struct nap__io_ops nap__files_ops __attribute__((visibility("hidden")));

#endif /* NAP_IO_INTERNAL_H */
