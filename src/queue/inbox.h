/* SPDX-License-Identifier: MIT */
/*
 * An inbox: any thread pushes, one owner takes everything at once. The inbox is one word: the
 * address of the task that was pushed last, and flags.
 *
 *	INBOX_OPEN	pushes are not refused
 *	INBOX_ARMED	the inbox is empty; the next push clears the flag and notifies the owner
 *	INBOX_UNTOLD	a pusher could not notify the owner: the next push tries again
 *	INBOX_ENDED	the same bit in a serial queue: the queue was ended without a last task. An
 *			ended queue that is armed, too, has no owner
 *
 *	pusher                            owner
 *	------                            ------
 *	push                              take all, oldest first
 *	if it was armed or untold:        arm, only while the inbox is empty
 *	    notify the owner              sleep
 *
 * Push and arm are compare-exchanges of the same word. So either the pusher sees that the owner is
 * armed, or the owner sees the task: no fence is needed.
 *
 * The stack is Treiber's ("Systems Programming: Coping with Parallelism", 1986). The owner always
 * takes the whole stack, so there is no ABA problem: no push mistakes one stack for another.
 */
#ifndef NAP_QUEUE_INBOX_H
#define NAP_QUEUE_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/task.h>

#include "arch/atomic.h"
#include "queue/list.h"
#include "sync/pause.h"

#define INBOX_OPEN	((uintptr_t)1)
#define INBOX_ARMED	((uintptr_t)2)
#define INBOX_UNTOLD	((uintptr_t)4)
#define INBOX_ENDED	INBOX_UNTOLD
#define INBOX_FLAGS	(INBOX_OPEN | INBOX_ARMED | INBOX_UNTOLD)

_Static_assert(_Alignof(struct nap_task) > INBOX_FLAGS, "three flags below a task's address");

static inline struct nap_task *inbox__task(uintptr_t word)
{
	return (struct nap_task *)(word & ~INBOX_FLAGS);
}

/* Whether a push may be accepted. Called by any thread. */
static inline bool inbox_is_open(const uintptr_t *inbox)
{
	return nap_load_relaxed((uintptr_t *)inbox) & INBOX_OPEN;
}

/*
 * A push that has failed twice in a row pauses before it tries again (pause_after_failure()), at
 * first for about two microseconds. On 64 simulated CPUs that push to one completion queue, a push
 * moves the word's cache line 25 times without pauses, and 7 times with them. The first failure has
 * no pause, because two CPUs need none.
 */
#ifndef NAP_PUSH_PAUSES
#define NAP_PUSH_PAUSES	64u
#endif
#define PUSH_PAUSES_MOST	1024u

/* Any thread: pushes @task, and sets @flags. @mark: LIST_MARK or 0. Returns the old flags. */
static inline uintptr_t inbox__push(uintptr_t *inbox, struct nap_task *task, uintptr_t flags,
				    uintptr_t mark)
{
	uintptr_t word = nap_load_relaxed(inbox);
	uint32_t pauses = NAP_PUSH_PAUSES;
	bool failed = false;	/* Not noticed in tests when true for false: a pause is a guess. */

	while (word & INBOX_OPEN) {
		task->next = (struct nap_task *)((uintptr_t)inbox__task(word) | mark);
		/*
		 * The link and the task's contents are written before this: pairs with the owner's
		 * take. [X1]
		 */
		if (nap_try_cmpxchg_release(inbox, &word, (uintptr_t)task | flags))
			break;
		/* Not noticed in tests when negated: as above. */
		if (failed) {
			/* Not noticed in tests when dropped: as above. */
			pause_after_failure(&pauses, PUSH_PAUSES_MOST);
			/* Not noticed in tests when dropped: it is the word before the pause. */
			word = nap_load_relaxed(inbox);
		}
		failed = true;	/* Not noticed in tests when dropped or false for true: as above. */
	}
	return word & INBOX_FLAGS;
}

/* Any thread: pushes @task. Returns the old flags; without INBOX_OPEN the push was refused. */
static inline uintptr_t inbox_push(uintptr_t *inbox, struct nap_task *task)
{
	return inbox__push(inbox, task, INBOX_OPEN, 0);
}

