/* SPDX-License-Identifier: MIT */
/*
 * The room thread/ (this header is its door).
 *
 * The beginning and the end of a worker's thread: taking a record, starting a thread on it, setting
 * the thread up as configured (name, CPUs, policy, signals, place), joining it.
 *
 * Typically a record is free, is set up and pushed into the registry, and pthread_create()
 * succeeds. If the start fails, the record is given back and the next schedule tries again, at most
 * once a millisecond while there is a worker (nap__spawn_allowed() in spawn.c).
 *
 * Where a retired worker is called back: recall() in spawn.c. On which CPU a worker begins:
 * nap__place_elsewhere() in linux/place.c; which it has then: nap__os_thread_setup() in
 * linux/thread_setup.c, and cpu_rank.h. Where the size of a stack is chosen: set_stack_size() in
 * hosted/workers.c.
 *
 * From outside: the functions of spawn.h (idle/ calls nap__spawn(), sched/ takes guests' records),
 * and cpu_rank.h. The started thread calls nap__worker_main() of the room sched/ (src/os/os.h).
 *
 * Open: cpu_rank.h hosted/overflow.h
 */
/* Taking records, and starting threads on them: src/thread/spawn.c. */
#ifndef NAP_SPAWN_H
#define NAP_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * Starts one more worker, which the idle protocol has counted, or calls one back; for
 * nap__idle_start(), which handles the failure. The protocol's @set_up is called with the record
 * before the thread exists; a worker that is called back calls @set_up itself. Returns 0 or a
 * negative errno. -ESHUTDOWN is no failure: the joiner has the records.
 */
int nap__spawn(struct nap_pool *pool, void (*set_up)(struct nap_worker *worker));

/* Whether a start may be tried now: not shortly after a failed one. */
bool nap__spawn_allowed(struct nap_pool *pool, uint32_t spawned);

/* Sets up a record at its first use; @worker is zeroed memory. */
void nap__record_init(struct nap_pool *pool, struct nap_worker *worker, uint32_t index, bool guest);

/*
 * Takes a free record for a guest, and makes it RECORD_CLAIMED; NULL: none is free, or there is no
 * memory.
 */
struct nap_worker *nap__guest_record(struct nap_pool *pool);

/* Returns how many bytes the records take, guests' included. */
size_t nap__records_size(struct nap_pool *pool);

#endif /* NAP_SPAWN_H */
