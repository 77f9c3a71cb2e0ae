/* SPDX-License-Identifier: MIT */
/*
 * The NUMA nodes on which a worker's first touch puts memory: those of the configuration, whichever
 * thread starts the worker, and as far as the kernel permits. The test asks by system calls alone,
 * so it also runs without a libc. An emulator refuses these calls.
 */
#include <errno.h>
#include <pthread.h>

#include "arch/syscall.h"
#include "pool_fixture.h"
#include "wrap.h"

/* linux/mempolicy.h */
enum { DEFAULT, PREFERRED, BIND, INTERLEAVE };
#define MPOL_F_MEMS_ALLOWED	4
#define NO_MODE	99	/* a mode that does not exist */

#define NODES	16384	/* more nodes than any kernel has */
#define LONGS	(NODES / 8 / sizeof(unsigned long))

static struct nap_pool pool;
static struct nap_pool_stats stats;

struct policy {
	int mode;
	unsigned long nodes[LONGS];
};

static struct policy get_policy(void)
{
	struct policy policy = { .mode = -1 };

	nap__syscall5(NAP__NR_get_mempolicy, (long)&policy.mode, (long)policy.nodes, NODES, 0, 0);
	return policy;
}

static long set_policy(const struct policy *policy)
{
	return nap__syscall3(NAP__NR_set_mempolicy, policy->mode, (long)policy->nodes, NODES);
}

/* Returns a policy with @mode, on the first node that this process may use. */
static struct policy on_first_node(int mode)
{
	struct policy policy = { .mode = mode };

	nap__syscall5(NAP__NR_get_mempolicy, 0, (long)policy.nodes, NODES, 0, MPOL_F_MEMS_ALLOWED);
	for (size_t i = 0; i < LONGS; i++) {
		unsigned long *word = &policy.nodes[i];

		*word &= -*word;
		if (*word) {
			memset(word + 1, 0, (LONGS - i - 1) * sizeof(*word));
			break;
		}
	}
	return policy;
}

static struct nap_memory memory_of(const struct policy *policy)
{
	return (struct nap_memory){ .mode = policy->mode, .nodes = policy->nodes,
				    .nodes_size = sizeof(policy->nodes) };
}

static bool kernel_refuses(void)
{
	struct policy bind = on_first_node(BIND), usual = { .mode = DEFAULT };

	return set_policy(&bind) || set_policy(&usual);
}

#define NO_NUMA "this kernel, or an emulator, has no memory policies"

/* ---- starts a worker, and asks */

static struct policy at_first, in_start, in_task;

WRAP(void, nap__place_await, (struct nap_worker *worker))
{
	at_first = get_policy();
	__real_nap__place_await(worker);
}

static void look_in_start(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	in_start = get_policy();
}

static void look_in_task(struct nap_task *task)
{
	(void)task;
	in_task = get_policy();
}

static void start_and_look(const struct nap_memory *memory)
{
	struct nap_task task = NAP_TASK_INIT(look_in_task);
	struct nap_config config = { .max_workers = 1, .memory = memory,
				     .worker_start = look_in_start };

	if (nap_pool_init(&pool, &config) || nap_pool_prewarm(&pool, 1) ||
	    nap_schedule(&pool, &task) || nap_pool_join(&pool, NULL) ||
	    nap_pool_get_stats(&pool, &stats))
		abort();
}

static struct policy starters;

static void *start_otherwise(void *memory)
{
	if (set_policy(&starters))
		abort();
	start_and_look(memory);
	return NULL;
}

/* Starts a worker from a thread that has another policy. */
static void start_from(struct policy starter, struct nap_memory *memory)
{
	pthread_t thread;

	starters = starter;
	if (pthread_create(&thread, NULL, start_otherwise, memory))
		abort();
	pthread_join(thread, NULL);
}

