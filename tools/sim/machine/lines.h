/* SPDX-License-Identifier: MIT */
/*
 * The lines of memory, of 64 bytes, as the caches of the machine have them: MESI, without
 * evictions.
 *
 * Typically a CPU that has a line pays for a hit. A CPU that does not have the line waits until the
 * line is free, and then until it has arrived; only then is the line free for others. So requests
 * for a line are served one after another, in the order of their times.
 */
#ifndef NAP_SIM_LINES_H
#define NAP_SIM_LINES_H

#include "machine/topology.h"

#define LINE_SIZE	64u

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_RMW };

struct line {
	uint64_t sharers[MAX_CPUS / 64];	/* CPUs that have it */
	uint64_t free_at;			/* when it can leave for another CPU */
	uint64_t until;				/* CPU @before has had it until then */
	int16_t owner;				/* the only one that has it; -1: none, or several */
	int16_t before;
	bool touched, dirty;
};

struct moved {
	bool moved;		/* the line came from elsewhere */
	enum far far;
	uint64_t queued;	/* how much of the time the line was not free */
};

/*
 * Says which addresses have lines: @size bytes at @base, which is a multiple of 64. False: there
 * are two such ranges already, or there is no memory for the lines.
 */
bool lines_cover(uintptr_t base, uintptr_t size);

/* Returns the line of @address; NULL: no line covers the address. */
struct line *line_at(uintptr_t address);

/*
 * CPU @cpu accesses @line at the time @now. Returns how long the access takes until it is done,
 * without what an instruction costs in any case.
 */
uint64_t line_access(struct line *line, unsigned cpu, enum access access, uint64_t now,
		     struct moved *moved);

/* Returns the state of the line in the cache of @cpu: 'M', 'E', 'S' or 'I'. */
char line_state(const struct line *line, unsigned cpu);

#endif /* NAP_SIM_LINES_H */
