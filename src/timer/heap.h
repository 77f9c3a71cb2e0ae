/* SPDX-License-Identifier: MIT */
/*
 * A pairing heap, intrusive: the earliest first, one comparison to put one in, and any can be taken
 * out. (Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap: A New Form of Self-Adjusting Heap",
 * 1986, two passes.) Whoever uses it holds the lock.
 *
 * The children of a node are a list by next; prev leads to the sibling before, or from the first to
 * the parent. A node that is in no heap has a prev of NULL, as the root has.
 */
#ifndef NAP_TIMER_HEAP_H
#define NAP_TIMER_HEAP_H

#include <stddef.h>

#include <nap/timer.h>

/* Two heaps, or NULL, whose roots have no siblings. */
static inline struct nap__timer_node *heap_meld(struct nap__timer_node *a, struct nap__timer_node *b)
{
	struct nap__timer_node *first = a, *second = b;

	if (!a || !b)
		return a ? a : b;
	if (b->when < a->when) {
		first = b;
		second = a;
	}
	second->next = first->child;
	if (first->child)
		first->child->prev = second;
	second->prev = first;
	first->child = second;
	return first;
}

static inline struct nap__timer_node *heap_put(struct nap__timer_node *root,
					       struct nap__timer_node *node)
{
	node->child = node->next = node->prev = NULL;
	return heap_meld(root, node);
}

/* Siblings from @first on, as one heap: two by two from the left, then all from the right. */
static inline struct nap__timer_node *heap_merge(struct nap__timer_node *first)
{
	struct nap__timer_node *pairs = NULL, *root = NULL;

	while (first) {
		struct nap__timer_node *a = first, *b = first->next;

		first = b ? b->next : NULL;
		a->next = a->prev = NULL;
		if (b)
			b->next = b->prev = NULL;
		a = heap_meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct nap__timer_node *next = pairs->next;

		pairs->next = NULL;
		root = heap_meld(root, pairs);
		pairs = next;
	}
	return root;
}

/* The heap without its root. */
static inline struct nap__timer_node *heap_pop(struct nap__timer_node *root)
{
	struct nap__timer_node *rest = heap_merge(root->child);

	root->child = NULL;
	return rest;
}

/* The heap without @node, which is in it. */
static inline struct nap__timer_node *heap_take(struct nap__timer_node *root,
						struct nap__timer_node *node)
{
	if (node == root)
		return heap_pop(root);
	if (node->prev->child == node)
		node->prev->child = node->next;
	else
		node->prev->next = node->next;
	if (node->next)
		node->next->prev = node->prev;
	node->next = node->prev = NULL;
	return heap_meld(root, heap_pop(node));
}

#endif /* NAP_TIMER_HEAP_H */
