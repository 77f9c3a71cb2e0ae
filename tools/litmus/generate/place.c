/* SPDX-License-Identifier: MIT */
/*
 * Gives a cycle's accesses their locations and values. A location's accesses follow each other in
 * the cycle, in coherence order. So the first write of a location writes 1, and each later write
 * writes one more than the write before.
 */
#include "generate/cycle.h"

static bool place_locations(struct cycle *cycle)
{
	unsigned changes = 0;

	for (unsigned i = 0; i < cycle->nr; i++)
		changes += !cycle->edge[i].same;
	if (changes == 1)
		return cycle_refuse(cycle, NULL,
				    "one edge leads to another location, none leads back");
	cycle->nr_locations = changes ? changes : 1;
	for (unsigned i = 0, at = 0; i < cycle->nr; i++) {
		cycle->event[i].location = at % cycle->nr_locations;
		at += !cycle->edge[i].same;
	}
	return true;
}

static void place_threads(struct cycle *cycle)
{
	unsigned thread = 0;

	for (unsigned i = 0; i < cycle->nr; i++) {
		cycle->event[i].thread = thread;
		thread += cycle->edge[i].external;
	}
	cycle->nr_threads = thread;
}

/* Whether the event is the first access of a location: no edge says what comes before it. */
static bool location_begins(const struct cycle *cycle, unsigned event)
{
	const struct edge *before = &cycle->edge[(event + cycle->nr - 1) % cycle->nr];

	if (cycle->nr_locations > 1)
		return !before->same;
	/*
	 * All accesses are of one location. The cycle is cut at an edge in program order: the
	 * coherence order along the rest of the cycle contradicts this edge.
	 */
	return before->kind != EDGE_RF && before->kind != EDGE_FR && before->kind != EDGE_CO &&
	       before->kind != EDGE_RMW;
}

static bool place_values(struct cycle *cycle)
{
	unsigned first = 0;

	while (first < cycle->nr && !location_begins(cycle, first))
		first++;
	if (first == cycle->nr)
		return cycle_refuse(cycle, NULL, "one location, and no edge in program order");
	for (unsigned i = 0; i < cycle->nr; i++) {
		struct event *event = &cycle->event[(first + i) % cycle->nr];

		if (event->write)
			cycle->writes[event->location]++;
		event->value = cycle->writes[event->location];
	}
	return true;
}

bool cycle_place(struct cycle *cycle)
{
	place_threads(cycle);
	cycle->nr_events = cycle->nr;
	return place_locations(cycle) && place_values(cycle);
}
