/* SPDX-License-Identifier: MIT */
/* src/async/timer/heap.h: the heap of a pool's timers, against a list that is searched. */
#include <string.h>

#include "async/timer/heap.h"
#include "harness.h"

#define NR 100

static uint32_t state = 1;

static uint32_t next_random(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 16;
}

static struct nap__timer_heap heap;
static struct nap__timer_node nodes[NR];
static bool is_in[NR];

static bool is_earlier(const struct nap__timer_node *a, const struct nap__timer_node *b)
{
	return a->when == b->when ? a->order < b->order : a->when < b->when;
}

/*
 * Returns the number of nodes from @node down; more than NR if a node is earlier than its parent,
 * or does not know its parent.
 */
static uint64_t count_below(struct nap__timer_node *node, struct nap__timer_node *parent)
{
	if (!node)
		return 0;
	if (node->parent != parent || (parent && is_earlier(node, parent)))
		return NR + 1;
	return 1 + count_below(node->left, node) + count_below(node->right, node);
}

static int earliest(void)
{
	int first = -1;

	for (int i = 0; i < NR; i++)
		if (is_in[i] && (first < 0 || is_earlier(&nodes[i], &nodes[first])))
			first = i;
	return first;
}

TEST(the_earliest_comes_first_whatever_its_node_held)
{
	uint64_t count = 0, order = 0;

	for (int step = 0; step < 20000; step++) {
		int i = (int)(next_random() % NR);

		if (is_in[i] && step % 3) {
			i = earliest();
			ASSERT_EQ(heap_pop(&heap), &nodes[i]);
		} else if (is_in[i]) {
			heap_take(&heap, &nodes[i]);
		} else {
			memset(&nodes[i], (int)(next_random() & 0xff), sizeof(nodes[i]));
			nodes[i].when = next_random() % 50;
			nodes[i].order = order++;
			heap_put(&heap, &nodes[i]);
		}
		is_in[i] = !is_in[i];
		count = is_in[i] ? count + 1 : count - 1;
		ASSERT_EQ(heap.count, count);
		ASSERT_EQ(count_below(heap.root, NULL), count);
		ASSERT_EQ(!heap.root, !count);
	}
	while ((count = heap.count)) {
		int i = earliest();

		ASSERT_EQ(heap_pop(&heap), &nodes[i]);
		is_in[i] = false;
		ASSERT_EQ(count_below(heap.root, NULL), count - 1);
	}
	EXPECT_EQ(heap_pop(&heap), NULL);
	EXPECT_EQ(earliest(), -1);
}

TEST_HARNESS_MAIN
