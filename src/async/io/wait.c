/* SPDX-License-Identifier: MIT */
/* Fibers that wait for files: nap/io.h, src/async/io/io.h. */
#include <nap/io.h>

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/fiber.h"
#include "async/io/io.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "os/os.h"
#include "sync/deadline.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/self.h"

#define ASKED_FOR (NAP_IO_READ | NAP_IO_PRIORITY | NAP_IO_WRITE | NAP_IO_PEER_END)

static struct nap__files *files_if_any(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);
	struct nap__io *io = async ? async_io(async) : NULL;

	return io ? nap_container_of(io, struct nap__files, io) : NULL;
}

/* ---- making the epoll */

static int open_both(struct nap__files *files)
{
	int err;

	files->epoll = nap__os_epoll_open();
	if (files->epoll < 0)
		return files->epoll;
	files->eventfd = nap__os_eventfd_open();
	if (files->eventfd >= 0) {
		/* The eventfd's number has to fit into an event word. */
		err = (uint32_t)files->eventfd + 1 > UINT32_MAX / EVENT_FD ? -EMFILE :
		      nap__os_epoll_watch(files->epoll, files->eventfd);
		if (!err)
			return 0;
		nap__os_eventfd_close(files->eventfd);
	} else {
		err = files->eventfd;
	}
	nap__os_epoll_close(files->epoll);
	return err;
}

static __attribute__((noinline)) int make_files(struct nap_pool *pool, struct nap__files **made)
{
	struct nap__async *async = pool_async(pool);
	struct nap__files *files = nap__os_map(sizeof(*files));
	int err;

	if (!files)
		return -ENOMEM;
	err = open_both(files);
	if (err) {
		nap__os_unmap(files, sizeof(*files));
		return err;
	}
	files->io.ops = &nap__files_ops;
	files->pool = pool;
	/* pairs with the acquire in async_io() [Z2] */
	if (nap_cmpxchg_release(&async->io, NULL, &files->io)) {
		/* Another thread was first. */
		nap__files_ops.free(&files->io);
		files = files_if_any(pool);
	} else {
		/*
		 * There may be a poller already, which sleeps on its event word, not in the new
		 * epoll.
		 */
		nap__timers_attend(pool, &async->timers);
	}
	*made = files;
	return 0;
}

int nap__files_of(struct nap_pool *pool, struct nap__files **files)
{
	*files = files_if_any(pool);
	return *files ? 0 : make_files(pool, files);
}

/* ---- waiting for a file */

/*
 * Returns the events that @w and all other waiters for its file want. Searches the list only if
 * files share the slot.
 */
static uint32_t wanted(struct nap__io_slot *slot, const struct nap__io_waiter *w)
{
	struct nap__fiber_waiter *none = NULL;

	if (!slot->waiters.first)
		return w->events;
	/* Not noticed in tests when dropped: the list has the same waiters, and is searched. */
	if (slot->fd == w->fd)
		return slot->armed | w->events;
	/* Not noticed in tests when 1 for 0 (2): without events no waiter is claimed. */
	return nap__io_claim(slot, w->fd, 0, 0, &none) | w->events;
}

/* Lists @w, and arms the file for the events that all its waiters want. */
static int io_list(struct nap__files *files, struct nap__io_waiter *w,
		   const struct nap__sleeper *sleeper)
{
	struct nap__io_slot *slot = slot_of(files, w->fd);
	uint32_t events;
	int err;

	lock_take(&slot->lock);
	events = wanted(slot, w);
	slot->number += !slot->waiters.first;
	err = nap__os_epoll_arm(files->epoll, w->fd, slot->number, events);
	if (!err) {
		waiters_add(&slot->waiters, &w->waiter, sleeper);
		slot->fd = w->fd;
		slot->armed = events;
	}
	lock_give(&slot->lock);
	return err;
}

static int wait_listed(struct nap__files *files, struct nap__io_waiter *w,
		       struct nap__sleeper *sleeper, uint64_t deadline)
{
	struct nap__timers *timers = &pool_async(files->pool)->timers;
	struct nap__io_slot *slot = slot_of(files, w->fd);
	int err;

