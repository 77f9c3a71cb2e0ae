/* SPDX-License-Identifier: MIT */
/*
 * A memory model says which execution graphs it allows. It is a file, and a line in models.c.
 *
 * What all models share holds while a graph is built: no cycle in po | rf, because events are added
 * along it; coherence; and no write between the halves of a read-modify-write (coherence.c). A
 * model has only what it demands in addition.
 */
#ifndef NAP_CHECK_MODEL_H
#define NAP_CHECK_MODEL_H

#include "graph/graph.h"

#define MAX_FENCES	512	/* seq_cst fences; also those that pair with membarrier */

struct model {
	unsigned bit;		/* CHECK_SC and so on */
	const char *name;	/* on the command line, and in verdicts */
	/* A machine's: reads acquire and writes release, whatever the program says. */
	bool is_machine;
	/* Later stores of its thread belong to the release sequence that a release begins. */
	bool stores_continue;
	/*
	 * Whether @g is allowed, if it was allowed without its events @changed and @also (or 0).
	 * Each of the two is the last event of its thread.
	 */
	bool (*allows)(struct graph *g, unsigned changed, unsigned also);
};

#define NR_MODELS 5
extern const struct model *const models[NR_MODELS];

/* NULL if no model has this name. */
const struct model *model_named(const char *name);
const struct model *model_of(unsigned bit);

extern const struct model model_sc, model_tso, model_rc11, model_c11, model_c20;

/* Whether the model can judge one more event than @g has. */
#define FENCES_ARE_FULL "the bound on seq_cst fences"
static inline bool model_has_room(const struct graph *g)
{
	return g->nr_sc_fences < MAX_FENCES && g->nr_barriers < MAX_FENCES;
}

#endif /* NAP_CHECK_MODEL_H */
