/* SPDX-License-Identifier: MIT */
/* Which process a completion queue belongs to: src/kit/complete.c */
#ifndef NAP_COMPLETE_INTERNAL_H
#define NAP_COMPLETE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/complete.h>

#include "arch/atomic.h"
#include "os/os.h"

/*
 * Whether this is the child of a fork, and the parent has opened the queue. Called by any thread.
 * Relaxed: if a thread of this process has opened the queue, it has stored this process's number.
 */
static inline bool cq_is_parents(const struct nap_cq *cq)
{
	return nap_load_relaxed((uint32_t *)&cq->gen) != nap_load_relaxed(&nap__fork_gen);
}

#endif /* NAP_COMPLETE_INTERNAL_H */
