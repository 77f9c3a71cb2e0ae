/* SPDX-License-Identifier: MIT */
/*
 * An intrusive binary heap: the earliest node first; of nodes with the same time the one that was
 * put in first. The heap is a tree whose levels are full, except the last, so no operation takes
 * more than two steps a level: a million nodes have 20 levels. (J. W. J. Williams, "Algorithm 232:
 * Heapsort", 1964; with pointers in place of an array, because the nodes lie in memory of the
 * callers.) Any node can be removed. The caller holds the lock.
 *
 * The nodes are numbered from 1 on, level by level. The bits of a number below its highest bit give
 * the path from the root: 0 is left, 1 is right.
 */
#ifndef NAP_TIMER_HEAP_H
#define NAP_TIMER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/timer.h>

struct nap__timer_heap {
	struct nap__timer_node *root;
	uint64_t count;
};

static inline bool heap_before(const struct nap__timer_node *a, const struct nap__timer_node *b)
{
	/* Not noticed in tests when <= for < (2): no two nodes have the same order. */
	return a->when < b->when || (a->when == b->when && a->order < b->order);
}

/*
 * Returns the highest bit of @n. (A compiler's builtin may call libgcc, which bare programs lack.)
 */
static inline uint64_t heap_level(uint64_t n)
{
	for (uint32_t shift = 1; shift < 64; shift *= 2)
		n |= n >> shift;
	return n - n / 2;
}

/*
 * Returns the link to node number @n, or where a new node @n is to be put; *@parent: the node with
 * the link.
 */
static inline struct nap__timer_node **heap_link(struct nap__timer_heap *heap, uint64_t n,
						 struct nap__timer_node **parent)
{
	struct nap__timer_node **link = &heap->root;

	*parent = NULL;
	for (uint64_t bit = heap_level(n) / 2; bit; bit /= 2) {
		*parent = *link;
		link = n & bit ? &(*link)->right : &(*link)->left;
	}
	return link;
}

/* Returns the link to @node. */
static inline struct nap__timer_node **heap_link_of(struct nap__timer_heap *heap,
						    struct nap__timer_node *node)
{
	if (!node->parent)
		return &heap->root;
	return node->parent->left == node ? &node->parent->left : &node->parent->right;
}

/* Puts @node at *@link, and makes it the parent of its children. */
static inline void heap_hang(struct nap__timer_node **link, struct nap__timer_node *node)
{
	*link = node;
	if (node->left)
		node->left->parent = node;
	if (node->right)
		node->right->parent = node;
}

/* Swaps @node and its parent. */
static inline void heap_lift(struct nap__timer_heap *heap, struct nap__timer_node *node)
{
	struct nap__timer_node *above = node->parent, **link = heap_link_of(heap, above), **own;
	struct nap__timer_node was = *node;

	node->left = above->left;
	node->right = above->right;
	node->parent = above->parent;
	own = above->left == node ? &node->left : &node->right;
	above->left = was.left;
	above->right = was.right;
	*own = above;
	heap_hang(link, node);
	heap_hang(own, above);
}

static inline void heap_rise(struct nap__timer_heap *heap, struct nap__timer_node *node)
{
	while (node->parent && heap_before(node, node->parent))
		heap_lift(heap, node);
}

static inline void heap_sink(struct nap__timer_heap *heap, struct nap__timer_node *node)
{
	for (;;) {
		struct nap__timer_node *first = node->left;

		if (first && node->right && heap_before(node->right, first))
			first = node->right;
		if (!first || heap_before(node, first))
			return;
		heap_lift(heap, first);
	}
}

static inline void heap_put(struct nap__timer_heap *heap, struct nap__timer_node *node)
{
	struct nap__timer_node **link = heap_link(heap, ++heap->count, &node->parent);

	node->left = node->right = NULL;
	*link = node;
	heap_rise(heap, node);
}

/* Removes @node, which is in the heap. */
static inline void heap_take(struct nap__timer_heap *heap, struct nap__timer_node *node)
{
	struct nap__timer_node *parent, **link = heap_link(heap, heap->count--, &parent);
	struct nap__timer_node *last = *link;

	*link = NULL;
	if (last == node)
		return;
	last->left = node->left;
	last->right = node->right;
	last->parent = node->parent;
	heap_hang(heap_link_of(heap, node), last);
	heap_rise(heap, last);
	heap_sink(heap, last);
}

/* Removes the earliest node, and returns it; or NULL. */
static inline struct nap__timer_node *heap_pop(struct nap__timer_heap *heap)
{
	struct nap__timer_node *root = heap->root;

	if (root)
		heap_take(heap, root);
	return root;
}

#endif /* NAP_TIMER_HEAP_H */
