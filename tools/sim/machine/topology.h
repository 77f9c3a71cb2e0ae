/* SPDX-License-Identifier: MIT */
/*
 * A machine: its CPUs, the distances between them, and what each step costs. Times are picoseconds.
 */
#ifndef NAP_SIM_TOPOLOGY_H
#define NAP_SIM_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_CPUS	256u
#define NS		((uint64_t)1000)

/* How far a line travels; the reports count by these. */
enum far { FAR_CLUSTER, FAR_NODE, FAR_REMOTE, FAR_MEMORY, NR_FAR };

struct topology {
	char name[32];
	uint64_t cpus, cluster, node;	/* numbers of CPUs: in all, in a cluster, in a node */
	uint64_t columns;		/* of the mesh in which a node's clusters lie; 0: no mesh */
	uint64_t slow_from, slow_to;	/* CPUs [from, to) run at @slow_percent */
	uint64_t slow_percent;

	/* memory */
	uint64_t op, block, l1, l2;
	uint64_t in_cluster, in_node, remote, hop, link, memory;
	uint64_t serve, hold, locked, buffer, relax;

	/* the kernel */
	uint64_t clock, syscall, context_switch, wake, wakeup, clone, start;
	uint64_t yield, membarrier, ipi, interrupted, quantum, migrate;
	uint64_t eventfd, epoll, alarm;
};

extern struct topology machine;

/*
 * Reads @path into *@topology. False: @why (@size bytes) has the file, the line and the reason.
 */
bool topology_read(struct topology *topology, const char *path, char *why, unsigned long size);

/*
 * Returns how long a line takes from a cache of CPU @from to CPU @to, and in *@far how far that is.
 */
uint64_t topology_distance(const struct topology *topology, unsigned from, unsigned to,
			   enum far *far);

static inline unsigned cluster_of(const struct topology *t, unsigned cpu)
{
	return cpu / (unsigned)t->cluster;
}

static inline unsigned node_of(const struct topology *t, unsigned cpu)
{
	return cpu / (unsigned)t->node;
}

#endif /* NAP_SIM_TOPOLOGY_H */
