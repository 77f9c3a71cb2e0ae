/* SPDX-License-Identifier: MIT */
#ifndef NAP_BENCH_TBB_TREES_H
#define NAP_BENCH_TBB_TREES_H

#include "common/row.h"

#include <string.h>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

extern const struct row tree_rows[];
extern "C" const struct row loop_rows[];

/* Runs @work. Main is one of the workers, as any thread that calls TBB. */
template <typename Work> void tree_arena(const struct size *size, Work work)
{
	oneapi::tbb::global_control limit(
		oneapi::tbb::global_control::max_allowed_parallelism, size->workers);
	oneapi::tbb::task_arena arena((int)size->workers);

	arena.execute(work);
}

/*
 * Runs a loop by the default partitioner, which splits parts on demand, or in equal parts if HOW is
 * "static".
 */
template <typename Index, typename Turn>
void tbb_for(const struct size *size, Index from, Index to, Turn turn)
{
	if (strcmp(size->how, "static"))
		oneapi::tbb::parallel_for(from, to, turn);
	else
		oneapi::tbb::parallel_for(from, to, turn, oneapi::tbb::static_partitioner());
}

#endif /* NAP_BENCH_TBB_TREES_H */
