/* SPDX-License-Identifier: MIT */
/*
 * An unbalanced tree: each node is a task, which schedules its children (Olivier and others, "UTS:
 * An Unbalanced Tree Search Benchmark", 2006: the binomial tree, with another hash). The root has
 * many children; each other node has CHILDREN or none. The probability is chosen such that the tree
 * of a child has SIZE nodes on average.
 */
#include "work/common.h"

#define CHILDREN	5u
#define SIZE		25u

struct node {
	struct nap_task task;
	uint64_t key;			/* whose hash says whether there are children */
	uint32_t first, nr;		/* the children, by their number */
	uint32_t depth;
	uint32_t runs;
} __attribute__((aligned(64)));

static struct node *nodes;
static uint32_t nr_nodes;
static uint64_t keys_seen;		/* the sum that the tasks have made, and the right one */
static uint64_t keys_right;

/* Vigna's splitmix64. */
OF_SIMULATOR static uint64_t hash(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void run_node(struct nap_task *task);

/* Adds @n children to @node. With @most nodes the tree is full. */
OF_SIMULATOR static void add_children(struct node *node, uint32_t n, uint32_t most)
{
	if (n > most - nr_nodes)
		n = most - nr_nodes;
	node->first = nr_nodes;
	node->nr = n;
	for (uint32_t i = 0; i < n; i++) {
		struct node *child = &nodes[nr_nodes++];

		child->task.run = run_node;
		child->key = hash(node->key + i);
		child->depth = node->depth + 1;
		keys_right += child->key;
	}
}

OF_SIMULATOR static void make_tree(void)
{
	/* A node has (SIZE - 1) / SIZE children on average. */
	uint64_t bound = UINT64_MAX / CHILDREN / SIZE * (SIZE - 1);
	uint32_t most = (uint32_t)(4 * sim_run.tasks);
	uint32_t children = (uint32_t)(sim_run.tasks / SIZE);

	nodes = sim_alloc(most * sizeof(*nodes), "nodes of the tree");
	nodes[0].task.run = run_node;
	nodes[0].key = hash(sim_run.seed);
	keys_right = nodes[0].key;
	nr_nodes = 1;
	add_children(&nodes[0], children ? children : 1, most);
	for (uint32_t i = 1; i < nr_nodes; i++)
		if (hash(~nodes[i].key) < bound)
			add_children(&nodes[i], CHILDREN, most);
}

OF_SIMULATOR static void note_node(struct node *node)
{
	node->runs++;
	__atomic_fetch_add(&keys_seen, node->key, __ATOMIC_RELAXED);
}

static void run_node(struct nap_task *task)
{
	struct node *node = (struct node *)(void *)task;

	sim_begins();
	note_node(node);
	sim_work(sim_run.grain_ns);
	sim_ends();
	if (!node->nr)
		return;
	sim_queued(node->nr);
	for (uint32_t i = 0; i < node->nr; i++)
		sim_run.pool->schedule(&nodes[node->first + i].task);
}

OF_SIMULATOR static void check_tree(void)
{
	for (uint32_t i = 0; i < nr_nodes; i++)
		if (nodes[i].runs != 1)
			sim_fail("node %u ran %u times", i, nodes[i].runs);
	if (keys_seen != keys_right)
		sim_fail("the nodes' keys are wrong");
}

static void uts(void)
{
	make_tree();
	begin();
	sim_queued(1);
	sim_run.pool->schedule(&nodes[0].task);
	end();
	check_tree();
}

SIM_WORK(uts, .name = "uts", .run = uts, .each = 1000, .grain_ns = 1000,
	 .about = "an unbalanced tree of about so many tasks, "
		  "each of which schedules its children");
