/* SPDX-License-Identifier: MIT */
/*
 * nap-demo uts: counts the tree T1 of the Unbalanced Tree Search benchmark. The visit of a node
 * forks a job for the node's later siblings, if there are any.
 */
#include "uts.h"
#include "demo.h"

#include <stdio.h>

struct count {
	uint64_t nodes;
	uint64_t leaves;
	unsigned depth;
};

struct uts {
	struct run run;
	struct count result;
};

/* The children of @parent from number @first to before @end; there is at least one. */
struct siblings {
	const struct uts_node *parent;
	unsigned first;
	unsigned end;
};

static void add(struct count *sum, struct count more)
{
	sum->nodes += more.nodes;
	sum->leaves += more.leaves;
	if (sum->depth < more.depth)
		sum->depth = more.depth;
}

static struct count count_siblings(struct nap_worker *worker, struct nap_frame *top,
				   struct siblings some);
NAP_JOB(count_siblings, struct count, struct siblings)

/* Counts @node and the tree below it. */
static struct count count_tree(struct nap_worker *worker, struct nap_frame *top,
			       const struct uts_node *node)
{
	unsigned n = uts_children(node);
	struct count sum = { .nodes = 1, .leaves = !n, .depth = node->depth };

	if (n)
		add(&sum, count_siblings(worker, top, (struct siblings){ node, 0, n }));
	return sum;
}

static struct count count_siblings(struct nap_worker *worker, struct nap_frame *top,
				   struct siblings some)
{
	struct count sum = { .nodes = 0 };

	for (;;) {
		struct uts_node node = uts_child(some.parent, some.first++);

		if (some.first == some.end) {
			add(&sum, count_tree(worker, top, &node));
			return sum;
		}
		add(&sum, count_tree(worker, count_siblings_fork(worker, top, some), &node));
		if (!nap_join(worker, top)) {
			add(&sum, count_siblings_result(top));
			return sum;
		}
	}
}

static int work(struct run *run, struct nap_worker *worker)
{
	struct uts *uts = nap_container_of(run, struct uts, run);
	struct uts_node root = uts_root();

	uts->result = count_tree(worker, nap_top(worker), &root);
	return 0;
}

static bool right(const struct run *run)
{
	const struct count *result = &nap_container_of(run, const struct uts, run)->result;

	return result->nodes == UTS_NODES && result->leaves == UTS_LEAVES &&
	       result->depth == UTS_DEPTH;
}

int cmd_uts(const struct options *options, uint64_t tree)
{
	struct uts many = { .run = { .work = work, .right = right } }, one = many;
	char nodes[32], leaves[32];
	int status = run_twice(&many.run, &one.run, options, "uts");

	if (!status) {
		printf("uts T%d: %s nodes, %s leaves, depth %u; both results are right\n",
		       (int)tree, digits(one.result.nodes, nodes),
		       digits(one.result.leaves, leaves), one.result.depth);
		report_times(&many.run, &one.run);
		report_runs(options, &many.run, &one.run);
	}
	run_free(&many.run);
	run_free(&one.run);
	return status;
}
