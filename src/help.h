/* SPDX-License-Identifier: MIT */
/* Running a pool's tasks on a thread that waits: src/help.c. */
#ifndef NAP_HELP_H
#define NAP_HELP_H

#include <stdbool.h>

#include <nap/pool.h>

/* Run one task on the calling thread, a guest for that time; false: found none. */
bool nap__help_one(struct nap_pool *pool);

/* Whether tasks may be queued that no worker is there to run, or able to. */
bool nap__needs_help(struct nap_pool *pool);

#endif /* NAP_HELP_H */
