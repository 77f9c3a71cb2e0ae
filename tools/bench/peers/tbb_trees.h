/* SPDX-License-Identifier: MIT */
#ifndef NAP_BENCH_TBB_TREES_H
#define NAP_BENCH_TBB_TREES_H

#include "common/row.h"

#include <oneapi/tbb/global_control.h>
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

#endif /* NAP_BENCH_TBB_TREES_H */
