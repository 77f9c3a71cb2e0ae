/* SPDX-License-Identifier: MIT */
/* Completion queues: whose they are. src/kit/complete.c */
#ifndef NAP_COMPLETE_INTERNAL_H
#define NAP_COMPLETE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/complete.h>

#include "arch/atomic.h"
#include "os/os.h"

/*
 * Any thread: the queue is that of the parent, and this is the child of a fork. Relaxed: the thread
 * that opens it in this process stores the same number again.
 */
static inline bool cq_is_parents(const struct nap_cq *cq)
{
	return nap_load_relaxed((uint32_t *)&cq->gen) != nap_load_relaxed(&nap__fork_gen);
}

#endif /* NAP_COMPLETE_INTERNAL_H */