#define EXPECT_POLICY(expected, is) do {					\
	EXPECT_EQ((is).mode, (expected).mode);					\
	EXPECT_EQ(memcmp((is).nodes, (expected).nodes, sizeof((is).nodes)), 0);	\
} while (0)

TEST(a_worker_has_the_configurations_before_anything_else)
{
	struct policy usual = get_policy(), bind = on_first_node(BIND);
	struct nap_memory memory = memory_of(&bind);

	if (kernel_refuses())
		SKIP(return, NO_NUMA);
	start_and_look(&memory);
	EXPECT_POLICY(bind, at_first);
	EXPECT_POLICY(bind, in_start);
	EXPECT_POLICY(bind, in_task);
	EXPECT_EQ(stats.refused, 0);
	/* The starter keeps its own policy. */
	EXPECT_POLICY(usual, get_policy());
}

/* MPOL_PREFERRED without nodes means the nearest node; with a missing node it is refused. */
TEST(the_last_bit_of_the_nodes_counts)
{
	static const unsigned long last[] = { 0, 1ul << (8 * sizeof(long) - 1) };
	const struct nap_memory none = { PREFERRED, last, sizeof(*last) };
	const struct nap_memory one = { PREFERRED, last, sizeof(last) };

	if (kernel_refuses())
		SKIP(return, NO_NUMA);
	start_and_look(&(struct nap_memory){ .mode = PREFERRED });
	EXPECT_EQ(stats.refused, 0);
	start_and_look(&none);
	EXPECT_EQ(stats.refused, 0);
	start_and_look(&one);
	EXPECT_EQ(stats.refused, 1);
}

TEST(the_starters_does_not_matter)
{
	struct policy usual = { .mode = DEFAULT };
	struct nap_memory memory = { .mode = DEFAULT };

	if (kernel_refuses())
		SKIP(return, NO_NUMA);
	start_from(on_first_node(INTERLEAVE), &memory);
	EXPECT_POLICY(usual, in_start);
	EXPECT_EQ(stats.refused, 0);
}

TEST(without_one_it_is_the_starters)
{
	struct policy interleave = on_first_node(INTERLEAVE);

	if (kernel_refuses())
		SKIP(return, NO_NUMA);
	start_from(interleave, NULL);
	EXPECT_POLICY(interleave, in_task);
	EXPECT_EQ(stats.refused, 0);
}

/* The kernel refuses a mode that does not exist, on every system. */
TEST(what_the_kernel_refuses_is_counted)
{
	struct policy usual = get_policy();
	struct nap_memory none = { .mode = NO_MODE };

	start_and_look(&none);
	EXPECT_EQ(stats.refused, 1);
	EXPECT_EQ(stats.workers.run, 1);
	EXPECT_POLICY(usual, in_task);
}

TEST(a_refused_one_leaves_the_starters)
{
	struct policy interleave = on_first_node(INTERLEAVE);
	struct nap_memory none = { .mode = NO_MODE };

	if (kernel_refuses())
		SKIP(return, NO_NUMA);
	start_from(interleave, &none);
	EXPECT_POLICY(interleave, in_task);
	EXPECT_EQ(stats.refused, 1);
}

TEST(wrong_configurations)
{
	static const unsigned long nodes[2] = { 1 };
	static const struct nap_memory wrong[] = {
		{ -1, NULL, 0 }, { BIND, NULL, 8 }, { BIND, nodes, 1 }, { BIND, nodes, 15 },
	};
	static const struct nap_memory right[] = {
		{ DEFAULT, NULL, 0 }, { BIND, nodes, 8 }, { BIND, nodes, 16 }, { BIND, nodes, 0 },
		{ BIND | 1 << 15, nodes, 8 }, { NO_MODE, NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		EXPECT_EQ(-EINVAL, nap_pool_init(&pool, &(struct nap_config){
							 .memory = &wrong[i] }));
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .memory = &right[i] }), 0);
}

TEST_HARNESS_MAIN
