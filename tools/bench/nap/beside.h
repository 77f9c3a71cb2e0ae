/* SPDX-License-Identifier: MIT */
#ifndef NAP_BENCH_NAP_BESIDE_H
#define NAP_BENCH_NAP_BESIDE_H

#include "common/row.h"

/*
 * Calls bench_start(), and starts tasks that keep all workers busy; beside_end() ends the tasks
 * and the pool.
 */
void beside_begin(const struct size *size);
void beside_end(void);

#endif /* NAP_BENCH_NAP_BESIDE_H */
