/* SPDX-License-Identifier: MIT */
/*
 * Completion queues: nap/complete.h. A pushed task goes into an inbox (src/queue/inbox.h); an
 * eventfd notifies the loop.
 *
 * When the loop has found the inbox empty, it arms the inbox (INBOX_ARMED), and sleeps on the fd.
 * The push that clears this flag owes the fd one write, and no other push writes. So each arming
 * has one write. While @armed is set one of the following is true:
 *
 *	the inbox is armed
 *	the pusher that cleared the flag is about to write: the fd will be readable
 *	the fd was written to, and the loop has not read from it: the fd is readable
 *	the write has failed (INBOX_UNTOLD): the next push writes
 *
 * The loop reads the fd only when the queue is empty. Until then the fd is readable, or will be, so
 * the loop can sleep on the fd.
 *
 * A pusher's last touch of the queue is its push, unless it owes the write. If it does, the queue
 * must not be closed, or opened again, until the loop has read what that pusher writes: settle().
 */
#include <nap/complete.h>

#include <errno.h>

#include "arch/atomic.h"
#include "kit/complete.h"
#include "os/happens.h"
#include "queue/inbox.h"
#include "sync/debug.h"
#include "worker/trace.h"

/* How often a write is tried. */
#define WRITES		3
/* The number of queues that were ever opened: the upper half of a queue's round numbers. */
static uint32_t nr_opened;	/* A */

/* How long a loop that closes its queue waits for a write before it checks for a failure. */
#define WRITE_NS	1000000u

/* ---- called by any thread */

static bool is_written(int fd)
{
	for (int i = 0; i < WRITES; i++)
		if (!nap__os_eventfd_write(fd))
			return true;
	return false;
}

/* Writes to the fd. The caller has cleared the flag INBOX_ARMED, and owes the loop a write. */
static void cq_notify(struct nap_cq *cq)
{
	int fd;

	/*
	 * Sees the fd: pairs with nap_cq_init(), whose release sequence the caller's push, a
	 * read-modify-write, continues. [X6]
	 */
	nap_load_acquire(&cq->pushed);
	fd = nap_load_relaxed(&cq->fd);
	if (!is_written(fd))
		inbox_untold(&cq->pushed);
}

/*
 * Counts before the push, because the queue is not touched after the push. Counts even before the
 * first read of the queue: the count takes the cache line for writing, and so for the push, too,
 * whereas a read would only share the line. A push that is refused takes its count back.
 */
static uintptr_t count_and_push(struct nap_cq *cq, struct nap_task *task)
{
	uintptr_t flags = 0;

	nap_fetch_add_relaxed(&cq->nr_pushed, 1);
	if (inbox_is_open(&cq->pushed) && !cq_is_parents(cq)) {
		trace_here(NAP_TRACE_PUSH, task, (uintptr_t)cq);
		flags = inbox_push(&cq->pushed, task);
	}
	if (!(flags & INBOX_OPEN))
		nap_fetch_sub_relaxed(&cq->nr_pushed, 1);
	return flags;
}

int nap_cq_push(struct nap_cq *cq, struct nap_task *task)
{
	uintptr_t flags;

	debug_null(cq, "queue", __func__, __builtin_return_address(0));
	debug_mark_list(task, task, __func__, __builtin_return_address(0));
	unseen_begin();
	happens_before(task);
	flags = count_and_push(cq, task);
	if (!(flags & INBOX_OPEN))
		debug_unmark(task);
	else if (flags != INBOX_OPEN)
		cq_notify(cq);
	unseen_end();
	return flags & INBOX_OPEN ? 0 : -ESHUTDOWN;
}

/* ---- called by the loop */

int nap_cq_init(struct nap_cq *cq)
{
	int fd;

	if (!cq || (uintptr_t)cq % _Alignof(struct nap_cq))
		return -EINVAL;
	nap__os_init();
	fd = nap__os_eventfd_open();
	if (fd < 0)
		return fd;
	cq->taken = NULL;
	/*
	 * The number differs from all rounds of earlier queues in this memory (except after 2^32
	 * openings: next_round()): a function in nap_cq_run() may have closed such a queue. Not
	 * noticed in tests when 2 for 1 or 33 for 32: the numbers still differ.
	 */
	cq->round = (uint64_t)nap_fetch_add_relaxed(&nr_opened, 1) << 32;
	cq->armed = true;
	nap_store_relaxed(&cq->fd, fd);
	nap_store_relaxed(&cq->gen, nap_load_relaxed(&nap__fork_gen));
	nap_store_relaxed(&cq->nr_pushed, 0);
	nap_store_relaxed(&cq->nr_out, 0);
	/*
	 * From here on pushes are accepted, even one that began before an earlier close. The fd is
	 * stored before this: pairs with cq_notify(). [X6]
	 */
	nap_store_release(&cq->pushed, INBOX_OPEN | INBOX_ARMED);
	return 0;
}

int nap_cq_fd(const struct nap_cq *cq)
{
	if (!cq)
		return -EINVAL;
	return inbox_is_open(&cq->pushed) ? cq->fd : -EBADF;
}

/* Makes the fd readable, so that the loop comes back, because no pusher will do so. */
static void cq_notify_itself(struct nap_cq *cq)
{
	cq->armed = is_written(cq->fd);
}

/*
 * Begins the next round. Only the lower half of the number counts, without a carry, because the
 * numbers with another upper half are those of other queues. So nap_cq_run() mistakes two rounds
 * for one only if a single function takes from the queue 2^32 times, or if 2^32 queues are opened
 * while the function runs.
 */
static void next_round(struct nap_cq *cq)
{
	cq->round = (cq->round & ~(uint64_t)UINT32_MAX) | (uint32_t)(cq->round + 1);
}

