// SPDX-License-Identifier: MIT
/* oneTBB: an arena with a given number of workers, without a slot for main except for trees. */
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

#include "common/items_wake.h"

/* ---- a loop of n bodies, each scheduled alone: the closest thing to a batch */

static void batch(const struct size *size)
{
	tbb::parallel_for(uint64_t(0), size->n, [](uint64_t) { count_done(&count); },
			  tbb::simple_partitioner());
}

static void batch_outside(const struct size *size)
{
	count_set(&count, size->n);
	arena->execute([size] { batch(size); });
}

static void regions(const struct size *size)
{
	for (uint64_t i = 0; i < size->n; i++)
		tbb::parallel_for(0, 16, [](int) { row_work(400); }, tbb::simple_partitioner());
}

static void regions_row(const struct size *size)
{
	tree_arena(size, [size] { row_time(size, regions); });
}

static const struct row rows[] = {
	ROW_OF("batch", row_time, batch_outside, peer_start, peer_end),
	ROW("regions", regions_row),
	ROWS_END,
};

extern "C" const struct row *const row_tables[] = { item_rows, rows, tree_rows, loop_rows, nullptr };
