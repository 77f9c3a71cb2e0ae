/* SPDX-License-Identifier: MIT */
#include "file/raw.h"
#include "lanes/build.h"

uint32_t victim_of(struct build *build, const struct event *event)
{
	const struct nap_trace_file *head = &build->trace->raw->head;
	uint32_t other = event->at.other;

	if (other == NAP_TRACE_NOBODY ||
	    (other >= head->capacity && other - head->capacity < head->guests))
		return NOWHERE;
	return lane_of(build, LANE_WORKER, other, event->ns);
}

void steal(struct build *build, const struct event *event)
{
	uint32_t victim = victim_of(build, event);
	struct lane *lane = &build->trace->lane[event->lane];

	lane->stolen = victim == NOWHERE ? 0 : event->at.b;
	lane->victim = victim;
}
