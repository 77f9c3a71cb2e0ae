/* SPDX-License-Identifier: MIT */
/* The driver. The model that checks the actors is in mixed.h. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "mixed.h"
#include "watchdog_print.h"

static const uint8_t *bytes;
static size_t nr_bytes;
struct nap_pool *pools[POOLS];
struct nap_serial serials[SERIALS];
struct nap_cq loop;
struct nap_submitter submitter;
static struct nap_slot slots[SLOTS];
static struct nap_classes *classes;
uint32_t let_go, ending[POOLS], stopping[POOLS];

void fuzz_print(void)
{
	for (int i = 0; i < POOLS; i++)
		if (pools[i])
			watch_pool(pools[i]);
	print_watched();
}

uint32_t byte_at(uint32_t at)
{
	return nr_bytes ? bytes[at % nr_bytes] : 0;
}

/*
 * Returns the time limit of a wait. Only fibers wait for ever: a fiber has its own stack, on which
 * nothing else waits.
 */
uint64_t time_of(const struct call *call)
{
	static const uint64_t times[] = { 0, 20 * US, 200 * US, NAP_FOREVER };
	uint32_t which = call->how % 4;

	if (nap_load_relaxed(&let_go))
		return 0;
	return times[which == 3 && call->actor->kind != FIBER ? 2 : which];
}

bool is_no_wait(int err)
{
	if (err == -ESHUTDOWN)
		return nap_load_relaxed(&ending[0]) || nap_load_relaxed(&ending[1]);
	return err == -ETIMEDOUT || err == -ECANCELED;
}

/* ---- beginning */

static void *aligned(size_t size)
{
	void *memory = aligned_alloc(NAP__CACHE_LINE, size);

	if (!memory)
		abort();
	return memset(memory, 0, size);
}

static void begin_pool(uint32_t p)
{
	struct nap_config config = { .max_workers = 1 + byte_at(p) % 3, .most_workers = 3,
				     .idle = byte_at(p) / 4 % 3, .classes = p ? NULL : classes };
	struct nap_fibers_config fibers = { .stack_size = 32768, .most = 6 + byte_at(2) % 32,
					     .unbegun = fiber_left };

	pools[p] = aligned(sizeof(*pools[p]));
	CHECK(!nap_pool_init(pools[p], &config), p);
	CHECK(!nap_fibers_init(pools[p], &fibers), p);
	ending[p] = stopping[p] = 0;
}

static void begin(void)
{
	let_go = 0;
	classes = aligned(sizeof(*classes));
	classes->of[NAP_CLASS_BATCH].limit = 1;
	for (uint32_t p = 0; p < POOLS; p++)
		begin_pool(p);
	for (int i = 0; i < SERIALS; i++)
		CHECK(!nap_serial_init(&serials[i], pools[0]), i);
	CHECK(!nap_cq_init(&loop), 0);
	CHECK(!nap_submit_init(&submitter, pools[0], slots, SLOTS, 0, 0, NULL, NULL), 0);
	actors_begin();
	sync_begin();
	values_begin();
	life_begin();
}

static void start_actors(void)
{
	uint32_t n = 1 + byte_at(3) % 10;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t how = byte_at(4 + i % 8);
		enum kind kind = (enum kind)((how + i) % THREAD);
		bool in_pool = kind == FIBER || kind == TASK;
		struct actor *actor = actor_take(kind, in_pool ? how >> 4 & 1 : 0);

		if (actor)
			actor_start(actor, how >> 3, NULL);
	}
}

/* ---- ending */

static void shut_down(uint32_t p)
{
	bool stop = byte_at(12) >> p & 1;

	nap_store_relaxed(&ending[p], 1);
	if (stop)
		nap_store_relaxed(&stopping[p], 1);
	nap_pool_shutdown(pools[p], stop ? NAP_STOP : NAP_DRAIN);
}

static void turn_of_loop(uint32_t n)
{
	while (n--) {
		nap_cq_run(&loop, 0);
		sched_yield();
	}
}

/* Joins the pool. Until the join is over, runs the loop on which works end. */
static void join(uint32_t p, struct nap_batch *left)
{
	int err;

	do {
		nap_cq_run(&loop, 0);
		err = nap_pool_join_for(pools[p], left, 1000 * US);
	} while (err == -ETIMEDOUT);
	CHECK(!err, err);
	take_left(left);
}

/*
 * Ends both pools. @thread may wait for a fiber of a stopped pool; such a fiber ends only in the
 * join.
 */
static void end_pools(pthread_t thread)
{
	struct nap_batch left = NAP_BATCH_INIT;
	uint32_t first = stopping[0] != stopping[1] ? stopping[1] : byte_at(12) >> 4 & 1;

	/*
	 * A stopped pool is joined first. Its fibers end only in this join, and may own what fibers
	 * of the other pool wait for.
	 */
	join(first, &left);
	sync_let_go();
	join(!first, &left);
	CHECK(!pthread_join(thread, NULL), 0);
	for (int i = 0; i < SERIALS; i++)
		CHECK(!nap_serial_close(&serials[i], &left), i);
	nap_cq_close(&loop, &left);
	take_left(&left);
}

/*
 * Waits until no fiber of the pool lives. No wait lasts for ever by now, so a fiber that still
 * lives hangs.
 */
static void await_rest(uint32_t p)
{
	struct nap_fiber_stats stats = { .live = 1 };

	if (byte_at(12) >> 5 & 1 || nap_load_relaxed(&ending[0]) || nap_load_relaxed(&ending[1]))
		return;
	while (stats.live) {
		nap_cq_run(&loop, 0);
		nap_pool_quiesce_for(pools[p], 1000 * US);
		CHECK(!nap_fiber_get_stats(pools[p], &stats), p);
	}
}

static void let_all_go(void)
{
	nap_store_relaxed(&let_go, 1);
	sync_let_go();
	values_let_go();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct actor *outside;
	pthread_t thread;

	bytes = data;
	nr_bytes = size;
	seam_begin();
	begin();
	outside = actor_take(THREAD, 0);
	outside->accepted = 1;
	CHECK(!pthread_create(&thread, NULL, thread_main, outside), 0);
	start_actors();
	turn_of_loop(byte_at(13) % 32);
	if (byte_at(12) & 4)
		shut_down(byte_at(12) >> 6 & 1);
	turn_of_loop(byte_at(14) % 32);
	let_all_go();
	for (uint32_t p = 0; p < POOLS; p++)
		await_rest(p);
	if (byte_at(12) & 8)
		for (uint32_t p = 0; p < POOLS; p++)
			shut_down(p);
	for (uint32_t p = 0; p < POOLS; p++)
		nap_store_relaxed(&ending[p], 1);
	end_pools(thread);
	actors_check();
	sync_check();
	values_check();
	life_check();
	for (uint32_t p = 0; p < POOLS; p++) {
		free(pools[p]);
		pools[p] = NULL;
	}
	free(classes);
	seam_end();
	return 0;
}
