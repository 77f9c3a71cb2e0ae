/* SPDX-License-Identifier: MIT */
/*
 * The room thread/ (this header is its door).
 *
 * The beginning and the end of a worker's thread: taking a record, starting a thread on it, setting
 * the thread up as the configuration says (name, CPUs, policy, signals, place), joining it.
 *
 * Typically a record is free, is set up and pushed into the registry, and pthread_create()
 * succeeds. When it fails, the record is given back and the next schedule tries again, at most once
 * a millisecond while there is a worker.
 *
 * From outside: nap__spawn() and the functions of spawn.h, which the idle protocols call; and
 * cpu_rank.h. The thread that was started calls nap__worker_main() of the room sched/
 * (src/os/os.h).
 *
 * Open: cpu_rank.h hosted/overflow.h
 */
/* Records, and threads to work on them: src/thread/spawn.c. */
#ifndef NAP_SPAWN_H
#define NAP_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * Start one more worker, which the idle protocol has counted, or call one back; for
 * nap__idle_start(), which takes the failure from there. @set_up is the protocol's: it is given the
 * record before the thread is there; a worker that is called back calls it itself. 0 or the errno;
 * -ESHUTDOWN, which is no failure: the joiner has the records.
 */
int nap__spawn(struct nap_pool *pool, void (*set_up)(struct nap_worker *worker));

/* Whether a start may be tried now (not shortly after one that failed). */
bool nap__spawn_allowed(struct nap_pool *pool, uint32_t spawned);

/* A record's first use; @worker is zeroed memory. */
void nap__record_init(struct nap_pool *pool, struct nap_worker *worker, uint32_t index, bool guest);

/* A free record for a guest, which is RECORD_CLAIMED; NULL: all are taken, or no memory. */
struct nap_worker *nap__guest_record(struct nap_pool *pool);

/* Bytes that the records take, guests' included. */
size_t nap__records_size(struct nap_pool *pool);

#endif /* NAP_SPAWN_H */