/* Takes everything that was pushed into @taken, which is empty. */
static uintptr_t cq_take(struct nap_cq *cq, uintptr_t flags)
{
	flags = inbox_take(&cq->pushed, flags, &cq->taken);
	next_round(cq);
	for (struct nap_task *t = cq->taken; t; t = t->next) {
		is_received(t, sizeof(*t));
		debug_unmark(t);
	}
	return flags;
}

/* Arms the empty queue. True: the next push notifies the loop. False: another thread has pushed. */
static bool cq_arm(struct nap_cq *cq)
{
	/* If the fd is not readable yet, the write is on its way. */
	if (cq->armed && !nap__os_eventfd_read(cq->fd))
		return true;
	cq->armed = true;
	if (inbox_arm(&cq->pushed))
		return true;
	cq_notify_itself(cq);
	return false;
}

/* If @taken is empty, takes the pushed tasks. Returns whether a task is in @taken. */
static bool fill(struct nap_cq *cq)
{
	if (cq_is_parents(cq))
		return false;
	/*
	 * If tasks remain, and the write for them has failed, no other thread makes the fd
	 * readable.
	 */
	if (cq->taken && (!cq->armed || (nap_load_relaxed(&cq->pushed) & INBOX_UNTOLD)))
		cq_notify_itself(cq);
	while (!cq->taken) {
		uintptr_t word = nap_load_relaxed(&cq->pushed);

		if (!(word & INBOX_OPEN) || (word & INBOX_ARMED))
			return false;
		if (word == INBOX_OPEN && cq_arm(cq))
			return false;
		if (cq_take(cq, INBOX_OPEN) & INBOX_UNTOLD)
			cq_notify_itself(cq);
	}
	return true;
}

/* Whether tasks remain although the fd is not readable, because writes fail. */
static bool has_to_go_on(struct nap_cq *cq)
{
	return fill(cq) && !cq->armed;
}

static struct nap_task *next_taken(struct nap_cq *cq)
{
	struct nap_task *task = cq_is_parents(cq) ? NULL : cq->taken;

	if (task) {
		trace_here(NAP_TRACE_POP, task, (uintptr_t)cq);
		nap_store_relaxed(&cq->nr_out, cq->nr_out + 1);
		cq->taken = task->next;
		/* Not noticed in tests when dropped: the link of a task in no queue is not read. */
		task->next = NULL;
	}
	return task;
}

struct nap_task *nap_cq_pop(struct nap_cq *cq)
{
	struct nap_task *task;

	if (!cq)
		return NULL;
	unseen_begin();
	fill(cq);
	task = next_taken(cq);
	unseen_end();
	return task;
}

size_t nap_cq_pop_all(struct nap_cq *cq, struct nap_batch *batch)
{
	size_t n = 0;

	if (!cq || !batch)
		return 0;
	unseen_begin();
	fill(cq);
	do {
		for (struct nap_task *task; (task = next_taken(cq)); n++)
			nap_batch_push(batch, task);
		/* Typically no task remains, and the next push notifies. */
	} while (has_to_go_on(cq));
	unseen_end();
	return n;
}

/*
 * Runs one round: the tasks that are in @taken at the beginning. A task that is pushed later
 * belongs to a later round, even if a function pops all remaining tasks of this round.
 */
size_t nap_cq_run(struct nap_cq *cq, size_t max)
{
	struct nap_task *task = nap_cq_pop(cq);
	uint64_t round = task ? cq->round : 0;
	size_t n = 0;

	while (task) {
		task->run(task);
		unseen_begin();
		task = ++n != max && cq->round == round ? next_taken(cq) : NULL;
		if (!task && has_to_go_on(cq))
			task = next_taken(cq);
		unseen_end();
	}
	return n;
}

/* Waits for the pusher that owes a write. No other push can be accepted any longer. */
static void settle(struct nap_cq *cq, uintptr_t flags)
{
	if (!cq->armed || (flags & (INBOX_ARMED | INBOX_UNTOLD)))
		return;
	while (!nap__os_eventfd_read(cq->fd) &&
	       !(nap_load_relaxed(&cq->pushed) & INBOX_UNTOLD))
		nap__os_eventfd_wait(cq->fd, WRITE_NS);
}

static void forget_fd(struct nap_cq *cq)
{
	nap__os_eventfd_close(cq->fd);
	/*
	 * Not noticed in tests when dropped, 2 for 1 or 0 for 1: no call reads the fd of a closed
	 * queue.
	 */
	nap_store_relaxed(&cq->fd, -1);
	/*
	 * Not noticed in tests when dropped or true for false: no call reads this flag of a closed
	 * queue.
	 */
	cq->armed = false;
}

/*
 * In the child of a fork the tasks belong to the parent, and so does the thread that owed a write.
 */
static int close_in_child(struct nap_cq *cq)
{
	nap_store_relaxed(&cq->pushed, 0);
	cq->taken = NULL;
	forget_fd(cq);
	return -ESHUTDOWN;
}

int nap_cq_close(struct nap_cq *cq, struct nap_batch *left)
{
	struct nap_task *task;
	uintptr_t flags;

	if (!cq || !left)
		return -EINVAL;
	if (!inbox_is_open(&cq->pushed))
		return -EALREADY;
	if (cq_is_parents(cq))
		return close_in_child(cq);
	unseen_begin();
	while ((task = next_taken(cq)))
		nap_batch_push(left, task);
	flags = cq_take(cq, 0);
	while ((task = next_taken(cq)))
		nap_batch_push(left, task);
	settle(cq, flags);
	forget_fd(cq);
	is_given(cq, sizeof(*cq));
	unseen_end();
	return 0;
}
