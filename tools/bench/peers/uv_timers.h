/* SPDX-License-Identifier: MIT */
#ifndef NAP_BENCH_UV_TIMERS_H
#define NAP_BENCH_UV_TIMERS_H

#include "common/row.h"

extern const struct row timer_rows[];

#endif /* NAP_BENCH_UV_TIMERS_H */
