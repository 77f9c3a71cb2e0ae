/* SPDX-License-Identifier: MIT */
/* Included before a file of src/: what the file would trace goes to the simulator instead. */
#ifndef NAP_SIM_TRACED_H
#define NAP_SIM_TRACED_H

#include "program/variant.h"
#include "worker/trace.h"

#define trace(pool, kind, other, a, b) ((void)(a), (void)(b), sim_traced(kind, other))

#endif /* NAP_SIM_TRACED_H */
