/* SPDX-License-Identifier: MIT */
/*
 * Random trees of forked jobs, several at once, on 1 to 8 workers. Each leaf is run once, and its
 * writes are visible when its node has been joined. At the same time there are tasks from outside,
 * tasks that jobs schedule, and waits for groups in the middle of a tree, where jobs are forked
 * above and below.
 */
#include "jobs_fixture.h"
#include "queue/deque.h"

#define MAX_CHILDREN	5

static struct nap_pool pool;
static unsigned long nr_scheduled;

/*
 * A node. Its seed decides what it does. After its join, @leaves is the number of leaves below it.
 */
struct node {
	uint64_t seed;
	unsigned depth;
	unsigned long leaves;
	unsigned runs;
};

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void node_run(struct nap_worker *worker, struct nap_frame *top, struct node *node);
NAP_JOB_VOID(node_run, struct node *)

static void schedule_one(void)
{
	nap_fetch_add_relaxed(&nr_scheduled, 1);
	if (nap_schedule(&pool, new_task(count_and_free)))
		abort();
}

/*
 * Waits in the middle of a tree. In this wait the worker runs other tasks nested, and steals jobs.
 */
static void wait_for_group(void)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member members[3];

	nap_group_add(&group, 3);
	for (int i = 0; i < 3; i++) {
		members[i] = (struct member){ NAP_TASK_INIT(member_done), &group, &pool, 0 };
		nap_fetch_add_relaxed(&nr_scheduled, 1);
		if (nap_schedule(&pool, &members[i].task))
			abort();
	}
	if (nap_group_wait(&group))
		abort();
}

static void leaf(struct node *node, uint64_t *seed)
{
	volatile uint64_t waste = node->seed;

	for (uint64_t i = next(seed) % 64; i--;)
		waste = waste * 3 + i;
	if (next(seed) % 2048 == 0)
		sched_yield();
	if (next(seed) % 512 == 0)
		schedule_one();
	node->leaves = 1;
}

/* Forks @n children and joins them. The children fork again between two joins. */
static unsigned long fork_children(struct nap_worker *worker, struct nap_frame *top,
				   struct node *node, unsigned n, uint64_t *seed)
{
	struct nap_frame *tops[MAX_CHILDREN + 1] = { top };
	struct node children[MAX_CHILDREN];
	unsigned long leaves = 0;

	for (unsigned i = 0; i < n; i++) {
		children[i] = (struct node){ .seed = next(seed), .depth = node->depth - 1 };
		tops[i + 1] = node_run_fork(worker, tops[i], &children[i]);
	}
	if (next(seed) % 256 == 0)
		wait_for_group();
	for (unsigned i = n; i--;) {
		node_run_join(worker, tops[i], &children[i]);
		if (children[i].runs != 1)
			abort();
		leaves += children[i].leaves;
		/* From now on no thread may touch the child. */
		memset(&children[i], 0xee, sizeof(children[i]));
	}
	return leaves;
}

static void node_run(struct nap_worker *worker, struct nap_frame *top, struct node *node)
{
	uint64_t seed = node->seed;

	node->runs++;
	if (node->depth == 0 || next(&seed) % 16 == 0) {
		leaf(node, &seed);
		return;
	}
	for (unsigned rounds = 1 + next(&seed) % 2; rounds--;)
		node->leaves += fork_children(worker, top, node, 1 + next(&seed) % MAX_CHILDREN,
					      &seed);
}

/* Computes, without a pool, how many leaves the tree has. */
static unsigned long count_leaves(uint64_t seed, unsigned depth)
{
	unsigned long leaves = 0;

	if (depth == 0 || next(&seed) % 16 == 0)
		return 1;
	for (unsigned rounds = 1 + next(&seed) % 2; rounds--;) {
		for (unsigned n = 1 + next(&seed) % MAX_CHILDREN; n--;)
			leaves += count_leaves(next(&seed), depth - 1);
		next(&seed);
	}
	return leaves;
}

/* ---- trees, each in a task of its own */

#define TREES 6
#define DEPTH 6

static struct tree {
	struct nap_task task;
	struct nap_group *group;
	struct node root;
} trees[TREES];

static void tree_run(struct nap_task *task)
{
	struct tree *tree = nap_container_of(task, struct tree, task);

	node_run(nap_worker_self(), nap_top(nap_worker_self()), &tree->root);
	nap_group_done(tree->group);
}

static unsigned long wrong_trees(uint64_t seed)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	unsigned long wrong = 0;

	nap_group_add(&group, TREES);
	for (unsigned i = 0; i < TREES; i++) {
		trees[i] = (struct tree){ NAP_TASK_INIT(tree_run), &group,
					  { seed + i, DEPTH, 0, 0 } };
		if (nap_schedule(&pool, &trees[i].task))
			abort();
		schedule_one();
	}
	if (nap_group_wait(&group))
		abort();
	for (unsigned i = 0; i < TREES; i++)
		wrong += trees[i].root.leaves != count_leaves(seed + i, DEPTH);
	return wrong;
}

static uint64_t jobs_stolen(void)
{
	struct nap_pool_stats stats;

	nap_pool_get_stats(&pool, &stats);
	return stats.workers.jobs_stolen;
}

TEST(trees_have_each_leaf_once)
{
	static const uint32_t workers[] = { 1, 2, 3, 8 };
	unsigned long rounds = nap_test_count(100);
	uint64_t seed = 88172645463325252u, stolen = 0;

	watchdog(&pool, 0);
	for (int i = 0; i < 4; i++) {
		nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers[i] });
		/*
		 * The last pool goes on until one of its workers has stolen a job. In an earlier
		 * pool perhaps no worker had the time to steal one.
		 */
		for (unsigned long k = 0;
		     k < rounds || (i == 3 && !(stolen + jobs_stolen())); k++) {
			ASSERT_EQ(wrong_trees(seed), 0);
			next(&seed);
		}
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_EQ(nr_run, nr_scheduled);
		TH_LOG("%u workers: %lu jobs stolen", workers[i], (unsigned long)jobs_stolen());
		stolen += jobs_stolen();
		if (workers[i] == 1) {
			EXPECT_EQ(stolen, 0);
		}
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

TEST_HARNESS_MAIN