/* As inbox_push(), with a mark; the owner has to take tasks by inbox_take_marked(). */
static inline uintptr_t inbox_push_marked(uintptr_t *inbox, struct nap_task *task)
{
	return inbox__push(inbox, task, INBOX_OPEN, LIST_MARK);
}

/* As inbox_push(); after this task every push is refused. */
static inline uintptr_t inbox_push_last(uintptr_t *inbox, struct nap_task *task)
{
	return inbox__push(inbox, task, 0, 0);
}

/* Called by a pusher that could not notify the owner: leaves the notification to the next push. */
static inline void inbox_untold(uintptr_t *inbox)
{
	nap_fetch_or_relaxed(inbox, INBOX_UNTOLD);
}

/* Owner: takes all tasks, the oldest in *@first, and leaves @flags. Returns the old flags. */
static inline uintptr_t inbox_take(uintptr_t *inbox, uintptr_t flags, struct nap_task **first)
{
	/* Sees the tasks and links: pairs with inbox__push(). [X1] */
	uintptr_t word = nap_xchg_acquire(inbox, flags);

	*first = list_reverse(inbox__task(word));
	return word & INBOX_FLAGS;
}

/*
 * Owner: takes all tasks, oldest first. The inbox stays open or ended, unless inbox_push_last() has
 * pushed.
 */
static inline struct nap_task *inbox_take_pushed(uintptr_t *inbox)
{
	/* Sees the tasks and links: pairs with inbox__push(). [X1] */
	return list_reverse(inbox__task(nap_fetch_and_acquire(inbox, INBOX_OPEN | INBOX_ENDED)));
}

/* As inbox_take_pushed(), for an inbox with marked tasks, which stay marked. */
static inline struct nap_task *inbox_take_marked(uintptr_t *inbox)
{
	/* Sees the tasks and links: pairs with inbox__push(). [X1] */
	return marked_reverse(inbox__task(nap_fetch_and_acquire(inbox, INBOX_OPEN | INBOX_ENDED)));
}

/* Owner, which has taken all tasks: whether none can follow, because the last was pushed. */
static inline bool inbox_is_at_end(uintptr_t *inbox)
{
	return nap_load_relaxed(inbox) == 0;
}

/* Owner of an inbox that is not armed: arms it. False: a task was pushed. */
static inline bool inbox_arm(uintptr_t *inbox)
{
	return nap_cmpxchg_relaxed(inbox, INBOX_OPEN, INBOX_OPEN | INBOX_ARMED) == INBOX_OPEN;
}

/* As inbox_arm(), for an owner that hands over to the next one; arms an ended inbox, too. */
static inline bool inbox_arm_release(uintptr_t *inbox)
{
	uintptr_t word = INBOX_OPEN;

	while (!inbox__task(word)) {
		/*
		 * Publishes what this owner's tasks have done: pairs with inbox_end(), and with
		 * nap__serial_take_over() of the next owner. [X4]
		 */
		if (nap_try_cmpxchg_release(inbox, &word, word | INBOX_ARMED))
			return true;
	}
	return false;
}

/*
 * Any thread: ends the inbox without a last task; from now on every push is refused. Returns the
 * new flags, without INBOX_ENDED if a last task had been pushed before.
 */
static inline uintptr_t inbox_end(uintptr_t *inbox)
{
	for (;;) {
		/*
		 * If the inbox is armed, sees what the tasks have done: pairs with
		 * inbox_arm_release(). [X4]
		 */
		uintptr_t word = nap_load_acquire(inbox);
		uintptr_t ended = (word & ~INBOX_OPEN) | INBOX_ENDED;

		if (!(word & INBOX_OPEN))
			return word & INBOX_FLAGS;
		/*
		 * The inbox may have been armed after the load: pairs with inbox_arm_release(),
		 * too. [X4]
		 */
		if (nap_cmpxchg_acquire(inbox, word, ended) == word)
			return ended & INBOX_FLAGS;
	}
}

#endif /* NAP_QUEUE_INBOX_H */
