// SPDX-License-Identifier: MIT
/*
 * nap-demo uts: the Unbalanced Tree Search benchmark (Olivier, Huan, Liu, Prins, Dinan, Sadayappan
 * and Tseng, "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006), on its tree T1: geometric, of
 * fixed shape, branching factor 4, depth limit 10, root seed 19.
 *
 * A node is the SHA-1 of its parent's and of its number among the siblings, and how many children
 * it has follows from its own: the tree is found while it is counted, and nothing says where most
 * of it is. Every node but the last of its siblings is visited beside a job, those behind it.
 */
#include "forks.h"
#include "sha1.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SEED 19
#define BRANCHING 4.0
#define DEPTH_LIMIT 10
#define CHILDREN_MAX 100

#define PAD 0x80000000u	/* the bit that ends the message */

struct node {
	uint32_t hash[SHA1_WORDS];
	unsigned depth;
};

struct count {
	uint64_t nodes;
	uint64_t leaves;
	unsigned depth;
};

struct uts {
	struct forks forks;
	struct count result;
};

/* The children of @parent from @first on; there are some. */
struct siblings {
	struct uts *uts;
	const struct node *parent;
	unsigned first;
	unsigned end;
};

/* 16 zero bytes and the seed. */
static struct node root_node(void)
{
	static const uint32_t block[SHA1_BLOCK_WORDS] = { [4] = SEED, PAD, [15] = 20 * 8 };
	struct node node = { .hash = SHA1_INIT };

	sha1_block(node.hash, block);
	return node;
}

/* The parent's 20 bytes and the child's number. */
static struct node child_node(const struct node *parent, unsigned i)
{
	const uint32_t *h = parent->hash;
	const uint32_t block[SHA1_BLOCK_WORDS] = {
		h[0], h[1], h[2], h[3], h[4], i, PAD, [15] = 24 * 8,
	};
	struct node node = { .hash = SHA1_INIT, .depth = parent->depth + 1 };

	sha1_block(node.hash, block);
	return node;
}

/* The inverse of the geometric distribution whose mean is the branching factor. */
static unsigned children(const struct node *node)
{
	double u = (node->hash[SHA1_WORDS - 1] & 0x7fffffff) / 2147483648.0;
	double n;

	if (node->depth >= DEPTH_LIMIT)
		return 0;
	n = floor(log(1 - u) / log(1 - 1 / (1 + BRANCHING)));
	return n < CHILDREN_MAX ? (unsigned)n : CHILDREN_MAX;
}

static void add(struct count *sum, const struct count *more)
{
	sum->nodes += more->nodes;
	sum->leaves += more->leaves;
	if (sum->depth < more->depth)
		sum->depth = more->depth;
}

static struct count count_siblings(struct nap_worker *worker, struct nap_frame *top,
				   struct siblings some);
NAP_JOB(count_siblings, struct count, struct siblings)

/* @node and the tree below it. */
static struct count count_tree(struct uts *uts, struct nap_worker *worker, struct nap_frame *top,
			       const struct node *node)
{
	unsigned n = children(node);
	struct count sum = { .nodes = 1, .leaves = !n, .depth = node->depth }, below;

	if (!n || forks_stopped(&uts->forks))
		return sum;
	below = count_siblings(worker, top, (struct siblings){ uts, node, 0, n });
	add(&sum, &below);
	return sum;
}

static struct count count_siblings(struct nap_worker *worker, struct nap_frame *top,
				   struct siblings some)
{
	struct count sum = { .nodes = 0 }, more;
	bool last, taken = false;

	do {
		struct node node = child_node(some.parent, some.first++);
		struct nap_frame *next = top;

		last = some.first == some.end;
		if (!last)
			next = count_siblings_fork(worker, top, some);
		more = count_tree(some.uts, worker, next, &node);
		add(&sum, &more);
		taken = !last && !nap_join(worker, top);
	} while (!last && !taken);
	if (taken) {
		more = count_siblings_result(top);
		add(&sum, &more);
	}
	return sum;
}

static void work(struct forks *forks, struct nap_worker *worker)
{
	struct uts *uts = nap_container_of(forks, struct uts, forks);
	struct node root = root_node();

	uts->result = count_tree(uts, worker, nap_top(worker), &root);
}

/* Returns 0, or the exit status after saying why. */
static int uts_on(struct uts *uts, const struct options *options, unsigned workers)
{
	const struct count *result = &uts->result;
	int status;

	uts->forks.work = work;
	status = forks_run(&uts->forks, options, workers, "uts");
	if (status)
		return status;
	/* As published with the benchmark (sample_trees.sh). */
	if (result->nodes == 4130071 && result->leaves == 3305118 && result->depth == DEPTH_LIMIT)
		return 0;
	fprintf(stderr, "nap-demo: uts: the result on %u workers is wrong: %" PRIu64 " nodes, %"
		PRIu64 " leaves, depth %u\n", workers, result->nodes, result->leaves,
		result->depth);
	return EXIT_FAILED;
}

int cmd_uts(const struct options *options)
{
	struct uts many = { .result.nodes = 0 }, one = { .result.nodes = 0 };
	char nodes[32], leaves[32];
	int status;

	status = uts_on(&many, options, options->workers);
	if (!status)
		status = uts_on(&one, options, 1);
	if (!status) {
		printf("uts T1: %s nodes, %s leaves, depth %u; both results are right\n",
		       digits(one.result.nodes, nodes), digits(one.result.leaves, leaves),
		       one.result.depth);
		report_times(&many.forks.run, &one.forks.run);
		report_runs(options, &many.forks.run, &one.forks.run);
	}
	run_free(&many.forks.run);
	run_free(&one.forks.run);
	return status;
}
