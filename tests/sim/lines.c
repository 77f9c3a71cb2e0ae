/* SPDX-License-Identifier: MIT */
/* Tests tools/sim/machine/lines.c by a table: states of a cache line, distances, queues. KTAP. */
#include <stdio.h>
#include <string.h>

#include "machine/lines.h"

#define CPUS	4u
#define BASE	((uintptr_t)0x10000)
#define MOST	6

/* Two CPUs in a cluster, one in another cluster of the node, one in another node. */
static const unsigned cpus[CPUS] = { 0, 1, 2, 4 };

/* An access by cpus[cpu], and what it has to result in. */
static const struct step {
	unsigned cpu;
	enum access access;
	const char *states;	/* of the line, in the caches of all CPUs */
	int far;		/* how far the line came; -1: a hit */
	uint64_t ns;
} tests[][MOST] = {
#define R ACCESS_READ
#define W ACCESS_WRITE
#define L ACCESS_RMW
	/* the first reader has the line alone, and may write; the next reader shares it */
	{ { 0, R, "EIII", FAR_MEMORY, 100 }, { 0, W, "MIII", -1, 0 },
	  { 1, R, "SSII", FAR_CLUSTER, 20 } },
	{ { 0, W, "MIII", FAR_MEMORY, 100 }, { 0, R, "MIII", -1, 0 }, { 0, L, "MIII", -1, 6 } },
	/* a writer takes the line from all CPUs, and waits for the farthest one */
	{ { 0, R, "EIII", FAR_MEMORY, 100 }, { 1, R, "SSII", FAR_CLUSTER, 20 },
	  { 2, R, "SSSI", FAR_NODE, 50 }, { 3, R, "SSSS", FAR_REMOTE, 200 },
	  { 1, W, "IMII", FAR_REMOTE, 200 }, { 3, R, "ISIS", FAR_REMOTE, 200 } },
	/* a reader gets the line from the nearest CPU */
	{ { 3, W, "IIIM", FAR_MEMORY, 100 }, { 0, R, "SIIS", FAR_REMOTE, 200 },
	  { 1, R, "SSIS", FAR_CLUSTER, 20 } },
	/* a CPU that shares the line has to ask before it writes */
	{ { 0, R, "EIII", FAR_MEMORY, 100 }, { 2, R, "SISI", FAR_NODE, 50 },
	  { 2, L, "IIMI", FAR_NODE, 56 }, { 2, L, "IIMI", -1, 6 } },
	{ { 1, L, "IMII", FAR_MEMORY, 106 }, { 0, L, "MIII", FAR_CLUSTER, 26 },
	  { 3, L, "IIIM", FAR_REMOTE, 206 } },
#undef L
#undef W
#undef R
};

static unsigned nr_tests, nr_failed;

static void result(bool ok, const char *what)
{
	nr_tests++;
	nr_failed += !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", nr_tests, what);
}

static bool step_is(const struct step *step, struct line *line, uint64_t now)
{
	char states[CPUS + 1] = "";
	struct moved moved;
	uint64_t ps = line_access(line, cpus[step->cpu], step->access, now, &moved);

	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		states[cpu] = line_state(line, cpus[cpu]);
	if (!strcmp(states, step->states) && ps == step->ns * NS &&
	    (moved.moved ? (int)moved.far : -1) == step->far && !moved.queued)
		return true;
	printf("# CPU %u: %s, not %s; %llu ps, not %llu; far %d, not %d\n", step->cpu, states,
	       step->states, (unsigned long long)ps, (unsigned long long)(step->ns * NS),
	       moved.moved ? (int)moved.far : -1, step->far);
	return false;
}

static void by_table(void)
{
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		char what[64];
		bool ok = true;

		for (unsigned k = 0; k < MOST && tests[i][k].states; k++)
			ok &= step_is(&tests[i][k], line_at(BASE + i * LINE_SIZE), k * 1000 * NS);
		snprintf(what, sizeof(what), "row %u of the table", i + 1);
		result(ok, what);
	}
}

/* Two CPUs ask while the line is on its way: they get it in the order in which they ask. */
static void queue(void)
{
	struct line *line = line_at(BASE + 100 * LINE_SIZE);
	struct moved moved;
	bool ok;

	line_access(line, 0, ACCESS_WRITE, 0, &moved);
	ok = line_access(line, 1, ACCESS_RMW, 1000 * NS, &moved) == 26 * NS && !moved.queued;
	/* The line arrives at 1020, is locked until 1026, and can leave then. */
	ok &= line_access(line, 2, ACCESS_RMW, 1010 * NS, &moved) == (16 + 50 + 6) * NS &&
	      moved.queued == 16 * NS;
	/* From 1026 on the line is under way to CPU 2, and it stays there from 1076 to 1082. */
	ok &= line_access(line, 0, ACCESS_READ, 1011 * NS, &moved) == (71 + 50) * NS &&
	      moved.queued == 71 * NS;
	result(ok, "requests for a line queue at it");
}

/* A line that is on its way to a writer is not free, either. */
static void queue_behind_write(void)
{
	struct line *line = line_at(BASE + 102 * LINE_SIZE);
	struct moved moved;
	bool ok;

	line_access(line, 0, ACCESS_WRITE, 0, &moved);
	ok = line_access(line, 1, ACCESS_WRITE, 1000 * NS, &moved) == 20 * NS;
	ok &= line_access(line, 2, ACCESS_READ, 1005 * NS, &moved) == (20 + 50) * NS &&
	      moved.queued == 20 * NS;
	result(ok, "requests queue behind a write, until the line has stayed for a moment");
}

/* Until the line leaves, its owner has it, though another CPU waits for it already. */
static void before(void)
{
	struct line *line = line_at(BASE + 101 * LINE_SIZE);
	struct moved moved;
	bool ok;

	line_access(line, 0, ACCESS_RMW, 0, &moved);
	line_access(line, 1, ACCESS_RMW, 50 * NS, &moved);
	ok = moved.queued == 56 * NS && line_access(line, 0, ACCESS_READ, 105 * NS, &moved) == 0 &&
	     !moved.moved;
	ok &= line_access(line, 0, ACCESS_READ, 107 * NS, &moved) > 0 && moved.moved;
	result(ok, "the owner keeps a line until it leaves");
}

int main(void)
{
	machine = (struct topology){
		.cpus = 8, .cluster = 2, .node = 4, .in_cluster = 20 * NS, .in_node = 50 * NS,
		.remote = 200 * NS, .memory = 100 * NS, .locked = 6 * NS, .hold = 5 * NS,
		.serve = 2 * NS,
	};
	puts("TAP version 13\n1..9");
	if (!lines_cover(BASE, 1000 * LINE_SIZE)) {
		puts("Bail out! no memory");
		return 1;
	}
	by_table();
	queue();
	queue_behind_write();
	before();
	return nr_failed || nr_tests != 9;
}
