/* SPDX-License-Identifier: MIT */
/*
 * Asking the kernel which files are ready: src/async/io/io.h. Typically one file is ready, and its
 * fiber is resumed.
 */
#include <errno.h>

#include "async/io/io.h"
#include "idle/idle.h"
#include "os/os.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "worker/phase.h"
#include "worker/trace.h"
#include "worker/worker.h"

/* The time between two polls in passing, because each poll is a system call. */
#define PASSING_NS	20000u

/* The time between two polls of a poller that the kernel does not let sleep in the epoll. */
#define REFUSED_NS	1000000u

static struct nap__files *files_of(struct nap__io *io)
{
	return nap_container_of(io, struct nap__files, io);
}

/* ---- sleeping in the epoll */

/* Whether no file is ready: the eventfd, or a signal, has ended the wait. */
static bool only_called(struct nap__files *files, int n)
{
	return n == -EINTR || (n == 1 && ready_fd(&files->ready[0]) == files->eventfd);
}

/* Keeps the @n files that epoll_wait() has returned. Returns whether a file is ready. */
static bool keep_ready(struct nap__files *files, int n)
{
	files->nr_ready = n > 0 ? n : 0;
	return n > 0 && !only_called(files, n);
}

/*
 * Sleeps until a reason is set in @event, a file is ready, or @deadline. False: the kernel refuses
 * to wait.
 */
static bool sleep_in_epoll(struct nap__files *files, uint32_t *event, uint64_t deadline,
			   uint32_t *reasons, bool *ready)
{
	uint32_t parked = EVENT_PARKED | ((uint32_t)files->eventfd + 1) * EVENT_FD;
	uint32_t word = nap_load_relaxed(event);
	bool slept = false;
	int n = 0;

	while (!(word & EVENT_ANY)) {
		if (!slept && !nap_try_cmpxchg_relaxed(event, &word, word | parked))
			continue;
		slept = true;
		n = nap__os_epoll_wait(files->epoll, files->ready, IO_AT_ONCE, deadline);
		if (!only_called(files, n))
			break;
		word = nap_load_relaxed(event);
	}
	/* Sees what the setter has done: pairs with event_set(). [E1] */
	*reasons = nap_fetch_and_acquire(event, ~(EVENT_ANY | parked)) & EVENT_ANY;
	if (*reasons && slept)
		nap_fetch_add_relaxed(&files->owed, 1);
	*ready = keep_ready(files, n);
	return n >= 0 || n == -EINTR;
}

/* Returns whether a file is ready, without sleeping. */
static bool files_poll_once(struct nap__files *files)
{
	int n = nap__os_epoll_wait(files->epoll, files->ready, IO_AT_ONCE, 0);

	return keep_ready(files, n);
}

static uint32_t sleep_or_ready(struct nap__io *io, struct nap_worker *worker, uint64_t deadline,
			       bool *ready)
{
	struct nap__files *files = files_of(io);
	uint32_t reasons;

	while (!sleep_in_epoll(files, &worker->event, deadline, &reasons, ready) && !reasons) {
		uint64_t until = nap__os_now() + REFUSED_NS;

		if (until > deadline)
			until = deadline;
		reasons = event_wait(&worker->event, EVENT_ANY, until);
		*ready = files_poll_once(files);
		if (reasons || *ready || until == deadline)
			break;
	}
	return reasons;
}

/* ---- resuming the waiters */

uint32_t nap__io_claim(struct nap__io_slot *slot, int fd, uint32_t events, int result,
		       struct nap__fiber_waiter **claimed)
{
	struct nap__fiber_waiter *waiter, *next, **end = claimed;
	uint32_t others = 0;

	while (*end)
		end = &(*end)->next;
	for (waiter = slot->waiters.first; waiter; waiter = next) {
		struct nap__io_waiter *w = nap_container_of(waiter, struct nap__io_waiter, waiter);
		uint32_t got = events & (w->events | NAP_IO_ERROR | NAP_IO_HANGUP);

		next = waiter->next;
		if (w->fd != fd)
			continue;
		if (!got) {
			others |= w->events;
			continue;
		}
		waiters_take(&slot->waiters, waiter);
		if (!nap__fiber_wait_claim(waiter->wait, waiter->number, WAIT_WOKEN))
			continue;
		waiter->result = result ? result : (int)got;
		waiter->next = NULL;
		*end = waiter;
		end = &waiter->next;
	}
	return others;
}

/*
 * Makes the waits of @all, which the caller has claimed, ready. Appends the tasks of fibers that
 * have left their stacks to @tasks, for the next worker that fires timers.
 */
