/* SPDX-License-Identifier: MIT */
#include "machine/lines.h"

#include <string.h>
#include <sys/mman.h>

#define L1_LINES	512u

/*
 * Where the tables are: in every run at the same address, because addresses in the tables choose
 * the sets of l1[].
 */
#define TABLES		((char *)0x200000000000)
#define TABLE_SIZE	((uintptr_t)1 << 34)

static struct range {
	uintptr_t base, size;
	struct line *lines;
} ranges[2];

/*
 * The lines in each CPU's L1: in each set the one that was used last. The other lines that the CPU
 * has are in its L2.
 */
static const struct line *l1[MAX_CPUS][L1_LINES];

bool lines_cover(uintptr_t base, uintptr_t size)
{
	for (int i = 0; i < 2; i++) {
		struct range *range = &ranges[i];

		if (range->size)
			continue;
		range->lines = mmap(TABLES + (uintptr_t)i * TABLE_SIZE,
				    size / LINE_SIZE * sizeof(struct line), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				    MAP_FIXED_NOREPLACE, -1, 0);
		if (range->lines == MAP_FAILED)
			return false;
		range->base = base;
		range->size = size;
		return true;
	}
	return false;
}

struct line *line_at(uintptr_t address)
{
	for (int i = 0; i < 2; i++)
		if (address - ranges[i].base < ranges[i].size)
			return &ranges[i].lines[(address - ranges[i].base) / LINE_SIZE];
	return NULL;
}

static bool has(const struct line *line, unsigned cpu)
{
	return line->sharers[cpu / 64] >> cpu % 64 & 1;
}

static void only(struct line *line, unsigned cpu)
{
	memset(line->sharers, 0, sizeof(line->sharers));
	line->sharers[cpu / 64] = (uint64_t)1 << cpu % 64;
	line->owner = (int16_t)cpu;
}

/*
 * Returns what an access to a line that the CPU has costs, by whether it is in the L1 or in the L2;
 * puts the line into the L1.
 */
static uint64_t near(struct line *line, unsigned cpu)
{
	const struct line **set = &l1[cpu][((uintptr_t)line - (uintptr_t)TABLES) / sizeof(*line) %
					   L1_LINES];
	uint64_t cost = *set == line ? machine.l1 : machine.l2;

	*set = line;
	return cost;
}

/* Returns how long the way is from the nearest other CPU that has the line, or to the farthest. */
static uint64_t way(const struct line *line, unsigned cpu, bool farthest, enum far *far)
{
	uint64_t best = farthest ? 0 : UINT64_MAX;

	for (unsigned w = 0; w < MAX_CPUS / 64; w++)
		for (uint64_t set = line->sharers[w]; set; set &= set - 1) {
			unsigned other = w * 64 + (unsigned)__builtin_ctzll(set);
			enum far is;
			uint64_t ps;

			if (other == cpu)
				continue;
			ps = topology_distance(&machine, other, cpu, &is);
			if (farthest ? ps > best : ps < best) {
				best = ps;
				*far = is;
			}
			if (!farthest && is == FAR_CLUSTER)
				return best;
		}
	/* No other CPU shares the line, but the directory has to be asked all the same. */
	if (!best || best == UINT64_MAX) {
		*far = FAR_CLUSTER;
		best = machine.in_cluster;
	}
	return best;
}

/*
 * The line leaves its owner when the request has reached the owner, after half of the time @ps that
 * the line takes. A request that has waited for the line (@queued) has reached the owner already.
 * Until the line leaves, the owner has it.
 */
static void leaves_owner(struct line *line, uint64_t start, uint64_t queued, uint64_t ps)
{
	line->before = line->owner;
	line->until = start + (queued ? 0 : ps / 2);
}

static uint64_t fetch(struct line *line, unsigned cpu, enum access access, uint64_t now,
		      struct moved *moved)
{
	uint64_t start = now > line->free_at ? now : line->free_at, ps;

	*moved = (struct moved){ .moved = true, .queued = start - now };
	if (!line->touched) {
		moved->far = FAR_MEMORY;
		ps = machine.memory;
		line->touched = true;
		line->before = -1;
		line->dirty = access != ACCESS_READ;
		only(line, cpu);
	} else if (access != ACCESS_READ) {
		ps = way(line, cpu, true, &moved->far);
		leaves_owner(line, start, moved->queued, ps);
		only(line, cpu);
		line->dirty = true;
	} else {
		ps = way(line, cpu, false, &moved->far);
		leaves_owner(line, start, moved->queued, ps);
		line->sharers[cpu / 64] |= (uint64_t)1 << cpu % 64;
		/*
		 * Once two CPUs have copies, the next level of the caches has a copy, too, and
		 * serves later requests.
		 */
		line->free_at = start + (line->owner >= 0 ? ps : machine.serve);
		line->owner = -1;
		line->dirty = false;
		return start - now + ps;
	}
	line->free_at = start + ps + machine.hold;
	return start - now + ps;
}

uint64_t line_access(struct line *line, unsigned cpu, enum access access, uint64_t now,
		     struct moved *moved)
{
	bool here = access == ACCESS_READ ? line->touched && has(line, cpu) :
		line->touched && line->owner == (int16_t)cpu;
	uint64_t ps = 0;

	moved->moved = false;
	if (!here && line->touched && line->before == (int16_t)cpu && now < line->until)
		here = true;
	else if (here && access != ACCESS_READ)
		line->dirty = true;
	ps = here ? 0 : fetch(line, cpu, access, now, moved);
	ps += here ? near(line, cpu) : (near(line, cpu), 0);
	if (access != ACCESS_RMW)
		return ps;
	/* A locked operation keeps the line until it is done. */
	if (line->owner == (int16_t)cpu && line->free_at < now + ps + machine.locked)
		line->free_at = now + ps + machine.locked;
	return ps + machine.locked;
}

char line_state(const struct line *line, unsigned cpu)
{
	if (!line->touched || !has(line, cpu))
		return 'I';
	return line->owner < 0 ? 'S' : line->dirty ? 'M' : 'E';
}
