/* SPDX-License-Identifier: MIT */
/*
 * RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11, PLDI
 * 2017, sections 3.2 and 3.3), in its own terms, with po for its sb and co for its mo:
 *
 *	rs   = [W] ; (po-loc ; [W])? ; (rf ; rmw)*	(here without the po-loc, as in C++20)
 *	sw   = [release] ; ([F] ; po)? ; rs ; rf ; [R] ; (po ; [F])? ; [acquire]
 *	hb   = (po | sw)+
 *	eco  = (rf | co | fr)+
 *
 *	coherence	hb ; eco? is irreflexive
 *	atomicity	rmw and fr ; co have nothing in common
 *	no thin air	po | rf has no cycle
 *	SC		psc = psc_base | psc_F has no cycle, where
 *
 *	scb      = po | po-elsewhere ; hb ; po-elsewhere | hb-loc | co | fr
 *	psc_base = ([SC] | [F & SC] ; hb?) ; scb ; ([SC] | hb? ; [F & SC])
 *	psc_F    = [F & SC] ; (hb | hb ; eco ; hb) ; [F & SC]
 *
 * hb is computed as events are added (graph.c). The first three axioms hold while a graph is built
 * (model.h). Cycles of psc are found by a walk from what is new (psc.c).
 */
#include "model/model.h"
#include "model/psc.h"

static bool rc11_allows(struct graph *g, unsigned changed, unsigned also)
{
	if (g->nr_sc_fences + g->nr_sc_accesses < 2)
		return true;
	return psc_acyclic_at(g, changed) && (!also || psc_acyclic_at(g, also));
}

const struct model model_rc11 = { .bit = CHECK_RC11, .name = "rc11", .allows = rc11_allows };
