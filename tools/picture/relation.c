/* SPDX-License-Identifier: MIT */
#include "picture/layout.h"

static const struct { const char *name, *class, *meaning; } relations[PICTURE_RELATIONS] = {
	[PICTURE_PO] = { "po", "nap-po", "program order" },
	[PICTURE_RF] = { "rf", "nap-rf", "a read reads from this write" },
	[PICTURE_CO] = { "co", "nap-co", "the order of a location\xe2\x80\x99s writes" },
	[PICTURE_FR] = { "fr", "nap-fr", "a read comes before this write" },
	[PICTURE_ADDR] = { "addr", "nap-addr nap-dep", "the address depends on the read" },
	[PICTURE_DATA] = { "data", "nap-data nap-dep", "the value depends on the read" },
	[PICTURE_CTRL] = { "ctrl", "nap-dep nap-ctrl", "a branch before it depends on the read" },
	[PICTURE_RMW] = { "rmw", "nap-rmw", "two halves of one operation" },
	[PICTURE_FENCED] = { "fence", "nap-fenced", "in order because of the fence between" },
	[PICTURE_SECTION] = { "section", "nap-section",
			      "the begin and the end of a critical section of RCU" },
	[PICTURE_START] = { "sync", "nap-start", "a thread starts, ends or is woken" },
	[PICTURE_ORDER] = { "order", "nap-order", "a part of the model" },
};

const char *relation_name(enum picture_relation relation)
{
	return relations[relation].name;
}

const char *relation_class(enum picture_relation relation)
{
	return relations[relation].class;
}

const char *relation_meaning(enum picture_relation relation)
{
	return relations[relation].meaning;
}

const char *edge_label_of(const struct picture_edge *edge)
{
	if (edge->label)
		return edge->label;
	/*
	 * A plain arrow down a column, and an edge from an initial value, need no name beside them.
	 */
	if (!edge->red && (edge->relation == PICTURE_PO || edge->from == PICTURE_INITIAL))
		return "";
	return relations[edge->relation].name;
}
