/* SPDX-License-Identifier: MIT */
/* A cell of the table of waits: tests/fault/waits.h. */
#include "fault/waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"
#include "sync/gate.h"
#include "worker/worker.h"
#include "wrap.h"

uint32_t waits_idle;
uint64_t waits_seed;

_Noreturn void waits_wrong(const struct cell *cell, const char *what, int line)
{
	dprintf(2, "# WRONG: %s, %s, %s: line %d: %s; answer %ld\n", cell->call->name,
		waits_who[cell->who], waits_event[cell->event], line, what, cell->answer);
	if (waits_seed)
		dprintf(2, "# seed %lu\n", (unsigned long)waits_seed);
	_exit(1);
}

/* ---- the pools */

static bool starts_fail(struct nap_pool *pool)
{
	const struct world *world = pool->config.arg;

	return world && (world->no_threads || (world->no_workers && pool == &world->home));
}

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	if (starts_fail(worker->pool))
		return -EAGAIN;
	return __real_nap__os_thread_start(worker, stack_size);
}

uint32_t waits_no_memory;

WRAP(void *, nap__os_map, (size_t size))
{
	return nap_load_relaxed(&waits_no_memory) ? NULL : __real_nap__os_map(size);
}

/*
 * With NAP_FIBERS stacks a child of a fork takes a second under an emulator to give the stacks
 * back, because the emulator goes through all pages of their area. So a pool has few stacks under
 * an emulator. Elsewhere the first fiber maps all stacks.
 */
#ifdef NAP_TEST_EMULATED
static int size_fibers(struct nap_pool *pool)
{
	return nap_fibers_init(pool, &(struct nap_fibers_config){ .most = 64 });
}
#else
static int size_fibers(struct nap_pool *pool)
{
	(void)pool;
	return 0;
}
#endif

static void begin_pool(struct nap_pool *pool, const struct nap_config *config)
{
	/*
	 * The prewarm is the pool's first use, which notes this process. So a child knows that the
	 * pool is its parent's.
	 */
	if (nap_pool_init(pool, config) || size_fibers(pool) || nap_pool_prewarm(pool, 0))
		abort();
}

void waits_begin_world(struct world *world, enum who who, enum event event, uint32_t workers)
{
	struct nap_config config = { .max_workers = workers, .idle = waits_idle, .arg = world };

	memset(world, 0, sizeof(*world));
	world->no_workers = who == HELPER || who == RUNS;
	world->no_threads = event == NO_THREAD;
	begin_pool(&world->other, &config);
	if (who == CLASSED) {
		world->classes.of[NAP_CLASS_BATCH].limit = 1;
		config.classes = &world->classes;
	}
	if (who == STARTS) {
		/* The callback is for home only; the other pool has begun by now. */
		config.worker_start = waits_on_start;
		config.max_workers = WAITS_STARTS;
	}
	begin_pool(&world->home, &config);
}

/* Closes the serial queues that are among the tasks of a stopped pool. */
static void drop_queues(const struct cell *cell, struct nap_batch *left)
{
	struct nap_batch none = NAP_BATCH_INIT;
	struct nap_task *task;

	while ((task = nap_batch_pop(left))) {
		struct nap_serial *serial = nap_serial_of(task);

		WAITS_CHECK(cell, serial);
		WAITS_CHECK(cell, nap_serial_close(serial, &none) == 0 && !none.count);
	}
}

/* Joins the pool, and checks that no task is left and no thread is inside. */
static void end_pool(const struct cell *cell, struct nap_pool *pool)
{
	struct nap_batch left = NAP_BATCH_INIT;
	int err = nap_pool_join(pool, &left);

	WAITS_CHECK(cell, err == 0 || err == -EALREADY);
	drop_queues(cell, &left);
	WAITS_CHECK(cell, pool->visits / GATE_ONE == 0 && pool->intake / GATE_ONE == 0);
	WAITS_CHECK(cell, pool->waiters == 0);
}

void waits_end_world(struct world *world, const struct cell *cell)
{
	end_pool(cell, &world->home);
	end_pool(cell, &world->other);
}

/* ---- the steps */

void waits_begin(struct cell *cell)
{
	const struct call *call = cell->call;

	cell->timeout = cell->event == ZERO || cell->event == PAST ? 0 :
			cell->event == SOON ? SOON_NS : NAP_FOREVER;
	/* No event ends this wait, so the call gets a time limit. */
	if (((call->flags & ENDS_ITSELF) && cell->stays) ||
	    (waits_is_fork(cell->event) && strchr("0T", cell->code)))
		cell->timeout = SOON_NS;
	if (call->init)
		call->init(cell);
	waits_launch(cell);
}

/* Returns when the caller has returned, or sleeps in its call. */
void waits_settle(struct cell *cell, unsigned long looks)
{
	while (!waits_is_set(&cell->returned) && !waits_is_asleep(cell) && --looks)
		usleep(20);
}

void waits_give(struct cell *cell)
{
	if (cell->given)
		return;
	cell->given = true;
	if (cell->call->possible)
		cell->call->possible(cell);
}

/* Waits until the caller has returned. After a stop the wait of a fiber ends in the join. */
static void await_return(struct cell *cell)
{
	if (cell->world->home_stops && waits_is_fiber(cell->who) && strchr("C?", cell->code) &&
	    !waits_is_set(&cell->returned))
		nap_pool_join(&cell->world->home, NULL);
	while (!waits_is_set(&cell->returned))
		usleep(20);
}

void waits_end(struct cell *cell)
{
	if (cell->stays)
		waits_give(cell);
	await_return(cell);
	nap_store_relaxed(&waits_no_memory, false);
	if (cell->call->left)
		WAITS_CHECK(cell, cell->call->left(cell));
	waits_finish_event(cell);
}

/* Whether the caller has to sleep before the event. */
static bool is_to_sleep(enum event event)
{
	return event != POSSIBLE && event != ZERO && event != PAST && event != SOON &&
	       !waits_is_fork(event);
}

void waits_init(struct cell *cell, const struct call *call, enum who who, enum event event,
		struct world *world)
{
	memset(cell, 0, sizeof(*cell));
	cell->call = call;
	cell->who = who;
	cell->event = event;
	cell->world = world;
	cell->code = waits_expected(call, who, event).code;
	cell->stays = (cell->code == '0' && event != POSSIBLE && !waits_is_fork(event)) ||
		      (cell->code == '?' && event == STOPS && (call->flags & JOIN_NEEDS_IT));
}

char waits_run_cell(const struct call *call, enum who who, enum event event)
{
	static struct world world;
	static struct cell cell;

	waits_begin_world(&world, who, event, 3);
	world.home_stops = call->flags & STOPS_HOME;
	world.no_workers |= (call->flags & ALONE) && !waits_is_inside(who);
	waits_init(&cell, call, who, event, &world);
	waits_begin(&cell);
	waits_before(&cell);
	if (is_to_sleep(event))
		waits_settle(&cell, 0);
	waits_meanwhile(&cell);
	waits_end(&cell);
	waits_finish_caller(&cell);
	waits_end_world(&world, &cell);
	return waits_code(cell.answer);
}
