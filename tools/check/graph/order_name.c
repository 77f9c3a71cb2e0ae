/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"

const char *order_name(unsigned order)
{
	switch (order & ~(unsigned)O_PLAIN) {
	case O_RELAXED:
		return order & O_PLAIN ? "plain" : "relaxed";
	case O_ACQUIRE:
		return "acquire";
	case O_RELEASE:
		return "release";
	case O_ACQ_REL:
		return "acq_rel";
	case O_SIGNAL:
		return "signal";
	case O_MEMBARRIER:
		return "membarrier";
	default:
		return "seq_cst";
	}
}