static void take_all(struct nap__fiber_waiter *all, struct nap_batch *tasks)
{
	while (all) {
		struct nap__fiber_waiter *next = all->next;
		struct nap_task *task;

		happens_before(all);	/* for detectors, as in waiter_go_on() */
		task = nap__fiber_wait_take(all->wait);
		if (task)
			nap_batch_push(tasks, task);
		all = next;
	}
}

/*
 * Resumes the waiters for the events of a @ready file, or, if @tasks is not NULL, appends their
 * tasks there. Arms the file again for the remaining waiters; these are all waiters if the events
 * may belong to an earlier file.
 */
static void file_notify(struct nap__files *files, const struct nap__os_ready *ready,
			struct nap_batch *tasks)
{
	int fd = ready_fd(ready);
	struct nap__io_slot *slot = slot_of(files, fd);
	struct nap__fiber_waiter *claimed = NULL;
	uint32_t events, others;
	/* Not noticed in tests when 1 for 0: if no others wait, there is no waiter to tell. */
	int err = 0;

	trace(files->pool, NAP_TRACE_FILE, NAP_TRACE_NOBODY, (uint32_t)fd, ready->events);
	lock_take(&slot->lock);
	events = ready_number(ready) == slot->number ? ready->events : 0;
	others = nap__io_claim(slot, fd, events, 0, &claimed);
	if (others)
		err = nap__os_epoll_arm(files->epoll, fd, slot->number, others);
	if (err)	/* the file was closed, so the kernel would never report it */
		nap__io_claim(slot, fd, UINT32_MAX, err, &claimed);
	if (slot->fd == fd)
		slot->armed = others;
	lock_give(&slot->lock);
	if (tasks)
		take_all(claimed, tasks);
	else
		waiters_go_on(claimed);
}

static void notify_ready(struct nap__files *files, const struct nap__os_ready *ready, int n,
			 struct nap_batch *tasks)
{
	for (int i = 0; i < n; i++)
		if (ready_fd(&ready[i]) != files->eventfd)
			file_notify(files, &ready[i], tasks);
}

static void files_notify(struct nap__io *io)
{
	struct nap__files *files = files_of(io);
	int nr_ready = files->nr_ready;

	files->nr_ready = 0;
	notify_ready(files, files->ready, nr_ready, NULL);
}

/* ---- polling in passing */

static void files_poll(struct nap__io *io, struct nap_worker *worker)
{
	struct nap__files *files = files_of(io);
	struct nap__timers *timers = &pool_async(files->pool)->timers;
	/* A buffer of its own, not that of @files, because several workers may poll. */
	struct nap__os_ready ready[IO_IN_PASSING];
	struct nap_batch tasks = NAP_BATCH_INIT;
	uint64_t now = nap__os_now();

	if (now < nap_load_relaxed(&files->polled) + PASSING_NS || !timers_begin_passing(timers))
		return;
	nap_store_relaxed(&files->polled, now);
	notify_ready(files, ready, nap__os_epoll_wait(files->epoll, ready, IO_IN_PASSING, 0),
		     &tasks);
	if (tasks.head)
		nap__timers_ready(files->pool, timers, now, &tasks);
	if (!timers_end_passing(timers))
		return;
	/* End the poll before checking; pairs with nap__timers_attend() [Y2] */
	nap_fence_seq_cst();
	/*
	 * A worker that did not become the poller because of a poll in passing relies on the last
	 * worker that polls in passing. This last worker may run a task next, so it notifies
	 * another worker here. The notification may reach this worker itself; then other threads
	 * rely on its next search.
	 */
	if (timers_wanted(timers)) {
		worker->relied_on = true;
		nap__idle_notify_lone(worker->pool);
	}
}

/* ---- the end of the files */

static void free_files(struct nap__io *io)
{
	struct nap__files *files = files_of(io);
	uint64_t written = 0;

	/*
	 * A thread that has set the poller's event soon writes to the eventfd. In the child of a
	 * fork no thread writes; and if the program has closed the eventfd, there is nothing to
	 * wait for.
	 */
	while (!pool_forked(files->pool) && (written += nap__os_eventfd_read(files->eventfd)) <
					      nap_load_relaxed(&files->owed))
		if (!nap__os_eventfd_wait(files->eventfd, UINT64_MAX))
			break;
	nap__os_eventfd_close(files->eventfd);
	nap__os_epoll_close(files->epoll);
	nap__os_unmap(files, sizeof(*files));
}

const struct nap__io_ops nap__files_ops = {
	.sleep = sleep_or_ready,
	.notify = files_notify,
	.poll = files_poll,
	.free = free_files,
};
