// SPDX-License-Identifier: MIT
/*
 * oneTBB: an arena with a given number of workers. The arena reserves a slot for main only in the
 * rows of trees and regions. Elsewhere main takes part only where it calls execute(): it takes a
 * slot that no worker has, or else a worker runs the function and main waits.
 */
#include "common/count.h"
#include "common/row.h"

#include <memory>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "peers/tbb_trees.h"

namespace tbb = oneapi::tbb;

extern "C" const char row_peer[] = "tbb";

static std::unique_ptr<tbb::global_control> limit;
static std::unique_ptr<tbb::task_arena> arena;
static std::unique_ptr<tbb::task_group> group;

struct item {
	void (*run)(struct item *item);
};

static inline void item_init(struct item *item, void (*run)(struct item *item))
{
	item->run = run;
}

static inline void item_push(struct item *item)
{
	arena->enqueue([item] { item->run(item); });
}

static inline void push_inside(struct item *item)
{
	group->run([item] { item->run(item); });
}
#define item_push_inside push_inside

static void peer_start(const struct size *size)
{
	row_start_apart(size);
	limit.reset(new tbb::global_control(tbb::global_control::max_allowed_parallelism,
					    size->workers + 1));
	arena.reset(new tbb::task_arena((int)size->workers, 0));
	group.reset(new tbb::task_group);
}

static void peer_end(void)
{
	arena->execute([] { group->wait(); });
	group.reset();
	arena.reset();
}

#include "common/idle.h"
#include "common/items_wake.h"

/* A body that the compiler cannot remove. */
static inline void kept(void)
{
	__asm__ volatile("");
}

/* ---- a loop of n bodies, each scheduled alone: the closest thing to a batch */

static void batch(const struct size *size)
{
	tbb::parallel_for(uint64_t(0), size->n, [](uint64_t) { kept(); },
			  tbb::simple_partitioner());
}

static void batch_outside(const struct size *size)
{
	arena->execute([size] { batch(size); });
}

/* ---- a task that makes others, and waits for them by their group, which counts them */

template <typename Begin> static void in_a_group(Begin begin)
{
	count_set(&count, 1);
	arena->enqueue([begin] {
		begin();
		group->wait();
		count_done(&count);
	});
	count_wait(&count);
}

static void worker(const struct size *size)
{
	in_a_group([size] {
		for (uint64_t i = 0; i < size->n; i++)
			group->run([] { kept(); });
	});
}

static uint64_t left;	/* each task follows the one before, so no two tasks write this at once */

static void hop_again(void)
{
	if (--left)
		group->run(hop_again);
}

static void again_in_group(const struct size *size)
{
	left = size->n;
	in_a_group([] { group->run(hop_again); });
}

static void regions(const struct size *size)
{
	for (uint64_t i = 0; i < size->n; i++)
		tbb_for(size, 0, 16, [](int) { row_work(400); });
}

static void regions_row(const struct size *size)
{
	tree_arena(size, [size] { row_time(size, regions); });
}

static const struct row rows[] = {
	ROW_OF("worker", row_time, worker, peer_start, peer_end),
	ROW_OF("again", row_time, again_in_group, peer_start, peer_end),
	ROW_OF("batch", row_time, batch_outside, peer_start, peer_end),
	ROW("regions", regions_row),
	ROWS_END,
};

extern "C" const struct row *const row_tables[] = {
	rows, item_rows, idle_rows, tree_rows, loop_rows, nullptr
};
