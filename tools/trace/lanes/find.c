/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "file/memory.h"
#include "lanes/build.h"

static uint32_t *slot_of(const struct build *build, enum lane_kind kind, uint64_t id)
{
	const struct lane *lanes = build->trace->lane;
	size_t mask = build->nr_slots - 1;
	size_t i = (size_t)(((id + 1) * 0x9e3779b97f4a7c15u + kind) >> 32) & mask;

	while (build->slots[i] &&
	       (lanes[build->slots[i] - 1].kind != kind || lanes[build->slots[i] - 1].id != id))
		i = (i + 1) & mask;
	return &build->slots[i];
}

static void more_slots(struct build *build)
{
	struct trace *trace = build->trace;

	free(build->slots);
	build->nr_slots = build->nr_slots ? 2 * build->nr_slots : 64;
	build->slots = resize(NULL, build->nr_slots, sizeof(*build->slots));
	memset(build->slots, 0, build->nr_slots * sizeof(*build->slots));
	for (size_t i = 0; i < trace->nr_lanes; i++)
		*slot_of(build, trace->lane[i].kind, trace->lane[i].id) = (uint32_t)i + 1;
}

uint32_t lane_of(struct build *build, enum lane_kind kind, uint64_t id, int64_t now)
{
	struct trace *trace = build->trace;
	uint32_t *slot;

	if (2 * trace->nr_lanes >= build->nr_slots)
		more_slots(build);
	slot = slot_of(build, kind, id);
	if (!*slot) {
		trace->lane = grow(trace->lane, trace->nr_lanes, sizeof(*trace->lane));
		trace->lane[trace->nr_lanes++] = (struct lane){
			.kind = kind,
			.id = id,
			.name = NOWHERE,
			.first = now,
			.begun = now,
			.last = now,
		};
		*slot = (uint32_t)trace->nr_lanes;
	}
	return *slot - 1;
}
