/* SPDX-License-Identifier: MIT */
#ifndef NAP_BENCH_GLIB_MORE_H
#define NAP_BENCH_GLIB_MORE_H

#include "common/row.h"

extern const struct row more_rows[];

#endif /* NAP_BENCH_GLIB_MORE_H */
