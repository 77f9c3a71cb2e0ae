/* SPDX-License-Identifier: MIT */
/* Work that is the same for many: loops. All of it is in nap/nap.h, too. */
#ifndef NAP_PARALLEL_H
#define NAP_PARALLEL_H

#include "for.h"
#include "reduce.h"
#include "sort.h"

#endif /* NAP_PARALLEL_H */
