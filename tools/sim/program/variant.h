/* SPDX-License-Identifier: MIT */
/*
 * Changes of nap for which a pool may ask. The files of tools/sim/variant/ query them by these
 * functions, which cost nothing.
 */
#ifndef NAP_SIM_VARIANT_H
#define NAP_SIM_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

enum variant {
	VARIANT_RANDOM = 1,	/* a search for work begins at a random worker */
	VARIANT_NO_TURNS = 2,	/* no queue has a turn before the worker's own */
	/* a push and a search without the fences between them and the idle word */
	VARIANT_ZAP_FENCES = 4,
	/* a compare-exchange that fails is tried again after a pause, twice as long each time */
	VARIANT_BACK_OFF = 16,
	VARIANT_RAYON_FENCES = 8,	/* a thread that stops looking has no fence */
};

/* Set by a pool before it starts. */
void sim_vary(uint32_t variants);
bool sim_is_varied(enum variant variant);

/*
 * Executes a full fence in the function of src/idle/ with this name, unless the pool has asked for
 * none.
 */
void sim_fence_in(const char *function);

/*
 * Called after a compare-exchange: pauses if it has failed and the pool has asked for pauses.
 * Returns whether it has paused.
 */
bool sim_backs_off(bool succeeded);

/*
 * Called where nap would trace an event of @kind (nap/trace_file.h). @other: the index of another
 * worker.
 */
void sim_traced(uint32_t kind, uint32_t other);

#endif /* NAP_SIM_VARIANT_H */
