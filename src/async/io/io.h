/* SPDX-License-Identifier: MIT */
/*
 * The files of a pool: one epoll instance of the kernel, and the lists of waiters.
 *
 * A waiter is in the list of its file's slot, under the slot's lock. It arms the file in the epoll,
 * for one report (EPOLLONESHOT) of the events that all waiters of this file want. The poller
 * (src/async/timer/timers.h), or a busy worker that polls in passing, asks the epoll which files
 * are ready, removes their waiters from the lists, and arms a file again for waiters that remain.
 * No worker polls in passing while the poller sleeps in the epoll: such a poll could consume the
 * event of the eventfd, which comes only once, and the poller would sleep on.
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
 * too: src/sync/event.h. The poller's event word says that the poller sleeps there, and has the
 * eventfd's number, because the thread that sets the event may touch nothing else of the pool
 * afterwards. The eventfd is closed only after all these threads have written: after a close its
 * number may be another file's. Each sleep that ends with a reason in the event word implies one
 * write, done or about to come. The sleeps are counted, and the end of the pool waits for that many
 * writes.
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

#define IO_AT_ONCE	64	/* most files that one system call of the poller returns */
#define IO_IN_PASSING	32	/* most files that a poll in passing returns */

struct nap__io_waiter {
	struct nap__fiber_waiter waiter;	/* its result is the events */
	int fd;
	uint32_t events;
};

/*
 * The files whose numbers share this slot. Under the lock, while a waiter is listed, @armed has at
 * least the events that all waiters for @fd want. It may have more, from a waiter whose wait has
 * ended for another reason, or for an earlier file. Then the kernel may report events that no
 * waiter wants, and the file is armed again for the other waiters.
 *
 * A file is armed with the slot's number, which is increased when the first waiter is listed, and
 * when a file is forgotten. So the poller recognises an event of a file that was closed in the
 * meantime, and whose fd is another file's now: the event has an earlier number.
 */
struct nap__io_slot {
	uint32_t lock;
	uint32_t number;
	uint32_t armed;
	int fd;
	struct nap__waiters waiters;
};

/* Access letters: I: set once, A: atomic, S: only the poller. */
struct nap__files {
	struct nap__io io;		/* I */
	struct nap_pool *pool;		/* I */
	int epoll, eventfd;		/* I */
	int32_t nr_ready;		/* S: the number of entries of ready */
	uint64_t owed;			/* A: writes to the eventfd that were made or are to come */
	uint64_t polled;		/* A: ns: time of the last poll in passing */
	/* S: the files that the kernel has reported */
	struct nap__os_ready ready[IO_AT_ONCE] nap__line;
	struct nap__io_slot slots[NAP_IO_SLOTS] nap__line;
};

/*
 * Sets *@files to the pool's files, which are made if necessary. Returns 0 or a negative errno. The
 * caller is inside the pool.
 */
int nap__files_of(struct nap_pool *pool, struct nap__files **files);

static inline struct nap__io_slot *slot_of(struct nap__files *files, int fd)
{
	return &files->slots[(uint32_t)fd % NAP_IO_SLOTS];
}

/*
 * Called under the slot's lock: claims the waiters for any of @events of @fd, and appends them to
 * *@claimed, in order. A waiter's result is @result, or, if @result is 0, those of @events that
 * this waiter waits for. Returns the events that the remaining waiters of @fd wait for.
 */
uint32_t nap__io_claim(struct nap__io_slot *slot, int fd, uint32_t events, int result,
		       struct nap__fiber_waiter **claimed);

/* the functions in src/async/io/poll.c */
extern const struct nap__io_ops nap__files_ops __attribute__((visibility("hidden")));

#endif /* NAP_IO_INTERNAL_H */
