/* SPDX-License-Identifier: MIT */
/* A list of tasks that ends with NULL. */
#ifndef NAP_QUEUE_LIST_H
#define NAP_QUEUE_LIST_H

#include <stddef.h>

#include <nap/task.h>

/* Returns the new head. */
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

#endif /* NAP_QUEUE_LIST_H */
