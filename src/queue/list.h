/* SPDX-License-Identifier: MIT */
/*
 * Lists of tasks, ended by NULL. In a marked list some tasks are marked (src/kit/order.c: the slow
 * ones). The mark is the lowest bit of the task's own link. In every address that bit is 0, so a
 * task needs no more memory.
 */
#ifndef NAP_QUEUE_LIST_H
#define NAP_QUEUE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/task.h>

/* Reverses a list and returns the new head. */
static inline struct nap_task *list_reverse(struct nap_task *head)
{
	struct nap_task *done = NULL;

	while (head) {
		struct nap_task *next = head->next;

		head->next = done;
		done = head;
		head = next;
	}
	return done;
}

#define LIST_MARK	((uintptr_t)1)

static inline bool is_marked(const struct nap_task *task)
{
	return (uintptr_t)task->next & LIST_MARK;
}

static inline struct nap_task *marked_next(const struct nap_task *task)
{
	return (struct nap_task *)((uintptr_t)task->next & ~LIST_MARK);
}

/* As list_reverse(), for a list with marked tasks. */
static inline struct nap_task *marked_reverse(struct nap_task *head)
{
	struct nap_task *done = NULL;

	while (head) {
		struct nap_task *next = marked_next(head);

		head->next = (struct nap_task *)((uintptr_t)done | is_marked(head));
		done = head;
		head = next;
	}
	return done;
}

#endif /* NAP_QUEUE_LIST_H */
