/* SPDX-License-Identifier: MIT */
/* An edge's word: its kind, [sd] same or different location, R or W, an order for each end. */
#include <string.h>

#include "generate/cycle.h"

/* The part of a word between its kind and the orders. */
enum shape {
	SHAPE_NONE,
	SHAPE_TO,			/* dR: from a read */
	SHAPE_BOTH,			/* dWR */
};

static const struct form {
	const char *prefix, *name;
	enum edge_kind kind;
	enum shape shape;
	bool external, from_write, to_write;
} forms[] = {
	{ "Rfe", "rfe", EDGE_RF, SHAPE_NONE, true, true, false },
	{ "Fre", "fre", EDGE_FR, SHAPE_NONE, true, false, true },
	{ "Coe", "coe", EDGE_CO, SHAPE_NONE, true, true, true },
	{ "Wse", "coe", EDGE_CO, SHAPE_NONE, true, true, true },
	{ "Rfi", "rfi", EDGE_RF, SHAPE_NONE, false, true, false },
	{ "Fri", "fri", EDGE_FR, SHAPE_NONE, false, false, true },
	{ "Coi", "coi", EDGE_CO, SHAPE_NONE, false, true, true },
	{ "Wsi", "coi", EDGE_CO, SHAPE_NONE, false, true, true },
	{ "Po", "po", EDGE_PO, SHAPE_BOTH, false, false, false },
	{ "DpAddr", "addr", EDGE_ADDR, SHAPE_TO, false, false, false },
	{ "DpData", "data", EDGE_DATA, SHAPE_TO, false, false, false },
	{ "DpCtrl", "ctrl", EDGE_CTRL, SHAPE_TO, false, false, false },
	{ "DpCtrlIsb", "ctrlisb", EDGE_CTRL_FENCE, SHAPE_TO, false, false, false },
	{ "DpCtrlFenceI", "ctrlfencei", EDGE_CTRL_FENCE, SHAPE_TO, false, false, false },
};

bool order_read(const struct language *language, const char *word, int length, enum order *order)
{
	for (const struct order_name *o = language->orders; o->word; o++) {
		if ((int)strlen(o->word) == length && !memcmp(o->word, word, length)) {
			*order = o->order;
			return true;
		}
	}
	return false;
}

/* Takes the names of two orders, one after the other; or nothing. */
static bool take_orders(struct cycle *cycle, struct edge *edge, const char *at)
{
	int length = (int)(edge->word + edge->length - at);

	if (!length)
		return true;
	for (int first = 1; first < length; first++)
		if (order_read(cycle->language, at, first, &edge->from) &&
		    order_read(cycle->language, at + first, length - first, &edge->to))
			return true;
	return cycle_refuse(cycle, edge, "expected the orders of two accesses, not `%.*s`", length,
			    at);
}

static bool take_direction(struct cycle *cycle, struct edge *edge, const char **at, bool *write)
{
	const char *end = edge->word + edge->length;

	if (*at == end || (**at != 'R' && **at != 'W'))
		return cycle_refuse(cycle, edge, "expected R or W");
	*write = *(*at)++ == 'W';
	return true;
}

static bool take_shape(struct cycle *cycle, struct edge *edge, const char *at, enum shape shape)
{
	const char *end = edge->word + edge->length;

	if (shape == SHAPE_NONE)
		return take_orders(cycle, edge, at);
	if (at == end || (*at != 's' && *at != 'd'))
		return cycle_refuse(cycle, edge,
				    "expected s or d, for the same or a different location");
	edge->same = *at++ == 's';
	if (shape == SHAPE_BOTH && !take_direction(cycle, edge, &at, &edge->from_write))
		return false;
	return take_direction(cycle, edge, &at, &edge->to_write) && take_orders(cycle, edge, at);
}

static bool starts(const struct edge *edge, const char *prefix)
{
	size_t length = strlen(prefix);

	return (size_t)edge->length >= length && !memcmp(edge->word, prefix, length);
}

/* Whether the word begins with @prefix, and @prefix is longer than @found. */
static bool better(const struct edge *edge, const char *prefix, const char *found)
{
	return starts(edge, prefix) && (!found || strlen(prefix) > strlen(found));
}

static const struct form *find_form(const struct edge *edge)
{
	const struct form *found = NULL;

	for (const struct form *f = forms; f < forms + sizeof(forms) / sizeof(*forms); f++)
		if (better(edge, f->prefix, found ? found->prefix : NULL))
			found = f;
	return found;
}

static const struct spelling *find_spelling(const struct edge *edge, const struct spelling *list)
{
	const struct spelling *found = NULL;

	for (; list->edge; list++)
		if (better(edge, list->edge, found ? found->edge : NULL))
			found = list;
	return found;
}

static bool take_form(struct cycle *cycle, struct edge *edge, const struct form *form)
{
	const struct language *language = cycle->language;

	edge->kind = form->kind;
	edge->name = form->name;
	edge->external = form->external;
	edge->same = form->shape == SHAPE_NONE;
	edge->from_write = form->from_write;
	edge->to_write = form->to_write;
	if (form->shape == SHAPE_TO && !language->has_dependencies)
		return cycle_refuse(cycle, edge, "no dependencies in %s", language->title);
	if (form->kind == EDGE_CTRL_FENCE && !language->control_fence)
		return cycle_refuse(cycle, edge, "no such fence in %s", language->title);
	if (!take_shape(cycle, edge, edge->word + strlen(form->prefix), form->shape))
		return false;
	if (form->kind == EDGE_DATA && !edge->to_write)
		return cycle_refuse(cycle, edge, "expected W: data is what a write depends on");
	return true;
}

/* Takes a fence: by a name of the dialect's own, or Fence, its full fence. */
static bool take_fence(struct cycle *cycle, struct edge *edge, const struct spelling *fence)
{
	const char *prefix = fence ? fence->edge : "Fence";

	edge->kind = EDGE_FENCE;
	edge->spelling = fence ? fence : cycle->language->fences;
	edge->name = edge->spelling->name;
	return take_shape(cycle, edge, edge->word + strlen(prefix), SHAPE_BOTH);
}

static bool take_rmw(struct cycle *cycle, struct edge *edge, const struct spelling *rmw)
{
	edge->kind = EDGE_RMW;
	edge->spelling = rmw;
	edge->name = rmw->name;
	edge->same = true;
	edge->to_write = true;
	return take_orders(cycle, edge, edge->word + strlen(rmw->edge));
}

bool edge_read(struct cycle *cycle, struct edge *edge)
{
	const struct form *form = find_form(edge);
	const struct spelling *fence = find_spelling(edge, cycle->language->fences);
	const struct spelling *rmw = find_spelling(edge, cycle->language->rmws);

	if (rmw)
		return take_rmw(cycle, edge, rmw);
	if (fence || starts(edge, "Fence"))
		return take_fence(cycle, edge, fence);
	if (form)
		return take_form(cycle, edge, form);
	return cycle_refuse(cycle, edge, "no such edge in %s", cycle->language->title);
}
