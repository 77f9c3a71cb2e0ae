/* SPDX-License-Identifier: MIT */
/*
 * Watching threads. A location's final value says which of its writes is the last. If there are
 * more than two writes, and the writing threads do not show their order, another thread has to
 * read them.
 */
#include "generate/cycle.h"

static unsigned find_write(const struct cycle *cycle, unsigned location, unsigned value)
{
	for (unsigned i = 0; ; i++)
		if (cycle->event[i].write && cycle->event[i].location == location &&
		    cycle->event[i].value == value)
			return i;
}

/*
 * Whether the thread of the later write has read the earlier write, or has written it, before the
 * later one: then coherence orders the two writes.
 */
static bool shows(const struct cycle *cycle, unsigned earlier, unsigned later)
{
	unsigned next = (earlier + 1) % cycle->nr;
	unsigned thread = cycle->event[later].thread;

	if (cycle->event[earlier].thread == thread)
		return true;
	return cycle->edge[earlier].kind == EDGE_RF && cycle->event[next].thread == thread;
}

static bool needs_watcher(const struct cycle *cycle, unsigned location)
{
	for (unsigned value = 1; value + 1 < cycle->writes[location]; value++)
		if (!shows(cycle, find_write(cycle, location, value),
			   find_write(cycle, location, value + 1)))
			return true;
	return false;
}

static void add_watcher(struct cycle *cycle, unsigned location)
{
	for (unsigned value = 1; value < cycle->writes[location]; value++) {
		unsigned i = cycle->nr_events++;

		cycle->event[i] = (struct event) {
			.order = ORDER_PLAIN, .thread = cycle->nr_threads, .location = location,
			.value = value,
		};
		cycle->edge[i] = (struct edge) { .kind = EDGE_PO, .same = true };
	}
	cycle->nr_threads++;
}

bool cycle_watch(struct cycle *cycle)
{
	for (unsigned location = 0; location < cycle->nr_locations; location++) {
		if (!needs_watcher(cycle, location))
			continue;
		if (cycle->nr_threads == TEST_THREADS)
			return cycle_refuse(cycle, NULL, "[%c] has %u writes: needs a thread that "
					    "watches, more than %d", location_name(location),
					    cycle->writes[location], TEST_THREADS);
		add_watcher(cycle, location);
	}
	return true;
}
