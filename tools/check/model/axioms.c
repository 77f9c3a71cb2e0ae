/* SPDX-License-Identifier: MIT */
/*
 * What a model demands beyond coherence: that some relation over the whole graph has no cycle.
 *
 *	rc11	psc (psc.c)
 *	sc	po | rf | co | fr (machine.c)
 *	tso	ppo | rfe | co | fr (machine.c)
 *
 * No model has cycles in po | rf: graphs are built along it.
 */
#include "model/axioms.h"

bool axioms_hold(struct graph *g, unsigned changed, unsigned also)
{
	if (options.model != CHECK_RC11)
		return on_no_cycle(g, changed) && (!also || on_no_cycle(g, also)) &&
		       (!heavy_fences || barriers_acyclic(g));
	if (g->nr_sc_fences + g->nr_sc_accesses < 2)
		return true;
	if (!g->nr_sc_accesses && !may_close(g, &g->event[changed]) &&
	    (!also || !may_close(g, &g->event[also])))
		return true;
	return psc_acyclic(g);
}