	/* count before checking; pairs with nap__timers_end_polling() [Y2] */
	nap_fence_seq_cst();
	if (nap_load_relaxed(&timers->poller) == POLLER_NONE)
		nap__idle_notify_lone(files->pool);
	err = waiter_sleep(&slot->waiters, &slot->lock, &w->waiter, sleeper, deadline);
	return err ? err : w->waiter.result;
}

/* Withdraws the wait of @sleeper, because of the error @err. Returns @err. */
static int io_give_up(struct nap__sleeper *sleeper, int err)
{
	nap__sleeper_withdraw(sleeper);
	return err;
}

/*
 * Returns the result for a file that epoll(7) refuses, typically a regular file: it is always
 * ready.
 */
static int ready_always(int fd, uint32_t events)
{
	int err = nap__os_poll(fd, events, 0);

	return err == -ETIMEDOUT ? -EINVAL : err;
}

static int wait_in(struct nap_fiber *fiber, struct nap__io_waiter *w, uint64_t deadline)
{
	uint32_t *nr_waits = &pool_async(fiber->pool)->timers.files;
	struct nap__sleeper sleeper;
	struct nap__files *files;
	int err = nap__sleeper_begin(&sleeper, NULL);

	if (err)
		return err;
	err = nap__files_of(fiber->pool, &files);
	if (err)
		return io_give_up(&sleeper, err);
	sleeper_waits_for(&sleeper, NAP_TRACE_ON_FILE, (void *)(intptr_t)w->fd);
	nap_fetch_add_relaxed(nr_waits, 1);
	err = io_list(files, w, &sleeper);
	if (err == -EPERM)
		err = io_give_up(&sleeper, ready_always(w->fd, w->events));
	else if (err)
		io_give_up(&sleeper, err);
	else
		err = wait_listed(files, w, &sleeper, deadline);
	nap_fetch_sub_relaxed(nr_waits, 1);
	return err;
}

/*
 * Calls poll(2), which blocks the thread unless the deadline has passed. Used if the caller is no
 * fiber, or does not wait.
 */
static int poll_or_block(int fd, uint32_t events, uint64_t deadline)
{
	int err = nap__os_poll(fd, events, deadline);

	return err == -ETIMEDOUT ? nap__timed_out() : err;
}

int nap_io_wait(int fd, uint32_t events, uint64_t deadline)
{
	struct nap__io_waiter w = { .fd = fd, .events = events };
	struct nap_fiber *fiber;
	bool waits;
	int err;

	if (fd < 0)
		return -EBADF;
	if (!events || (events & ~ASKED_FOR))
		return -EINVAL;
	unseen_begin();
	if (deadline)
		nap__budget_spend();
	waits = !deadline_passed(deadline);
	fiber = waits ? nap__fiber_waiting() : NULL;
	err = fiber ? wait_in(fiber, &w, deadline) : poll_or_block(fd, events, deadline);
	is_given(&w, sizeof(w));
	unseen_end();
	return err;
}

/* ---- forgetting a file */

/* As nap_io_forget(), for a caller inside the pool. */
static int files_forget(struct nap_pool *pool, int fd)
{
	struct nap__files *files = files_if_any(pool);
	struct nap__fiber_waiter *claimed = NULL, *w;
	struct nap__io_slot *slot;
	int n = 0;

	if (!files || fd < 0)
		return 0;
	slot = slot_of(files, fd);
	lock_take(&slot->lock);
	nap__io_claim(slot, fd, UINT32_MAX, -EBADF, &claimed);
	/* Not noticed in tests when dropped: no test forgets a file whose event is being read. */
	slot->number++;
	nap__os_epoll_forget(files->epoll, fd);
	lock_give(&slot->lock);
	for (w = claimed; w; w = w->next)
		n++;
	waiters_go_on(claimed);
	return n;
}

int nap_io_forget(struct nap_pool *pool, int fd)
{
	int n = -ESHUTDOWN;

	if (!pool)
		return -EINVAL;
	unseen_begin();
	if (!pool_forked(pool) && insider(pool)) {
		n = files_forget(pool, fd);
	} else if (visits_enter(pool)) {
		n = files_forget(pool, fd);
		gate_leave(&pool->visits);
	}
	unseen_end();
	return n;
}
