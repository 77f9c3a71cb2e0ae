/* SPDX-License-Identifier: MIT */
/* What a pool may have changed in nap: the files of tools/sim/variant/ ask. Costs nothing. */
#ifndef NAP_SIM_VARIANT_H
#define NAP_SIM_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

enum variant {
	VARIANT_RANDOM = 1,	/* a search for work begins at a random worker */
};

/* Set by a pool before it starts. */
void sim_vary(uint32_t variants);
bool sim_is_varied(enum variant variant);

/* nap would trace an event of this kind (nap/trace_file.h); @other: the index of another worker. */
void sim_traced(uint32_t kind, uint32_t other);

#endif /* NAP_SIM_VARIANT_H */
