/* SPDX-License-Identifier: MIT */
/*
 * The Unbalanced Tree Search benchmark (Olivier, Huan, Liu, Prins, Dinan, Sadayappan and Tseng,
 * "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006), its tree T1: geometric, of fixed shape,
 * branching factor 4, depth limit 10, root seed 19. A node is the SHA-1 of its parent's hash and
 * of its number among the siblings. A node's own hash decides how many children it has. So the
 * tree is discovered while it is counted: the size of a subtree is not known before.
 */
#ifndef WORKS_UTS_H
#define WORKS_UTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers that the benchmark publishes (sample_trees.sh). */
#define UTS_NODES 4130071
#define UTS_LEAVES 3305118
#define UTS_DEPTH 10

/* A node has no more children than this. */
#define UTS_CHILDREN_MAX 100

struct uts_node {
	uint32_t hash[5];
	unsigned depth;
};

struct uts_node uts_root(void);
struct uts_node uts_child(const struct uts_node *parent, unsigned i);
unsigned uts_children(const struct uts_node *node);

#ifdef __cplusplus
}
#endif

#endif /* WORKS_UTS_H */
