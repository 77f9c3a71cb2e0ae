/* SPDX-License-Identifier: MIT */
/* Finding the next task: src/sched/search.c. */
#ifndef NAP_SEARCH_H
#define NAP_SEARCH_H

#include "worker/worker.h"

/* Worker: the next task in the order of src/sched/search.c, or NULL when there is none to be had. */
struct nap_task *nap__dequeue(struct nap_worker *worker);

/* The same, where neither a message nor a stop is looked at, nor tasks of classes. */
struct nap_task *nap__search(struct nap_worker *worker);

#endif /* NAP_SEARCH_H */
