/* SPDX-License-Identifier: MIT */
/*
 * Headers for what runs on all workers at once: loops, reductions, sorts. nap/nap.h includes them,
 * too.
 */
#ifndef NAP_PARALLEL_H
#define NAP_PARALLEL_H

#include "for.h"
#include "reduce.h"
#include "sort.h"
#include "sort_define.h"

#endif /* NAP_PARALLEL_H */
